import type { Client } from '@binnacle/client'
import { combineMergePatch, formatObjectName, type Json, messageOf, objectName, type Runtime } from '@binnacle/core'
import { digest } from '../cause/digest.ts'
import { essenceOf } from '../cause/essence.ts'
import type { DaemonHandler } from '../declare/daemon.ts'
import type { Backoff, Result } from '../declare/options.ts'
import type { Scope } from '../declare/scope.ts'
import type { TimerHandler } from '../declare/timer.ts'
import type { ObjectMemory } from '../object-memory.ts'
import type { ApplyDeps } from '../outcome/apply.ts'
import { runningEdit } from '../outcome/conditions.ts'
import { type Edit, NO_CHANGE, type ObjectChange, patchDraft } from '../outcome/patch.ts'
import { resultPatch } from '../outcome/results.ts'
import type { Attempts } from '../progress/progress.ts'
import type { Observer, Run } from '../report/observer.ts'
import type { Surroundings } from '../run/context.ts'
import { type Attempted, execute } from '../run/execute.ts'
import { jobOf, type Threads } from '../worker/job.ts'
import type { AlarmClock } from './alarm-clock.ts'
import { BackgroundContext } from './background-context.ts'
import { deliver } from './deliver.ts'
import type { News } from './news.ts'
import type { StopControl } from './stop-control.ts'
import { nameOfCompanion, tell } from './tell.ts'

export type SpawnHandler = DaemonHandler | TimerHandler

/** What daemons and timers need of the operator. */
export interface AttemptDeps {
  readonly runtime: Runtime
  readonly client: Client
  readonly operatorName: string
  readonly defaultBackoff: Backoff
  readonly observer: Observer
  readonly alarms: AlarmClock
  readonly surroundings: (memory: ObjectMemory, scope: Scope | undefined) => Surroundings
  readonly apply: (memory: ObjectMemory) => ApplyDeps
  /** Where failures for good are shown in the status; undefined where the kind has no room for it. */
  readonly condition: (memory: ObjectMemory) => string | undefined
  /** Aborted when even writes are given up. */
  readonly lastCall: AbortSignal
  readonly threads: Threads
  /** Something is being written, or is not any more. */
  readonly delivering: (begun: boolean) => void
}

/** One daemon or timer of one object. */
export interface Companion<H extends SpawnHandler = SpawnHandler> {
  readonly handler: H
  readonly memory: ObjectMemory
  readonly control: StopControl
  /** Tells of changes of the object; only for those that run in a thread. */
  readonly news?: News
}

/**
 * Calls the function of a daemon or timer once, and writes what came of it.
 * Guarantees: when it resolves the function has really ended, also one that was cancelled or has outlived its timeout; what it has put into
 * `patch` and its result have arrived, or were refused. A function that was cancelled and returns nevertheless has succeeded.
 */
export async function attempt(deps: AttemptDeps, companion: Companion, record: Attempts): Promise<Attempted> {
  const { handler, memory, control } = companion
  const { clock, random } = deps.runtime
  const draft = lazyDraft()
  const run = runOf(companion, record, clock.now())
  deps.observer.run?.(run)
  let running: Promise<Result> = Promise.resolve(undefined)
  const call = (signal: AbortSignal) => {
    running = Promise.resolve(called(deps, companion, record, draft.patch, signal))
    return running
  }
  if (record.retries === 0)
    await deliver(deps, companion, { merge: {}, edits: conditionOf(deps, companion, undefined) })
  const limits = { clock, random, defaultBackoff: deps.defaultBackoff, exit: control.beginCall(), ownExit: true }
  const judged = await execute(handler, record, call, limits)
  const attempted = judged.outcome === 'interrupted' ? await ending(running, judged.error) : judged
  tell(deps.surroundings(memory, handler.scope).logger, companion, attempted)
  const { outcome, error, result } = attempted
  deps.observer.run?.({ ...run, outcome, error, result: result as Json | undefined })
  await running.catch(() => {})
  control.endCall()
  if (control.stage === 'abandoned') return attempted
  const delivered = resultPatch(result, handler.result)
  if (delivered) combineMergePatch(draft.patch(), delivered)
  const { merge, edits } = draft.take()
  await deliver(deps, companion, { merge, edits: [...edits, ...visibleTrace(deps, companion, attempted)] })
  return attempted
}

/** A failure for good is visible to whoever looks at the object: by an event always, by a condition where the schema has room for it. */
function visibleTrace(deps: AttemptDeps, companion: Companion, attempted: Attempted): readonly Edit[] {
  const { handler, memory, control } = companion
  if (attempted.outcome !== 'permanent' || control.isStopped) return []
  const failure = messageOf(attempted.error)
  const { events } = deps.surroundings(memory, handler.scope)
  events.warn('HandlerFailed', `${nameOfCompanion(companion)} failed for good: ${failure}`)
  return conditionOf(deps, companion, failure)
}

/** That it has failed, or, without a failure, that it runs again where it is said to have failed. */
function conditionOf(deps: AttemptDeps, { handler, memory }: Companion, failure: string | undefined): readonly Edit[] {
  const type = deps.condition(memory)
  if (type === undefined || memory.body.metadata.deletionTimestamp !== undefined) return []
  const edit = runningEdit(type, memory.body, handler.id, failure, deps.runtime.clock.now())
  return edit ? [edit] : []
}

/** What a cancelled function has made of it. */
function ending(running: Promise<Result>, error: unknown): Promise<Attempted> {
  return running.then(
    (result) => ({ outcome: 'success', verdict: { kind: 'success' }, result }),
    () => ({ outcome: 'interrupted', error }),
  )
}

/** On the event loop, or in a thread. */
function called(
  deps: AttemptDeps,
  companion: Companion,
  record: Attempts,
  patch: () => object,
  signal: AbortSignal,
): Result | Promise<Result> {
  const { handler, memory, control, news } = companion
  const { module } = handler.fn
  if (!module) return handler.fn(contextOf(deps, companion, record, patch, signal))
  const info = { ...attemptInfoOf(deps, record, signal), idempotencyKey: keyOf(companion) }
  const object = { resource: memory.kind.info, body: memory.body }
  const surroundings = deps.surroundings(memory, handler.scope)
  const job = jobOf(handler, module, object, surroundings, info, patch(), {
    stopped: control.stopped,
    live: { current: () => memory.body, changes: news?.listen ?? (() => () => {}) },
    grace: handler.activity === 'daemon' ? handler.cancellationTimeout : undefined,
  })
  return deps.threads.run(job)
}

function contextOf(
  deps: AttemptDeps,
  companion: Companion,
  record: Attempts,
  patch: () => object,
  signal: AbortSignal,
): object {
  const { client, operatorName } = deps
  const { handler, memory, control } = companion
  const { namespace } = memory.body.metadata
  const surroundings = () => deps.surroundings(memory, handler.scope)
  const context = new BackgroundContext(handler, memory, attemptInfoOf(deps, record, signal), {
    surroundings,
    stopped: () => control.stopped,
    patch,
    client: () => client.with({ fieldManager: operatorName, signal, ...(namespace !== undefined && { namespace }) }),
    idempotencyKey: () => keyOf(companion),
  })
  return BackgroundContext.withIndices(context, surroundings().indices)
}

/** A draft that is made when somebody asks for it: most daemons and timers write nothing. */
function lazyDraft(): { readonly patch: () => object; take(): ObjectChange } {
  let draft: ReturnType<typeof patchDraft> | undefined
  const patch = () => {
    draft ??= patchDraft()
    return draft.patch
  }
  return { patch, take: () => draft?.take() ?? NO_CHANGE }
}

function attemptInfoOf({ runtime }: AttemptDeps, { started: at, retries }: Attempts, signal: AbortSignal) {
  const started = new Date(at)
  return { retry: retries, started, runtime: (runtime.clock.now().getTime() - started.getTime()) / 1000, signal }
}

function keyOf({ handler, memory }: Companion): string {
  return digest([memory.uid, handler.id, handler.activity, essenceOf(memory.body, memory.kind.tracked)])
}

function runOf({ handler, memory: { body, uid } }: Companion, record: Attempts, at: Date): Run {
  return {
    handler: handler.id,
    cause: handler.activity,
    object: `${body.kind} ${formatObjectName(objectName(body))}`,
    uid,
    attempt: record.retries,
    at,
    outcome: 'running',
    error: undefined,
    result: undefined,
  }
}
