import type { Clock } from '@binnacle/core'
import type { Schedule } from '../declare/schedule.ts'
import type { TimerHandler } from '../declare/timer.ts'
import type { AlarmClock } from './alarm-clock.ts'
import type { EssentialChanges } from './essential-changes.ts'
import type { StopControl } from './stop-control.ts'

/** What a timer waits for before its next call: a length of time, an essential change, a moment of its schedule, or nothing any more. */
export type NextCall = { readonly after: number } | { readonly after: 'change' | 'tick' } | undefined

/** When the next call follows one that began so many seconds ago and has just succeeded. */
export function nextCall({ interval, idle, sharp, schedule }: TimerHandler, elapsed: number): NextCall {
  if (schedule) return { after: 'tick' }
  if (interval !== undefined) return { after: sharp ? interval - (elapsed % interval) : interval }
  return idle === undefined ? undefined : { after: 'change' }
}

/** Seconds until the object has been idle for long enough; 0 when it has. */
export function untilIdle({ idle = 0 }: TimerHandler, sinceChange: number): number {
  return Math.max(0, idle - sinceChange)
}

/** Seconds of one sleep before a moment of a schedule: wall clocks are corrected now and then. */
const NAP = 600

/** Waits for the next moment of the schedule. */
export async function untilTick(
  clock: Clock,
  schedule: Schedule,
  control: StopControl,
): Promise<'due' | 'over' | 'stopped'> {
  const due = schedule.next(clock.now())
  if (!due) return 'over'
  for (;;) {
    const left = (due.getTime() - clock.now().getTime()) / 1000
    if (left <= 0) return control.isStopped ? 'stopped' : 'due'
    if (await control.pause(Math.min(left, NAP))) return 'stopped'
  }
}

/** Waits until the object has been idle for long enough; each change prolongs it. Resolves to whether it was stopped. */
export async function idled(
  alarms: AlarmClock,
  handler: TimerHandler,
  changes: EssentialChanges,
  control: StopControl,
): Promise<boolean> {
  for (;;) {
    const left = untilIdle(handler, alarms.now() - changes.at)
    if (left <= 0) return control.isStopped
    if (await control.pause(left)) return true
  }
}

/** Waits until there have been more changes. Resolves to whether it was stopped. */
export async function changed(
  changes: EssentialChanges | undefined,
  seen: number,
  control: StopControl,
): Promise<boolean> {
  while (!changes || changes.count <= seen) if (await control.pause(undefined, changes?.listen)) return true
  return control.isStopped
}
