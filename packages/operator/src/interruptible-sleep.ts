import type { Clock } from '@binnacle/core'

/**
 * The sleep of one who may be woken up early.
 * Guarantees: it ends when its time is over or when it is interrupted, and leaves no timer behind.
 * Assumes: one sleeps at a time.
 */
export class InterruptibleSleep {
  readonly #clock: Clock
  #wake: (() => void) | undefined
  #callOff: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Nothing happens if nobody sleeps. */
  interrupt(): void {
    this.#callOff?.()
    this.#wake?.()
    this.#callOff = undefined
    this.#wake = undefined
  }

  /** Until the monotonic clock shows so many seconds; without them, until it is interrupted. Never rejects. */
  until(due: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
      if (due === undefined) return
      this.#callOff = this.#clock.after(Math.max(0, due - this.#clock.monotonic()), () => this.interrupt())
    })
  }
}
