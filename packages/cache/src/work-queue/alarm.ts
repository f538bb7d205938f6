import type { Clock } from '@binnacle/core'

/**
 * Calls back at a time that can be moved.
 * Guarantees: one timer at most; none once it is cleared.
 */
export class Alarm {
  readonly #clock: Clock
  readonly #ring: () => void
  #at: number | undefined
  #callOff: (() => void) | undefined

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock
    this.#ring = ring
  }

  /** To ring at that second of the clock, instead of whenever it was set to; undefined: never. */
  set(at: number | undefined): void {
    if (at === this.#at) return
    this.#at = at
    this.#callOff?.()
    this.#callOff = at === undefined ? undefined : this.#ringAt(at)
  }

  #ringAt(at: number): () => void {
    return this.#clock.after(Math.max(0, at - this.#clock.monotonic()), () => {
      this.#at = undefined
      this.#callOff = undefined
      this.#ring()
    })
  }
}
