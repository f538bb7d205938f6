import type { Client } from '@binnacle/client'
import { BinnacleError, type Json, type KubeObject, type LogLevel } from '@binnacle/core'
import { type Operator, partsOf } from './operator.ts'
import type { Run, Said } from './report/observer.ts'

export interface SimulateOptions {
  /** The object as it was when it was last handled. @default none: as if it were new */
  readonly old?: KubeObject
  /** Attempts that have been made before. @default 0 */
  readonly retry?: number
  /** What the handler's client does. @default one that refuses everything, since there is no cluster */
  readonly client?: Client
  /** What all handlers share. @default what the operator makes at its start */
  readonly shared?: unknown
  /** What is remembered of the object. @default what the operator makes at the first sight */
  readonly memo?: object
  /** Indices by name, of whichever content. @default empty ones */
  readonly indices?: { readonly [name: string]: unknown }
}

/** A line that a handler has logged. */
export interface SimulatedLog {
  readonly level: Exclude<LogLevel, 'silent'>
  readonly message: string
  readonly fields: object
}

/** What became of one call of a handler. */
export interface Simulated {
  readonly outcome: Run['outcome']
  readonly error: unknown
  readonly result: Json | undefined
  /** What the handler has put into its patch, with its result in the status; edits by functions are in `after` only. */
  readonly patch: object
  /** The object as it would be when that has been written. */
  readonly after: KubeObject
  readonly events: readonly Said[]
  readonly logs: readonly SimulatedLog[]
}

/**
 * Calls one handler by itself, without a cluster: for unit tests.
 * Guarantees: the handler gets the context that it would get in a run, with empty indices unless others are given; filters are not asked;
 * nothing is written anywhere. A daemon is told to stop when it waits for the first time.
 */
export async function simulate(
  // biome-ignore lint/suspicious/noExplicitAny: an operator of whichever environment
  operator: Operator<any>,
  handler: string,
  object: KubeObject,
  options: SimulateOptions = {},
): Promise<Simulated> {
  const parts = partsOf(operator)
  const { registry } = parts
  const named = ({ id }: { readonly id: string }) => id === handler
  const changes = registry.changes.filter(named)
  const change = changes.find(({ reason }) => reason === (options.old ? 'update' : 'create')) ?? changes[0]
  const event = registry.events.find(named)
  const background = registry.background.find(named)
  if (!change && !event && !background) throw unknown(operator, handler)
  const { callOnce, Rehearsal } = await import('./at-work.ts')
  const rehearsal = await Rehearsal.of(parts, object, options)
  if (change) return rehearsal.change(change)
  if (event) return rehearsal.event(event)
  return rehearsal.done(await callOnce(background as NonNullable<typeof background>, object, rehearsal))
}

function unknown(operator: Operator, handler: string): BinnacleError {
  const ids = operator.describe().handlers.map(({ id }) => id)
  return new BinnacleError('BIN_STATE', {
    message: `Operator "${operator.name}" has no handler "${handler}"`,
    hint: `It has: ${ids.join(', ') || 'none'}.`,
  })
}
