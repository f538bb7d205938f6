import { BinnacleError, type Duration, exponential, messageOf, seconds } from '@binnacle/core'
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
    /** Who posts them. @default the operator's name */
    readonly reportingComponent: string | null
    /** Which of its processes. @default the name of the host */
    readonly reportingInstance: string | null
  }
  readonly execution: {
    /** The wait after an error that says nothing about it. @default '60s' */
    readonly defaultBackoff: Backoff
    /** Which of the handlers, or of the steps within one, that are due run in one cycle. @default 'allAtOnce' */
    readonly lifecycle: Lifecycle
    /** Threads for worker handlers, made when they are needed. A daemon keeps one for its whole life. @default 8 */
    readonly maxWorkers: number
  }
  readonly watching: {
    /** Silence after which a stream counts as dead. @default '70s' */
    readonly inactivityTimeout: Duration
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
  posting: { enabled: true, reportingComponent: null, reportingInstance: null },
  execution: { defaultBackoff: '60s', lifecycle: 'allAtOnce', maxWorkers: 8 },
  watching: { inactivityTimeout: '70s', serverSideFilters: true },
  scanning: { disabled: false },
  queueing: { workerLimit: 100, errorDelays: [1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610] },
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
/** Tries at one write before the cycle is given up and begun anew. */
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
  check('execution.maxWorkers', () => wholeAndPositive(settings.execution.maxWorkers))
  check('watching.inactivityTimeout', () => seconds(settings.watching.inactivityTimeout))
  check('persistence.consistencyTimeout', () => seconds(settings.persistence.consistencyTimeout))
  check('persistence.sizeLimits.compress', () => wholeAndPositive(settings.persistence.sizeLimits.compress))
  check('persistence.sizeLimits.digest', () => wholeAndPositive(settings.persistence.sizeLimits.digest))
  check('background.cancellationPolling', () => positive(seconds(settings.background.cancellationPolling)))
  check('queueing.errorDelays', () => nonEmpty(settings.queueing.errorDelays).map(seconds))
  check('queueing.workerLimit', () => wholeAndPositive(settings.queueing.workerLimit))
  return frozen(settings)
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

function wholeAndPositive(value: number): void {
  if (!Number.isInteger(value) || value < 1) throw new RangeError(`${value} is not a whole number from 1 on`)
}

function unknown(name: string, known: readonly string[]): BinnacleError {
  return new BinnacleError('BIN_SETTINGS', {
    message: `There are no settings "${name}"`,
    hint: `There are ${known.join(', ')}.`,
  })
}
