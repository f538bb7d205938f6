import type { Duration } from './duration.ts'
import { seconds } from './duration.ts'
import { sleepBy } from './sleep.ts'

/** Where time comes from. Tests hand in a virtual one; nothing in Binnacle reads the system clock by another way. */
export interface Clock {
  /** Wall-clock time, for stored timestamps. */
  now(): Date
  /** Seconds that only grow, for every wait and every age. */
  monotonic(): number
  /** Resolves after the duration; rejects with the signal's reason when aborted first. */
  sleep(duration: Duration, signal?: AbortSignal): Promise<void>
  /** Calls back after the duration, in a later turn. Returns what calls it off. For limits that are seldom reached: there is neither a promise nor a signal. */
  after(duration: Duration, call: () => void): () => void
}

/** Node's timers take 31 bits of milliseconds and fire at once beyond that. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The system's clock. What is aborted or called off leaves no timer behind. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now() / 1000,
  sleep: (duration, signal) => sleepBy(systemClock, duration, signal),
  // Node cuts fractions off, and would wake too early.
  after: (duration, call) => afterMilliseconds(Math.ceil(seconds(duration) * 1000), call),
}

function afterMilliseconds(milliseconds: number, call: () => void): () => void {
  // A timer of no time would wait for a millisecond: who only lets others have their turn need not.
  if (milliseconds <= 0) {
    const turn = setImmediate(call)
    return () => clearImmediate(turn)
  }
  if (milliseconds > LONGEST_TIMER_MS) {
    const left = milliseconds - LONGEST_TIMER_MS
    let callOff = afterMilliseconds(LONGEST_TIMER_MS, () => {
      callOff = afterMilliseconds(left, call)
    })
    return () => callOff()
  }
  const timer = setTimeout(call, milliseconds)
  return () => clearTimeout(timer)
}
