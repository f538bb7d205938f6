import type { Clock } from '@binnacle/core'

/** Calls `fire` at every period until the signal aborts. Counts from the end of one call to the beginning of the next. */
export async function everyPeriod(clock: Clock, period: number, fire: () => void, signal: AbortSignal): Promise<void> {
  if (period <= 0) return
  while (await slept(clock, period, signal)) fire()
}

/** False if the signal aborted first. */
export async function slept(clock: Clock, duration: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(duration, signal)
    return !signal.aborted
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}
