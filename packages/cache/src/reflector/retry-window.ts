import type { Clock } from '@binnacle/core'

/** Seconds without such an error after which a new one opens a new window. */
const QUIET = 60

/**
 * For how long one class of errors is tried again before more is done about it.
 * Guarantees: of length zero it never says yes; it opens with the first error, and anew with the first one after a quiet minute.
 */
export class RetryWindow {
  readonly #length: number
  readonly #clock: Clock
  #openedAt: number | undefined
  #lastAt = Number.NEGATIVE_INFINITY

  /** In seconds. */
  constructor(length: number, clock: Clock) {
    this.#length = length
    this.#clock = clock
  }

  /** Such an error has come: whether to try again. */
  allows(): boolean {
    const now = this.#clock.monotonic()
    if (this.#openedAt === undefined || now - this.#lastAt >= QUIET) this.#openedAt = now
    this.#lastAt = now
    return this.#length > 0 && now - this.#openedAt <= this.#length
  }
}
