import type { Clock } from '@binnacle/core'

/** Seconds of work after which others get their turn. */
const SLICE = 0.005
/** To ask for the time costs more than to handle an object. */
const LOOK_EVERY = 16

/**
 * Long work in slices, so that the event loop is not blocked by it.
 * Guarantees: while no time passes by the clock, nothing is ever interrupted.
 */
export class Slices {
  readonly #clock: Clock
  #until: number
  #steps = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#until = clock.monotonic() + SLICE
  }

  /** To be asked at every step; true if it is time to `rest`. */
  get isOver(): boolean {
    return ++this.#steps % LOOK_EVERY === 0 && this.#clock.monotonic() >= this.#until
  }

  async rest(): Promise<void> {
    await this.#clock.sleep(0)
    this.#until = this.#clock.monotonic() + SLICE
  }
}
