import type { Duration } from './duration.ts'
import { seconds } from './duration.ts'

/** Where time comes from. Tests hand in a virtual one; nothing in Binnacle reads the system clock by another way. */
export interface Clock {
  /** Wall-clock time, for stored timestamps. */
  now(): Date
  /** Seconds that only grow, for every wait and every age. */
  monotonic(): number
  /** Resolves after the duration; rejects with the signal's reason when aborted first. */
  sleep(duration: Duration, signal?: AbortSignal): Promise<void>
}

/** Node's timers take 31 bits of milliseconds and fire at once beyond that. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The system's clock. An aborted sleep leaves no timer behind. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now() / 1000,
  sleep(duration, signal) {
    return new Promise((resolve, reject) => {
      // Node cuts fractions off, and would wake too early.
      wait(Math.ceil(seconds(duration) * 1000), signal, resolve, reject)
    })
  },
}

function wait(
  milliseconds: number,
  signal: AbortSignal | undefined,
  resolve: () => void,
  reject: (reason: unknown) => void,
): void {
  if (signal?.aborted) return reject(signal.reason)
  const left = milliseconds - LONGEST_TIMER_MS
  const abort = () => {
    cancel()
    reject(signal?.reason)
  }
  const cancel = after(Math.min(milliseconds, LONGEST_TIMER_MS), () => {
    signal?.removeEventListener('abort', abort)
    if (left > 0) wait(left, signal, resolve, reject)
    else resolve()
  })
  signal?.addEventListener('abort', abort, { once: true })
}

/** Gives a function that calls it off. A timer of no time would wait for a millisecond: who only lets others have their turn need not. */
function after(milliseconds: number, call: () => void): () => void {
  if (milliseconds <= 0) {
    const turn = setImmediate(call)
    return () => clearImmediate(turn)
  }
  const handle = setTimeout(call, milliseconds)
  return () => clearTimeout(handle)
}
