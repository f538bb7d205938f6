import type { Clock, Duration } from '@binnacle/core'

/** A clock that knows who still sleeps by it: what has ended must have left nobody. */
export class CountingClock implements Clock {
  readonly #clock: Clock
  #sleeping = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get sleeping(): number {
    return this.#sleeping
  }

  now(): Date {
    return this.#clock.now()
  }

  monotonic(): number {
    return this.#clock.monotonic()
  }

  async sleep(duration: Duration, signal?: AbortSignal): Promise<void> {
    this.#sleeping++
    try {
      await this.#clock.sleep(duration, signal)
    } finally {
      this.#sleeping--
    }
  }
}
