import {
  type Duration,
  type FieldKeys,
  type KubeObject,
  type ObjectOf,
  type ResourceLike,
  seconds,
} from '@binnacle/core'
import type { Acting, Attempt, ObjectView } from './context.ts'
import { DeclarationError } from './declaration-error.ts'
import type { Env, With } from './env.ts'
import {
  attempts,
  checkedBackoff,
  checkOneState,
  type DeclaredOptions,
  errorsMode,
  filtersOf,
  type HandlerFilters,
  idOf,
  length,
  nameOf,
  resultKeys,
} from './handler.ts'
import type { Declared } from './on.ts'
import type { Backoff, Behaviour, ErrorsMode, Fn, Result, StateFilters } from './options.ts'
import type { Field } from './paths.ts'
import type { Stopped } from './stopped.ts'

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
  daemon<R extends ResourceLike>(resource: R, fn: Fn<In<E, DaemonContext<ObjectOf<R>, E, undefined>>>): Declared
  daemon<R extends ResourceLike, const F extends Field<ObjectOf<R>> = never, P = undefined>(
    resource: R,
    options: Behaviour<ObjectOf<R>, P> &
      StateFilters<ObjectOf<R>, F, In<E, ObjectView<ObjectOf<R>, E>>> &
      DaemonExtras<In<E, ObjectView<ObjectOf<R>, E>>>,
    fn: Fn<In<E, DaemonContext<ObjectOf<R>, E, P>>>,
  ): Declared
}

/** What daemons and timers have in common, as data. */
export interface BackgroundHandler {
  readonly id: string
  readonly resource: ResourceLike
  readonly fn: (context: object) => Result | Promise<Result>
  readonly filters: HandlerFilters
  readonly param: unknown
  readonly errors: ErrorsMode
  /** Seconds since the first attempt. */
  readonly timeout: number | undefined
  readonly retries: number | undefined
  readonly backoff: Backoff | undefined
  /** Where the result goes; undefined for nowhere. */
  readonly result: FieldKeys | undefined
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

type Args = readonly [fn: unknown] | readonly [options: unknown, fn: unknown]

/**
 * Makes a daemon out of what was declared.
 * Guarantees: what it returns can run; every contradiction is a DeclarationError that names the daemon and says how to repair it.
 */
export function daemonHandler(resource: ResourceLike, args: Args): DaemonHandler {
  const [options, fn] = (args.length > 1 ? args : [{}, args[0]]) as [DaemonOptions, BackgroundHandler['fn']]
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
  resource: ResourceLike,
  options: BackgroundOptions,
  fn: BackgroundHandler['fn'],
): BackgroundHandler {
  if (typeof fn !== 'function') throw noFunction(activity, resource)
  const declared = `the ${activity} of ${nameOf(resource)}`
  checkOneState(options, declared)
  const filters = filtersOf(options, declared)
  const id = idOf(options, fn, activity, filters)
  return {
    id,
    resource,
    fn,
    filters,
    param: options.param,
    errors: errorsMode(options.errors ?? 'temporary', id),
    timeout: options.timeout === undefined ? undefined : length(options.timeout, 'timeout', id),
    retries: attempts(options.retries, id),
    backoff: checkedBackoff(options.backoff, id),
    result: resultKeys(options.result, id),
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

function noFunction(activity: 'daemon' | 'timer', resource: ResourceLike): DeclarationError {
  const fix =
    activity === 'daemon'
      ? `op.daemon('${nameOf(resource)}', async ({ stopped }) => { while (!(await stopped.wait('10s'))) … })`
      : `op.timer('${nameOf(resource)}', { interval: '10s' }, ({ patch }) => { … })`
  return new DeclarationError({
    message: `The ${activity} of ${nameOf(resource)} is not a function`,
    hint:
      activity === 'daemon'
        ? 'Declare it as (resource, [options], function).'
        : 'Declare it as (resource, options, function).',
    fix,
  })
}
