import { BinnacleError, type Duration, exponential, messageOf, seconds } from '@binnacle/core'
import type { Backoff } from './declare/options.ts'

/** Everything that can be tuned, checked at the start. Give parts of it to `operator` or `run`. */
export interface Settings {
  readonly process: {
    /** Time for handlers in flight at exit; after it their `signal` aborts. @default '5s' */
    readonly exitGrace: Duration
  }
  readonly execution: {
    /** @default '60s' */
    readonly defaultBackoff: Backoff
  }
  readonly watching: {
    /** The server ends a watch after about this time, and it is opened again. @default '5m' to '10m', at random */
    readonly serverTimeout: Duration | null
    /** Silence after which a stream counts as dead. @default '70s' */
    readonly inactivityTimeout: Duration
  }
  readonly queueing: {
    /** Objects handled at the same time, over all kinds. @default 100 */
    readonly workerLimit: number
    /** Waits after errors outside of handlers; the last one repeats. @default 1 s to 610 s, growing */
    readonly errorDelays: readonly Duration[]
  }
  readonly persistence: {
    /** @default derived from the operator's name */
    readonly finalizer: string | null
    /** How long our own write may take to come back through the watch. @default '5s' */
    readonly consistencyTimeout: Duration
  }
}

export type SettingsInput = { readonly [S in keyof Settings]?: { readonly [K in keyof Settings[S]]?: Settings[S][K] } }

const DEFAULTS: Settings = {
  process: { exitGrace: '5s' },
  execution: { defaultBackoff: '60s' },
  watching: { serverTimeout: null, inactivityTimeout: '70s' },
  queueing: { workerLimit: 100, errorDelays: [1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610] },
  persistence: { finalizer: null, consistencyTimeout: '5s' },
}

/** Between two tries at one write. */
export const WRITE_BACKOFF = exponential({ initial: '200ms', max: '5s', jitter: 0.5 })
/** Tries at one write before the cycle is given up and begun anew. */
export const WRITE_TRIES = 8

/** The settings of a run: the later ones win over the earlier ones, member by member. Refused whole if one of them cannot be. */
export function settingsOf(...inputs: readonly (SettingsInput | undefined)[]): Settings {
  const settings = inputs.reduce<Settings>((sum, input) => merged(sum, input ?? {}), DEFAULTS)
  check('process.exitGrace', () => seconds(settings.process.exitGrace))
  check('execution.defaultBackoff', () => constant(settings.execution.defaultBackoff))
  check('watching.inactivityTimeout', () => seconds(settings.watching.inactivityTimeout))
  check('watching.serverTimeout', () => seconds(settings.watching.serverTimeout ?? 0))
  check('persistence.consistencyTimeout', () => seconds(settings.persistence.consistencyTimeout))
  check('queueing.errorDelays', () => nonEmpty(settings.queueing.errorDelays).map(seconds))
  check('queueing.workerLimit', () => wholeAndPositive(settings.queueing.workerLimit))
  return settings
}

function merged(settings: Settings, input: SettingsInput): Settings {
  for (const section of Object.keys(input)) if (!(section in DEFAULTS)) throw unknown(section)
  return {
    process: { ...settings.process, ...input.process },
    execution: { ...settings.execution, ...input.execution },
    watching: { ...settings.watching, ...input.watching },
    queueing: { ...settings.queueing, ...input.queueing },
    persistence: { ...settings.persistence, ...input.persistence },
  }
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

function wholeAndPositive(value: number): void {
  if (!Number.isInteger(value) || value < 1) throw new RangeError(`${value} is not a whole number from 1 on`)
}

function unknown(section: string): BinnacleError {
  return new BinnacleError('BIN_SETTINGS', {
    message: `There are no settings "${section}"`,
    hint: `The sections are ${Object.keys(DEFAULTS).join(', ')}.`,
  })
}
