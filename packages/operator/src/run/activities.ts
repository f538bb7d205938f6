import { type Clock, type Logger, messageOf } from '@binnacle/core'
import type { Activity, ActivityHandler } from '../declare/activity.ts'
import type { Backoff, Result } from '../declare/options.ts'
import { advance, dueIn, isFinished, type Progress } from '../progress/progress.ts'
import { attemptInfo } from './attempt.ts'
import type { AttemptInfo } from './context.ts'
import { ActivityError } from './errors.ts'
import { execute } from './execute.ts'

export interface ActivityDeps {
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  readonly defaultBackoff: Backoff
  /** Ends the activity whatever its handlers are at. */
  readonly signal: AbortSignal
}

/** What the handlers of an activity have come to, by their ids. */
export interface Performed {
  readonly results: ReadonlyMap<string, unknown>
  readonly failures: ReadonlyMap<string, unknown>
}

/** The same, where all must succeed: rejects with an ActivityError when one has failed for good, after all have had their chance. */
export async function runActivity(...args: Parameters<typeof performActivity>): Promise<void> {
  const { failures } = await performActivity(...args)
  if (failures.size > 0) throw new ActivityError(args[0], failures)
}

/**
 * Runs the handlers of an activity, one after another, until each has succeeded or failed for good. Nothing is stored: the activity
 * begins anew with the next process.
 */
export async function performActivity(
  activity: Activity,
  handlers: readonly ActivityHandler[],
  contextOf: (handler: ActivityHandler, attempt: AttemptInfo) => object,
  deps: ActivityDeps,
): Promise<Performed> {
  const results = new Map<string, unknown>()
  const records = new Map(handlers.map((handler) => [handler, begun(deps.clock.now())]))
  const failures = new Map<string, unknown>()
  for (;;) {
    for (const [handler, record] of records) {
      if (isFinished(record) || dueIn(record, deps.clock.now()) > 0) continue
      deps.signal.throwIfAborted()
      const { next, error, result } = await attempt(activity, handler, record, contextOf, deps)
      records.set(handler, next)
      if (next.failure) failures.set(handler.id, error)
      if (next.success) results.set(handler.id, result)
    }
    const waits = [...records.values()].filter((record) => !isFinished(record))
    if (waits.length === 0) break
    await deps.clock.sleep(Math.min(...waits.map((record) => dueIn(record, deps.clock.now()))), deps.signal)
  }
  return { results, failures }
}

async function attempt(
  activity: Activity,
  handler: ActivityHandler,
  record: Progress,
  contextOf: (handler: ActivityHandler, attempt: AttemptInfo) => object,
  deps: ActivityDeps,
): Promise<{ readonly next: Progress; readonly error: unknown; readonly result: unknown }> {
  const { clock, random, defaultBackoff, logger } = deps
  const call = (signal: AbortSignal) =>
    handler.fn(contextOf(handler, attemptInfo(record, clock.now(), signal))) as Promise<Result>
  const attempted = await execute(handler, record, call, { clock, random, defaultBackoff, exit: deps.signal })
  if (attempted.outcome === 'interrupted') throw attempted.error
  const { error, outcome, verdict, result } = attempted
  if (outcome === 'success') logger.info(`Handler "${handler.id}" (${activity}) succeeded.`)
  else logger[verdict.kind === 'failure' ? 'error' : 'warn'](line(handler, activity, outcome, error), { error })
  return { next: advance(record, verdict, clock.now()), error, result }
}

function line({ id }: ActivityHandler, activity: Activity, outcome: string, error: unknown): string {
  const what = { temporary: 'failed and will be tried again', ignored: 'failed, which is ignored' }[outcome]
  return `Handler "${id}" (${activity}) ${what ?? 'failed for good'}: ${messageOf(error)}`
}

/** Kept in memory only: an activity has no object to store its progress on. */
function begun(now: Date): Progress {
  return { started: now.toISOString(), purpose: 'create', retries: 0, success: false, failure: false, essence: '' }
}
