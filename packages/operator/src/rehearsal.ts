import type { Client } from '@binnacle/client'
import {
  BinnacleError,
  diff,
  type KubeObject,
  type Logger,
  type ResourceInfo,
  resource,
  runtimeOf,
  systemClock,
} from '@binnacle/core'
import { digest } from './cause/digest.ts'
import { essenceOf } from './cause/essence.ts'
import type { Reason } from './declare/context.ts'
import type { ChangeHandler, EventHandler, HandlerFilters } from './declare/handler.ts'
import { viewsWithin } from './declare/scope.ts'
import { emptyIndices } from './index/readable-index.ts'
import { changed, type ObjectChange } from './outcome/patch.ts'
import type { Progress } from './progress/progress.ts'
import { ProgressRecords } from './progress/records.ts'
import type { Run, Said } from './report/observer.ts'
import { type Remark, recorderOf, saidIn } from './report/recorder.ts'
import { reportingTo } from './report/reporter.ts'
import type { RunDeps } from './run/attempt.ts'
import { changeView } from './run/context.ts'
import type { Look, SurroundingsOf } from './run/look.ts'
import { runHandlers } from './run/run-handlers.ts'
import { tellEvents } from './run/watch-events.ts'
import type { OperatorParts } from './run-parts.ts'
import { settingsOf } from './settings.ts'
import type { Simulated, SimulatedLog, SimulateOptions } from './simulate.ts'

const NO_FILTERS: HandlerFilters = {
  ...{ labels: [], annotations: [], field: undefined, value: undefined },
  ...{ old: undefined, new: undefined, when: undefined },
}

/** What is written down while a handler is called by itself. */
interface Notes {
  readonly events: Said[]
  readonly logs: SimulatedLog[]
  run: Run | undefined
}

/** All that a handler needs to be called, and no cluster. */
export class Rehearsal {
  readonly deps: RunDeps
  readonly surroundings: SurroundingsOf
  readonly retry: number
  readonly #object: KubeObject
  readonly #old: KubeObject | undefined
  readonly #notes: Notes

  private constructor(
    deps: RunDeps,
    surroundings: SurroundingsOf,
    object: KubeObject,
    { old, retry = 0 }: SimulateOptions,
    notes: Notes,
  ) {
    this.deps = deps
    this.surroundings = surroundings
    this.retry = retry
    this.#object = object
    this.#old = old
    this.#notes = notes
  }

  static async of(parts: OperatorParts, object: KubeObject, options: SimulateOptions): Promise<Rehearsal> {
    const notes: Notes = { events: [], logs: [], run: undefined }
    const logger = loggerInto(notes)
    const never = new AbortController().signal
    const runtime = runtimeOf({ clock: systemClock, logger })
    const { execution } = settingsOf(parts.settings)
    const deps: RunDeps = {
      ...{ runtime, client: options.client ?? noCluster(), operatorName: parts.name },
      ...{ defaultBackoff: execution.defaultBackoff, lifecycle: execution.lifecycle },
      reporter: reportingTo({
        run: (run) => {
          notes.run = run
        },
      }),
      wrote: () => {},
      threads: { run: () => Promise.reject(inThread()) },
      ...{ stopping: never, exit: never },
    }
    const shared = 'shared' in options ? options.shared : await parts.makeShared({ signal: never, logger })
    const post = (remark: Remark) => void notes.events.push(saidIn(remark, runtime.clock.now()))
    const common = { resource: infoOf(object), shared, logger, events: recorderOf(object, post) }
    return new Rehearsal(deps, surroundingsIn(parts, options, common), object, options, notes)
  }

  async change(handler: ChangeHandler): Promise<Simulated> {
    const reason: Reason = handler.reason === 'field' ? (this.#old ? 'update' : 'create') : handler.reason
    const look = lookFor(handler, reason, this.#object, this.#old, this.surroundings)
    const now = this.deps.runtime.clock.now()
    const { essence } = look.purpose
    const before: Progress = {
      ...{ started: now.toISOString(), purpose: reason, essence, retries: this.retry, success: false, failure: false },
    }
    const stored = (id: string) => (id === handler.id ? before : undefined)
    const records = new ProgressRecords([handler.id], stored, () => look.purpose, now)
    return this.done(await runHandlers(this.deps, look, [handler], records))
  }

  async event(handler: EventHandler): Promise<Simulated> {
    const told = { type: this.#old ? ('MODIFIED' as const) : ('ADDED' as const), object: this.#object }
    return this.done(await tellEvents(this.deps, [{ ...handler, filters: NO_FILTERS }], [told], this.surroundings))
  }

  done(change: ObjectChange): Simulated {
    const { run, events, logs } = this.#notes
    const { outcome = 'ignored', error, result } = run ?? {}
    return { outcome, error, result, patch: change.merge, after: changed(this.#object, change), events, logs }
  }
}

function surroundingsIn(
  { registry, makeMemo }: OperatorParts,
  options: SimulateOptions,
  common: Pick<ReturnType<SurroundingsOf>, 'resource' | 'shared' | 'logger' | 'events'>,
): SurroundingsOf {
  const empty = emptyIndices(registry.indices)
  const memos = new Map<unknown, object>()
  return (scope) => {
    const memo = options.memo ?? memos.get(scope) ?? (scope?.makeMemo ?? makeMemo)()
    memos.set(scope, memo)
    return { ...common, memo, indices: { ...viewsWithin(empty, scope?.indices ?? registry.names), ...options.indices } }
  }
}

function lookFor(
  handler: ChangeHandler,
  reason: Reason,
  body: KubeObject,
  before: KubeObject | undefined,
  surroundings: SurroundingsOf,
): Look {
  const tracked = handler.filters.field ? [handler.filters.field] : []
  const essence = essenceOf(body, tracked)
  const old = before && essenceOf(before, tracked)
  const change = { reason, old, current: essence, diff: diff(old, essence) }
  return {
    ...{ body, essence, change, surroundings, known: old !== undefined, held: reason === 'delete' },
    deleting: reason === 'delete',
    cause: reason === 'update' ? { reason, diff: change.diff, outdated: [] } : { reason },
    purpose: { reason, essence: digest(essence) },
    subject: { body, change, view: (scope) => changeView(body, surroundings(scope), change) },
  }
}

function infoOf({ apiVersion, kind, metadata }: KubeObject): ResourceInfo {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  const namespaced = metadata.namespace !== undefined
  const declared = resource({
    group: group ?? '',
    version: version ?? '',
    kind,
    scope: namespaced ? 'Namespaced' : 'Cluster',
  })
  return { ...declared, preferred: true, namespaced, verbs: [], subresources: [] }
}

function loggerInto(notes: Notes, inherited: object = {}): Logger {
  const at =
    (level: SimulatedLog['level']) =>
    (message: string | Error, fields: object = {}) => {
      notes.logs.push({ level, message: String(message), fields: { ...inherited, ...fields } })
    }
  const child = (fields: object) => loggerInto(notes, { ...inherited, ...fields })
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child }
}

/** Refuses every request, and says what to do instead. */
function noCluster(): Client {
  const refuse = (verb: PropertyKey) => () => {
    throw new BinnacleError('BIN_STATE', {
      message: `The handler called client.${String(verb)}, and simulate has no cluster`,
      hint: 'Pass a client of your own, or tell the whole story with harness, which has one.',
      fix: 'await simulate(op, handler, object, { client })',
    })
  }
  const client: Client = new Proxy({} as Client, {
    get: (_, verb) => (verb === 'with' ? () => client : verb === 'then' ? undefined : refuse(verb)),
  })
  return client
}

function inThread(): BinnacleError {
  return new BinnacleError('BIN_STATE', {
    message: 'simulate calls handlers in this thread, and this one is declared for another',
    hint: 'Call the function of the worker file by itself, or tell the whole story with harness.',
  })
}
