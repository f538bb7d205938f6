/** Resyncs: replays of the cache to those who asked for them. They never ask the server. All lengths are in seconds. */

const SHORTEST = 1

/**
 * When one listener is to be reminded of everything.
 * Guarantees: never more often than it asked for, nor than the informer looks.
 */
export class ResyncSchedule {
  readonly #asked: number
  #period = 0
  #next = 0
  #isDue = false

  /** `asked`: 0 is never; less than a second counts as one. */
  constructor(asked: number) {
    this.#asked = asked > 0 ? Math.max(asked, SHORTEST) : 0
  }

  get asked(): number {
    return this.#asked
  }

  get period(): number {
    return this.#period
  }

  /** Whether it was due when the informer last looked; until it looks again, unchanged objects are told. */
  get isDue(): boolean {
    return this.#isDue
  }

  /** Fits the period to how often the informer looks. */
  derive(checkPeriod: number, now: number): void {
    this.#period = checkPeriod === 0 || this.#asked === 0 ? 0 : Math.max(this.#asked, checkPeriod)
    this.#next = now + this.#period
  }

  look(now: number): boolean {
    this.#isDue = this.#period > 0 && now >= this.#next
    if (this.#isDue) this.#next = now + this.#period
    return this.#isDue
  }
}

/** How often to look, once a listener has asked: an informer that never resyncs never looks; one that runs does not look more often. */
export function checkPeriodWith(asked: number, checkPeriod: number, isRunning: boolean): number {
  return asked === 0 || checkPeriod === 0 || isRunning ? checkPeriod : Math.min(asked, checkPeriod)
}
