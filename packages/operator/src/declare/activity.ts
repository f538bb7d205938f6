// biome-ignore-all lint/suspicious/noConfusingVoidType: a function that returns nothing may be given where a result may be
import type { Client } from '@binnacle/client'
import type { Logger } from '@binnacle/core'
import type { Attempt } from './context.ts'
import { DeclarationError } from './declaration-error.ts'
import type { Env } from './env.ts'
import { type Declaration, type DeclaredOptions, type Handler, limitsOf } from './handler.ts'
import type { Behaviour } from './options.ts'

/** What an operator does about itself, and not about an object. */
export type Activity = 'startup' | 'cleanup' | 'login' | 'probe'

/** Startup, cleanup and probe. Indices are there, but may be empty. */
export interface ActivityContext<E extends Env, P, S> extends Attempt<P> {
  readonly activity: Activity
  readonly settings: S
  readonly shared: E['shared']
  readonly logger: Logger
  readonly client: Client
}

/** A login comes before the client, which waits for it. */
export type LoginContext<E extends Env, P, S> = Omit<ActivityContext<E, P, S>, 'client'>

/** How an activity is known and how it fails. */
export type ActivityOptions<P> = Omit<Behaviour<never, P>, 'result'>

/** An activity as data. */
export interface ActivityHandler
  extends Pick<Handler, 'id' | 'fn' | 'param' | 'errors' | 'timeout' | 'retries' | 'backoff' | 'scope'> {
  readonly activity: Activity
}

export function activityHandler(activity: Activity, args: Declaration): ActivityHandler {
  const [options, fn] = args.length > 1 ? args : [{}, args[0]]
  if (typeof fn !== 'function') throw noFunction(activity)
  const id = (options as DeclaredOptions).id ?? (fn.name || activity)
  const limits = limitsOf(options as DeclaredOptions, id)
  return { id, activity, fn: fn as ActivityHandler['fn'], scope: undefined, ...limits }
}

function noFunction(activity: Activity): DeclarationError {
  return new DeclarationError({
    message: `The ${activity} handler is not a function`,
    hint: 'Declare it as ([options], handler): it is about the operator, so it names no resource.',
    fix: `op.on.${activity}(({ logger }) => { … })`,
  })
}
