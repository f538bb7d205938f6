import { aborted, type Clock } from '@binnacle/core'

/** A reason of its own is cheaper than the error that the platform would make. */
const OVER = 'over'

/**
 * The sleep of one who may be woken up early.
 * Guarantees: one sleep at the clock at a time; it ends when its time is over or when it is interrupted, and leaves neither timer nor listener behind. Whoever
 * is rarely interrupted pays for a timer and nothing else, since the signal is used again until it has served.
 */
export class InterruptibleSleep {
  readonly #clock: Clock
  #interruption: AbortController | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Nothing happens if nobody sleeps. */
  interrupt(): void {
    this.#interruption?.abort(OVER)
    this.#interruption = undefined
  }

  /** Until the monotonic clock shows so many seconds; without them, until it is interrupted. Never rejects. */
  until(due: number | undefined): Promise<void> {
    this.#interruption ??= new AbortController()
    const { signal } = this.#interruption
    if (due === undefined) return aborted(signal)
    return this.#clock.sleep(Math.max(0, due - this.#clock.monotonic()), signal).catch(ignore)
  }
}

function ignore(): void {}
