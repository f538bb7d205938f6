import type { Clock } from '@binnacle/core'

/**
 * Calls back at a time that can be moved.
 * Guarantees: one sleep at most; none once it is cleared.
 */
export class Alarm {
  readonly #clock: Clock
  readonly #ring: () => void
  #at: number | undefined
  #sleep: AbortController | undefined

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock
    this.#ring = ring
  }

  /** To ring at that second of the clock, instead of whenever it was set to; undefined: never. */
  set(at: number | undefined): void {
    if (at === this.#at) return
    this.#at = at
    this.#sleep?.abort()
    this.#sleep = undefined
    if (at !== undefined) void this.#wait(at)
  }

  async #wait(at: number): Promise<void> {
    const sleep = new AbortController()
    this.#sleep = sleep
    try {
      await this.#clock.sleep(Math.max(0, at - this.#clock.monotonic()), sleep.signal)
    } catch (error) {
      if (sleep.signal.aborted) return
      throw error
    }
    if (this.#sleep !== sleep) return
    this.#at = undefined
    this.#sleep = undefined
    this.#ring()
  }
}
