import { type Clock, systemClock } from './clock.ts'
import { type Duration, seconds } from './duration.ts'
import { BinnacleError } from './errors.ts'

/**
 * Another clock, faster or slower: `scaledClock(60)` lets a minute pass in a second.
 * Guarantees: times of day, ages and sleeps are all scaled alike, so that whoever keeps to this clock cannot tell; it begins at the present
 * time of the other.
 * Does not guarantee: anything about those who keep to another clock, such as sockets and other processes.
 */
export function scaledClock(factor: number, clock: Clock = systemClock): Clock {
  if (!(factor > 0 && Number.isFinite(factor))) throw noFactor(factor)
  const began = clock.monotonic()
  const start = clock.now().getTime()
  const elapsed = () => (clock.monotonic() - began) * factor
  return {
    now: () => new Date(start + elapsed() * 1000),
    monotonic: () => began + elapsed(),
    sleep: (duration: Duration, signal?: AbortSignal) => clock.sleep(seconds(duration) / factor, signal),
    after: (duration: Duration, call: () => void) => clock.after(seconds(duration) / factor, call),
  }
}

function noFactor(factor: number): BinnacleError {
  return new BinnacleError('BIN_DURATION', {
    message: `Time cannot pass ${factor} times as fast`,
    hint: 'Give a number above 0: 60 lets a minute pass in a second.',
  })
}
