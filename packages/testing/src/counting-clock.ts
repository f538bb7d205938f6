import { type Clock, type Duration, sleepBy } from '@binnacle/core'

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

  sleep(duration: Duration, signal?: AbortSignal): Promise<void> {
    return sleepBy(this, duration, signal)
  }

  after(duration: Duration, call: () => void): () => void {
    let waits = true
    const over = () => {
      if (waits) this.#sleeping--
      waits = false
    }
    const callOff = this.#clock.after(duration, () => {
      over()
      call()
    })
    this.#sleeping++
    return () => {
      over()
      callOff()
    }
  }
}
