/** Which version was the newest at which time: for those who want to see the world as it was. */
export class Chronicle {
  readonly #monotonic: () => number
  readonly #entries: { readonly at: number; readonly revision: number }[] = []

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  note(revision: number): void {
    if (this.#entries.length >= most) this.#entries.splice(0, most / 2)
    this.#entries.push({ at: this.#monotonic(), revision })
  }

  /** The newest version so many seconds ago; 0 where that is forgotten, or before everything. */
  ago(seconds: number): number {
    const then = this.#monotonic() - seconds
    return this.#entries.findLast(({ at }) => at <= then)?.revision ?? 0
  }
}

/** As much as the history of a kind remembers by default. */
const most = 16_384
