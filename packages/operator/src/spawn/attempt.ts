import type { Client } from '@binnacle/client'
import { combineMergePatch, type Logger, messageOf, type Runtime } from '@binnacle/core'
import type { DaemonHandler } from '../declare/daemon.ts'
import type { Backoff } from '../declare/options.ts'
import type { Scope } from '../declare/scope.ts'
import type { TimerHandler } from '../declare/timer.ts'
import type { ObjectMemory } from '../object-memory.ts'
import type { ApplyDeps } from '../outcome/apply.ts'
import { runningEdit } from '../outcome/conditions.ts'
import { type Edit, isEmptyChange, type ObjectChange } from '../outcome/patch.ts'
import { resultPatch } from '../outcome/results.ts'
import type { Attempts } from '../progress/progress.ts'
import type { Reporter } from '../report/reporter.ts'
import type { Surroundings } from '../run/context.ts'
import type { Attempted } from '../run/execute.ts'
import type { Threads } from '../worker/job.ts'
import type { AlarmClock } from './alarm-clock.ts'
import { Call } from './call.ts'
import { deliver } from './deliver.ts'
import type { News } from './news.ts'
import type { StopControl } from './stop-control.ts'
import { nameOfCompanion, tell } from './tell.ts'

const NOTHING: readonly never[] = []

export type SpawnHandler = DaemonHandler | TimerHandler

/** What daemons and timers need of the operator. */
export interface AttemptDeps {
  readonly runtime: Runtime
  readonly client: Client
  readonly operatorName: string
  readonly defaultBackoff: Backoff
  readonly reporter: Reporter
  readonly alarms: AlarmClock
  readonly surroundings: (memory: ObjectMemory, scope: Scope | undefined) => Surroundings
  /** The logger of the object; undefined where nobody would see a line of this level. */
  readonly loggerAt: (
    level: 'debug' | 'warn' | 'error',
    memory: ObjectMemory,
    scope: Scope | undefined,
  ) => Logger | undefined
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
export interface Companion {
  readonly handler: SpawnHandler
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
export function attempt(deps: AttemptDeps, companion: Companion, record: Attempts): Promise<Attempted> {
  const call = new Call(deps, companion, record)
  deps.reporter.begun(call)
  const recovered = record.retries === 0 ? conditionOf(deps, companion, undefined) : NOTHING
  const made =
    recovered.length === 0
      ? call.made()
      : deliver(deps, companion, { merge: {}, edits: recovered }).then(() => call.made())
  // A daemon rests here for all its life, and there is one for each object: what is to be done after it weighs less than a frame that waits.
  return made.then((attempted) => conclude(deps, companion, call, attempted))
}

/** When the function has returned, or has been given up. */
function conclude(
  deps: AttemptDeps,
  companion: Companion,
  call: Call,
  attempted: Attempted,
): Attempted | Promise<Attempted> {
  tell(deps, companion, attempted)
  deps.reporter.ended(call, attempted)
  if (attempted.outcome === 'success') return finish(deps, companion, call, attempted)
  return call.ended.then(() => finish(deps, companion, call, attempted))
}

/** When the function has really ended. */
function finish(
  deps: AttemptDeps,
  companion: Companion,
  call: Call,
  attempted: Attempted,
): Attempted | Promise<Attempted> {
  const { control } = companion
  control.endCall()
  if (control.stage === 'abandoned') return attempted
  const change = changeBy(deps, companion, call, attempted)
  return isEmptyChange(change) ? attempted : deliver(deps, companion, change).then(() => attempted)
}

/** What is to be written after a call. */
function changeBy(deps: AttemptDeps, companion: Companion, call: Call, attempted: Attempted): ObjectChange {
  const result = resultPatch(attempted.result, companion.handler.result)
  if (result) combineMergePatch(call.patch(), result)
  const written = call.written()
  const trace = visibleTrace(deps, companion, attempted)
  return trace.length === 0 ? written : { ...written, edits: [...written.edits, ...trace] }
}

/** A failure for good is visible to whoever looks at the object: by an event always, by a condition where the schema has room for it. */
function visibleTrace(deps: AttemptDeps, companion: Companion, attempted: Attempted): readonly Edit[] {
  const { handler, memory, control } = companion
  if (attempted.outcome !== 'permanent' || control.isStopped) return NOTHING
  const failure = messageOf(attempted.error)
  const { events } = deps.surroundings(memory, handler.scope)
  events.warn('HandlerFailed', `${nameOfCompanion(companion)} failed for good: ${failure}`)
  return conditionOf(deps, companion, failure)
}

/** That it has failed, or, without a failure, that it runs again where it is said to have failed. */
function conditionOf(deps: AttemptDeps, { handler, memory }: Companion, failure: string | undefined): readonly Edit[] {
  const type = deps.condition(memory)
  if (type === undefined || memory.body.metadata.deletionTimestamp !== undefined) return NOTHING
  const edit = runningEdit(type, memory.body, handler.id, failure, deps.runtime.clock.now())
  return edit ? [edit] : NOTHING
}
