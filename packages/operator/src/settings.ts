import { BinnacleError, type Duration, exponential, type LogLevel, messageOf, seconds } from '@binnacle/core'
import type { Backoff } from './declare/options.ts'
import { annotationsDiffBase } from './progress/last-handled.ts'
import type { DiffBaseStorage, ProgressStorage, SizeLimits } from './progress/storage.ts'
import { annotationsProgress } from './progress/store.ts'
import { checkLifecycle, type Lifecycle } from './select/lifecycle.ts'

/** Everything that can be tuned, checked at the start. Give parts of it to `operator` or `run`. */
export interface Settings {
  readonly process: {
    /** Time for handlers in flight at exit; after it their `signal` aborts. @default '5s' */
    readonly exitGrace: Duration
    /** Time for cleanup handlers at exit; after it they are abandoned. Null for as long as they take. @default '10m' */
    readonly ultimateExitingTimeout: Duration | null
  }
  readonly posting: {
    /** Post Kubernetes events. @default true */
    readonly enabled: boolean
    /** The least that is posted of `events.info`, `events.warn`, `events.exception`, and of log lines. @default 'info' */
    readonly level: LogLevel
    /** Post what handlers log about an object as events about it, too. @default false */
    readonly loggers: boolean
    /** Who posts them. @default the operator's name */
    readonly reportingComponent: string | null
    /** Which of its processes. @default the name of the host */
    readonly reportingInstance: string | null
    /** What the names of events begin with. @default the name of the object and a dot */
    readonly eventNamePrefix: string | null
  }
  readonly execution: {
    /** The wait after an error that says nothing about it. @default '60s' */
    readonly defaultBackoff: Backoff
    /** Which of the handlers, or of the steps within one, that are due run in one cycle. @default 'allAtOnce' */
    readonly lifecycle: Lifecycle
    /** Threads for worker handlers, made when they are needed. A daemon keeps one for its whole life. @default 8 */
    readonly maxWorkers: number
  }
  /** Of the client that the operator makes for itself; one that is given to `run` has its own. Read before startup handlers run. */
  readonly networking: {
    /** Deadline of a request, retries included. @default '60s' */
    readonly requestTimeout: Duration
    /** How long a connection may take to be made. @default '10s' */
    readonly connectTimeout: Duration
    /** Waits between the attempts of a request that may be repeated. @default 0.2, 0.5, 1, 2, 4 s */
    readonly errorBackoffs: readonly Duration[]
    /** Wait exactly as long as Retry-After says, and not at least as long. @default false */
    readonly enforceRetryAfter: boolean
  }
  readonly watching: {
    /** Silence after which a stream counts as dead. @default '70s' */
    readonly inactivityTimeout: Duration
    /** The server is asked to end a watch after this, or up to twice this, so that not all end at once. From '5m' on. @default '5m' */
    readonly serverTimeout: Duration | null
    /** The first wait after a watch has failed; it grows from there. @default '800ms' */
    readonly reconnectBackoff: Duration
    /** Ask for streamed initial lists where the server can. @default true */
    readonly watchList: boolean
    /** Objects in one page of a list that is not streamed. @default 500 */
    readonly pageSize: number
    /** Keep `metadata.managedFields` in memory; of the operator's own client, as `networking`. @default false */
    readonly managedFields: boolean
    /** Have the server leave out what the filters of all handlers and indices of a kind exclude. @default true */
    readonly serverSideFilters: boolean
  }
  readonly scanning: {
    /** Do not watch for kinds and namespaces that come and go: what is declared must be there at the start. @default false */
    readonly disabled: boolean
  }
  readonly queueing: {
    /** Objects handled at the same time, over all kinds. @default 100 */
    readonly workerLimit: number
    /**
     * Objects of one kind handled at the same time: one number for each of them, or numbers by `plural.group`, with `*` for all others.
     * Null for no limit but that of all kinds. @default null
     */
    readonly workerLimitPerKind: number | { readonly [kind: string]: number } | null
    /** Waits after errors outside of handlers; the last one repeats. @default 1 s to 610 s, growing */
    readonly errorDelays: readonly Duration[]
  }
  readonly background: {
    /** How often to say that a daemon or timer has not ended, where nothing else limits it. @default '60s' */
    readonly cancellationPolling: Duration
  }
  readonly persistence: {
    /** @default derived from the operator's name */
    readonly finalizer: string | null
    /** Where the progress of handlers is kept. @default annotations named after the operator */
    readonly progressStorage: ProgressStorage
    /** Where the last-handled state is kept. @default an annotation named after the operator */
    readonly diffbaseStorage: DiffBaseStorage
    /** Bytes after which the last-handled state is kept compressed, and after which as a digest. @default 16 KiB and 64 KiB */
    readonly sizeLimits: SizeLimits
    /** How long our own write may take to come back through the watch. @default '5s' */
    readonly consistencyTimeout: Duration
  }
}

export type SettingsInput = { readonly [S in keyof Settings]?: { readonly [K in keyof Settings[S]]?: Settings[S][K] } }

const DEFAULTS: Settings = {
  process: { exitGrace: '5s', ultimateExitingTimeout: '10m' },
  posting: {
    enabled: true,
    level: 'info',
    loggers: false,
    reportingComponent: null,
    reportingInstance: null,
    eventNamePrefix: null,
  },
  execution: { defaultBackoff: '60s', lifecycle: 'allAtOnce', maxWorkers: 8 },
  networking: {
    requestTimeout: '60s',
    connectTimeout: '10s',
    errorBackoffs: [0.2, 0.5, 1, 2, 4],
    enforceRetryAfter: false,
  },
  watching: {
    inactivityTimeout: '70s',
    serverTimeout: null,
    reconnectBackoff: '800ms',
    watchList: true,
    pageSize: 500,
    managedFields: false,
    serverSideFilters: true,
  },
  scanning: { disabled: false },
  queueing: {
    workerLimit: 100,
    workerLimitPerKind: null,
    errorDelays: [1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610],
  },
  background: { cancellationPolling: '60s' },
  persistence: {
    finalizer: null,
    progressStorage: annotationsProgress(),
    diffbaseStorage: annotationsDiffBase(),
    sizeLimits: { compress: 16 * 1024, digest: 64 * 1024 },
    consistencyTimeout: '5s',
  },
}

/** Between two tries at one write. */
export const WRITE_BACKOFF = exponential({ initial: '200ms', max: '5s', jitter: 0.5 })
/** Refusals of one write before the cycle is given up and begun anew. */
export const WRITE_TRIES = 8

/**
 * The settings of a run: the later ones win over the earlier ones, member by member.
 * Guarantees: refused whole if one of them cannot be, or is not known; what is returned does not change any more.
 */
export function settingsOf(...inputs: readonly (SettingsInput | undefined)[]): Settings {
  const settings = openCopy(inputs.reduce<Settings>((sum, input) => merged(sum, input ?? {}), DEFAULTS))
  check('process.ultimateExitingTimeout', () => seconds(settings.process.ultimateExitingTimeout ?? 0))
  check('process.exitGrace', () => seconds(settings.process.exitGrace))
  check('execution.defaultBackoff', () => constant(settings.execution.defaultBackoff))
  check('execution.lifecycle', () => checkLifecycle(settings.execution.lifecycle))
  check('posting.level', () => checkLevel(settings.posting.level))
  check('posting.eventNamePrefix', () => checkNamePrefix(settings.posting.eventNamePrefix))
  checkNetworking(settings)
  check('execution.maxWorkers', () => wholeAndPositive(settings.execution.maxWorkers))
  check('watching.inactivityTimeout', () => seconds(settings.watching.inactivityTimeout))
  check('persistence.consistencyTimeout', () => seconds(settings.persistence.consistencyTimeout))
  check('persistence.sizeLimits.compress', () => wholeAndPositive(settings.persistence.sizeLimits.compress))
  check('persistence.sizeLimits.digest', () => wholeAndPositive(settings.persistence.sizeLimits.digest))
  check('background.cancellationPolling', () => positive(seconds(settings.background.cancellationPolling)))
  check('queueing.errorDelays', () => nonEmpty(settings.queueing.errorDelays).map(seconds))
  check('queueing.workerLimit', () => wholeAndPositive(settings.queueing.workerLimit))
  check('queueing.workerLimitPerKind', () => limitsByKind(settings.queueing.workerLimitPerKind))
  return frozen(settings)
}

function checkNetworking({ networking, watching }: Settings): void {
  check('networking.requestTimeout', () => positive(seconds(networking.requestTimeout)))
  check('networking.connectTimeout', () => positive(seconds(networking.connectTimeout)))
  check('networking.errorBackoffs', () => networking.errorBackoffs.map(seconds))
  check('watching.serverTimeout', () => longEnough(seconds(watching.serverTimeout ?? '5m')))
  check('watching.reconnectBackoff', () => positive(seconds(watching.reconnectBackoff)))
  check('watching.pageSize', () => wholeAndPositive(watching.pageSize))
}

/** How many objects of a kind may be handled at the same time, by the name of the kind. */
export function kindLimitOf({
  workerLimit,
  workerLimitPerKind: limits,
}: Settings['queueing']): (kind: string) => number {
  if (limits === null) return () => workerLimit
  const byKind = typeof limits === 'number' ? new Map([['*', limits]]) : new Map(Object.entries(limits))
  return (kind) => byKind.get(kind) ?? byKind.get('*') ?? workerLimit
}

/** A copy that startup handlers may change, section by section. */
export function openCopy(settings: Settings): Settings {
  const sections = Object.entries(settings).map(([name, section]) => [name, { ...section }])
  return Object.seal(Object.fromEntries(sections)) as Settings
}

function merged(settings: Settings, input: SettingsInput): Settings {
  const sum: { [section: string]: object } = { ...settings }
  for (const [section, given] of Object.entries(input)) {
    if (!Object.hasOwn(DEFAULTS, section)) throw unknown(section, Object.keys(DEFAULTS))
    const known = Object.keys(DEFAULTS[section as keyof Settings])
    for (const name of Object.keys(given ?? {})) if (!known.includes(name)) throw unknown(`${section}.${name}`, known)
    sum[section] = { ...sum[section], ...defined(given ?? {}) }
  }
  return sum as unknown as Settings
}

/** A setting that is given as undefined is not given. */
function defined(section: object): object {
  return Object.fromEntries(Object.entries(section).filter(([, value]) => value !== undefined))
}

function frozen(settings: Settings): Settings {
  for (const section of Object.values(settings)) Object.freeze(section)
  return Object.freeze(settings)
}

function check(name: string, evaluate: () => unknown): void {
  try {
    evaluate()
  } catch (error) {
    throw new BinnacleError('BIN_SETTINGS', { message: `Setting ${name}: ${messageOf(error)}`, cause: error })
  }
}

/** A policy or a function speaks for itself when it is asked. */
function constant(backoff: Backoff): void {
  if (typeof backoff === 'string' || typeof backoff === 'number') seconds(backoff)
}

function nonEmpty<T>(list: readonly T[]): readonly T[] {
  if (list.length === 0) throw new RangeError('an empty list says nothing')
  return list
}

function positive(length: number): void {
  if (length <= 0) throw new RangeError('it must be longer than no time')
}

/** Shorter watches are no safer, and each costs the server a new one; a line that has died is noticed by its silence. */
function longEnough(length: number): void {
  if (length < 300)
    throw new RangeError('a watch lasts 5 minutes at least; see watching.inactivityTimeout for lines that die')
}

function wholeAndPositive(value: number): void {
  if (!Number.isInteger(value) || value < 1) throw new RangeError(`${value} is not a whole number from 1 on`)
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent']

function checkLevel(level: LogLevel): void {
  if (!LEVELS.includes(level)) throw new RangeError(`${JSON.stringify(level)} is none of ${LEVELS.join(', ')}`)
}

/** The rest of the name is made of letters and digits. */
function checkNamePrefix(prefix: string | null): void {
  if (prefix === null || /^[a-z0-9]([a-z0-9.-]{0,200})?$/.test(prefix)) return
  throw new RangeError(
    `${JSON.stringify(prefix)} cannot be the beginning of a name: small letters, digits, dots, dashes`,
  )
}

function limitsByKind(limits: Settings['queueing']['workerLimitPerKind']): void {
  for (const limit of typeof limits === 'number' ? [limits] : Object.values(limits ?? {})) wholeAndPositive(limit)
}

function unknown(name: string, known: readonly string[]): BinnacleError {
  return new BinnacleError('BIN_SETTINGS', {
    message: `There are no settings "${name}"`,
    hint: `There are ${known.join(', ')}.`,
  })
}
