import type { Schedule } from '../declare/schedule.ts'
import type { TimerHandler } from '../declare/timer.ts'
import type { Attempts } from '../progress/progress.ts'
import { type AttemptDeps, attempt, type Companion } from './attempt.ts'
import { again, begin, type End, initialDelay } from './daemon-run.ts'
import type { EssentialChanges } from './essential-changes.ts'

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

/**
 * Runs a timer for one object until it ends.
 * Guarantees: never two calls at a time; before each call the object has been idle for as long as was asked; a failure that may be repaired is
 * tried again after its own delay instead of the interval, and counts; a success resets the count; failing for good ends the timer. Every
 * wait also watches the stop.
 */
export async function runTimer(
  deps: AttemptDeps,
  companion: Companion<TimerHandler>,
  changes: EssentialChanges | undefined,
): Promise<End> {
  const { handler, control } = companion
  let stopped = await initialDelay(deps, companion)
  let record: Attempts | undefined
  while (!stopped) {
    const tick = record || !handler.schedule ? 'due' : await untilTick(deps, companion, handler.schedule)
    if (tick !== 'due') return tick === 'over' ? 'done' : 'stopped'
    if (changes ? await idled(deps, companion, changes) : control.isStopped) return 'stopped'
    const begun = deps.alarms.now()
    const seen = changes?.count ?? 0
    record ??= begin(deps)
    const { verdict } = await attempt(deps, companion, record)
    if (control.isStopped || !verdict) return 'stopped'
    if (verdict.kind === 'failure') return 'failed'
    if (verdict.kind === 'again') {
      record = again(record)
      stopped = await control.pause(verdict.delay)
      continue
    }
    record = undefined
    const next = nextCall(handler, deps.alarms.now() - begun)
    if (!next) return 'done'
    if (next.after === 'change') stopped = await changed(companion, changes, seen)
    else if (next.after !== 'tick') stopped = await control.pause(next.after)
  }
  return 'stopped'
}

/** Seconds of one sleep before a moment of a schedule: wall clocks are corrected now and then. */
const NAP = 600

/** Waits for the next moment of the schedule. */
async function untilTick(
  { runtime: { clock } }: AttemptDeps,
  { control }: Companion<TimerHandler>,
  schedule: Schedule,
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
async function idled(
  { alarms }: AttemptDeps,
  { handler, control }: Companion<TimerHandler>,
  changes: EssentialChanges,
): Promise<boolean> {
  for (;;) {
    const left = untilIdle(handler, alarms.now() - changes.at)
    if (left <= 0) return control.isStopped
    if (await control.pause(left)) return true
  }
}

/** Waits until there have been more changes. Resolves to whether it was stopped. */
async function changed(
  { control }: Companion<TimerHandler>,
  changes: EssentialChanges | undefined,
  seen: number,
): Promise<boolean> {
  while (!changes || changes.count <= seen) if (await control.pause(undefined, changes?.listen)) return true
  return control.isStopped
}
