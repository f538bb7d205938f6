import { type Duration, type KubeObject, type ObjectOf, type ResourceLikes, seconds } from '@binnacle/core'
import type { Acting, Attempt, ObjectView } from './context.ts'
import { DeclarationError } from './declaration-error.ts'
import type { Env, With } from './env.ts'
import {
  checkOneState,
  type Declaration,
  type DeclaredOptions,
  filtersOf,
  type Handler,
  handlerOf,
  idOf,
  length,
  nameOf,
  optionsAndFunction,
} from './handler.ts'
import type { Declared } from './on.ts'
import type { Behaviour, Fn, StateFilters } from './options.ts'
import type { Field } from './paths.ts'
import type { Stopped } from './stopped.ts'
import type { WorkerModule } from './worker.ts'

type In<E extends Env, C> = With<C, E['indices']>

/** A length of time, or how to tell it from the object. */
export type Delay<View> = Duration | ((ctx: View) => Duration)

/** When a daemon begins, and how it ends. */
export interface DaemonExtras<View> {
  /** Time between the first sight of the object and the first call. @default none */
  readonly initialDelay?: Delay<View>
  /** How long to wait after `stopped` before using force. @default no time */
  readonly cancellationBackoff?: Duration
  /** How long to wait after force before giving the daemon up. @default no force, and the object waits for ever */
  readonly cancellationTimeout?: Duration
  /** How often to say that a daemon has not ended, where nothing else limits it. @default `settings.background.cancellationPolling` */
  readonly cancellationPolling?: Duration
  /** `false`: the object may vanish under the daemon, which is then stopped. @default true */
  readonly finalizer?: boolean
}

/**
 * What daemons and timers get: `body`, `spec`, `status`, `meta`, `labels` and `annotations` are live views, which follow the object also
 * after they have been destructured. A field that is copied out of them is a copy.
 */
export interface DaemonContext<T extends KubeObject, E extends Env, P> extends ObjectView<T, E>, Attempt<P>, Acting<T> {
  readonly stopped: Stopped
}

export interface DaemonVerb<E extends Env> {
  /**
   * A function that accompanies each object for as long as it exists and matches.
   * Guarantees: one run for each object and id in this process; `stopped` aborts before the object is let go.
   * Assumes: `fn` returns soon after `stopped` aborts. If not within `cancellationTimeout`, it is abandoned: the object goes, a warning stays.
   * @example op.daemon(Database, async function ping({ spec, stopped }) {
   *   for await (const _ of stopped.every('10s')) await check(spec.host, { signal: stopped })
   * })
   */
  daemon<R extends ResourceLikes>(
    resource: R,
    fn: Fn<In<E, DaemonContext<ObjectOf<R>, E, undefined>>> | WorkerModule,
  ): Declared
  daemon<R extends ResourceLikes, const F extends Field<ObjectOf<R>> = never, P = undefined>(
    resource: R,
    options: Behaviour<ObjectOf<R>, P> &
      StateFilters<ObjectOf<R>, F, In<E, ObjectView<ObjectOf<R>, E>>> &
      DaemonExtras<In<E, ObjectView<ObjectOf<R>, E>>>,
    fn: Fn<In<E, DaemonContext<ObjectOf<R>, E, P>>> | WorkerModule,
  ): Declared
}

/** What daemons and timers have in common, as data. */
export interface BackgroundHandler extends Handler {
  /** Seconds before the first call, or how to tell them. */
  readonly initialDelay: number | ((view: object) => number)
  /** The object is held back until it has ended. */
  readonly finalizer: boolean
}

/** A daemon as data. Times are in seconds. */
export interface DaemonHandler extends BackgroundHandler {
  readonly activity: 'daemon'
  readonly cancellationBackoff: number | undefined
  readonly cancellationTimeout: number | undefined
  readonly cancellationPolling: number | undefined
}

/** The options of daemons and timers, before anything is checked. */
export interface BackgroundOptions extends DeclaredOptions {
  readonly initialDelay?: Delay<object>
  readonly finalizer?: boolean
}

interface DaemonOptions extends BackgroundOptions {
  readonly cancellationBackoff?: Duration
  readonly cancellationTimeout?: Duration
  readonly cancellationPolling?: Duration
}

/**
 * Makes a daemon out of what was declared.
 * Guarantees: what it returns can run; every contradiction is a DeclarationError that names the daemon and says how to repair it.
 */
export function daemonHandler(resource: ResourceLikes, args: Declaration): DaemonHandler {
  const [options, fn] = optionsAndFunction('daemon', resource, args) as [DaemonOptions, Handler['fn']]
  const common = backgroundHandler('daemon', resource, options, fn)
  const optional = (name: 'cancellationBackoff' | 'cancellationTimeout' | 'cancellationPolling') => {
    const given = options[name]
    return given === undefined ? undefined : length(given, name, common.id)
  }
  const polling = optional('cancellationPolling')
  if (polling === 0) throw busyPolling(common.id)
  return {
    ...common,
    activity: 'daemon',
    cancellationBackoff: optional('cancellationBackoff'),
    cancellationTimeout: optional('cancellationTimeout'),
    cancellationPolling: polling,
  }
}

export function backgroundHandler(
  activity: 'daemon' | 'timer',
  resource: ResourceLikes,
  options: BackgroundOptions,
  fn: Handler['fn'],
): BackgroundHandler {
  const declared = `the ${activity} of ${nameOf(resource)}`
  checkOneState(options, declared)
  const filters = filtersOf(options, declared)
  const id = idOf(options, fn, activity, filters)
  return {
    ...handlerOf(id, resource, options, fn, filters),
    initialDelay: delayOf(options.initialDelay, id),
    finalizer: options.finalizer ?? true,
  }
}

function delayOf(delay: Delay<object> | undefined, id: string): BackgroundHandler['initialDelay'] {
  if (typeof delay === 'function') return (view) => seconds(delay(view))
  return delay === undefined ? 0 : length(delay, 'initialDelay', id)
}

function busyPolling(id: string): DeclarationError {
  return new DeclarationError({
    message: `Handler "${id}" has a cancellationPolling of no time`,
    hint: 'It says how often the log tells that the daemon has not ended yet. Give it a length, or leave it out.',
  })
}
