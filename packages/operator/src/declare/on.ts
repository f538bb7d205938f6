// biome-ignore-all lint/suspicious/noConfusingVoidType: a function that returns nothing may be given where a result may be
import type { ConnectionInfo } from '@binnacle/client'
import type { Json, ObjectOf, ResourceLikes } from '@binnacle/core'
import type { Settings } from '../settings.ts'
import {
  type Activity,
  type ActivityContext,
  type ActivityOptions,
  activityHandler,
  type LoginContext,
} from './activity.ts'
import type { ChangeContext, ChangeView, EventContext, EventView, Reason } from './context.ts'
import type { Env, With } from './env.ts'
import { type ChangeVerb, changeHandler, type Declaration, eventHandler } from './handler.ts'
import type { Behaviour, ChangeFilters, DeleteExtras, Fn, ResumeExtras, StateFilters } from './options.ts'
import type { Field } from './paths.ts'
import type { Registry } from './registry.ts'
import type { WorkerModule } from './worker.ts'

/** A handler as declared. */
export interface Declared {
  readonly id: string
}

/** A context with the indices of the operator in it. */
type In<E extends Env, C> = With<C, E['indices']>

/** What a resume handler may be called for: it joins a change or a deletion that has happened meanwhile. */
type Resumed = Exclude<Reason, 'create'>

/** Settings that may still be changed. */
export type OpenSettings = { -readonly [S in keyof Settings]: { -readonly [K in keyof Settings[S]]: Settings[S][K] } }

/** Handlers by cause. Everywhere `(resource, [options], handler)`; what is about the operator itself has no resource. */
export interface On<E extends Env> {
  /** Before anything else; the operator starts when all of them have succeeded. Settings may be changed here, and are frozen afterwards. */
  startup(fn: Fn<In<E, ActivityContext<E, undefined, OpenSettings>>, void>): Declared
  startup<P = undefined>(
    options: ActivityOptions<P>,
    fn: Fn<In<E, ActivityContext<E, P, OpenSettings>>, void>,
  ): Declared
  /** After everything else; what it throws for good is logged, and the operator ends all the same. */
  cleanup(fn: Fn<In<E, ActivityContext<E, undefined, Settings>>, void>): Declared
  cleanup<P = undefined>(options: ActivityOptions<P>, fn: Fn<In<E, ActivityContext<E, P, Settings>>, void>): Declared

  /**
   * Gets credentials: at the first request to the server, shortly before they expire, and when the server refuses them. With one declared, the
   * built-in ways are not tried. Of several, what the first gives is used first, unless another has a higher `priority`; undefined is for
   * "not I". When nobody has anything that the server was not known to refuse, the operator ends with a LoginError.
   */
  login(fn: Fn<In<E, LoginContext<E, undefined, Settings>>, ConnectionInfo | undefined>): Declared
  login<P = undefined>(
    options: ActivityOptions<P>,
    fn: Fn<In<E, LoginContext<E, P, Settings>>, ConnectionInfo | undefined>,
  ): Declared
  /** The result is shown by the health endpoint under the handler's id; one that fails makes the operator not live. Asked every ten seconds at most. */
  probe(fn: Fn<In<E, ActivityContext<E, undefined, Settings>>, Json>): Declared
  probe<P = undefined>(options: ActivityOptions<P>, fn: Fn<In<E, ActivityContext<E, P, Settings>>, Json>): Declared

  /** Every event of the watch, as it comes. Errors are logged and forgotten; nothing is stored on the object but its result. */
  event<R extends ResourceLikes>(
    resource: R,
    fn: Fn<In<E, EventContext<ObjectOf<R>, E, undefined>>> | WorkerModule,
  ): Declared
  event<R extends ResourceLikes, const F extends Field<ObjectOf<R>> = never, P = undefined>(
    resource: R,
    options: Pick<Behaviour<ObjectOf<R>, P>, 'id' | 'param' | 'result'> &
      StateFilters<ObjectOf<R>, F, In<E, EventView<ObjectOf<R>, E>>>,
    fn: Fn<In<E, EventContext<ObjectOf<R>, E, P>>> | WorkerModule,
  ): Declared

  /** The object is new to the operator. */
  create<R extends ResourceLikes>(
    resource: R,
    fn: Fn<In<E, ChangeContext<ObjectOf<R>, E, never, undefined, 'create'>>> | WorkerModule,
  ): Declared
  create<R extends ResourceLikes, const F extends Field<ObjectOf<R>> = never, P = undefined>(
    resource: R,
    options: Behaviour<ObjectOf<R>, P> &
      StateFilters<ObjectOf<R>, F, In<E, ChangeView<ObjectOf<R>, E, never, 'create'>>>,
    fn: Fn<In<E, ChangeContext<ObjectOf<R>, E, F, P, 'create'>>> | WorkerModule,
  ): Declared

  /** The operator has started and the object was there already; once for each object and process, beside other causes. */
  resume<R extends ResourceLikes>(
    resource: R,
    fn: Fn<In<E, ChangeContext<ObjectOf<R>, E, never, undefined, Resumed>>> | WorkerModule,
  ): Declared
  resume<R extends ResourceLikes, const F extends Field<ObjectOf<R>> = never, P = undefined>(
    resource: R,
    options: Behaviour<ObjectOf<R>, P> &
      StateFilters<ObjectOf<R>, F, In<E, ChangeView<ObjectOf<R>, E, never, Resumed>>> &
      ResumeExtras,
    fn: Fn<In<E, ChangeContext<ObjectOf<R>, E, F, P, Resumed>>> | WorkerModule,
  ): Declared

  /** The content of the object has changed; with `field`, that field. */
  update<R extends ResourceLikes>(
    resource: R,
    fn: Fn<In<E, ChangeContext<ObjectOf<R>, E, never, undefined, 'update', 'change'>>> | WorkerModule,
  ): Declared
  update<R extends ResourceLikes, const F extends Field<ObjectOf<R>> = never, P = undefined>(
    resource: R,
    options: Behaviour<ObjectOf<R>, P> &
      ChangeFilters<ObjectOf<R>, F, In<E, ChangeView<ObjectOf<R>, E, never, 'update'>>>,
    fn: Fn<In<E, ChangeContext<ObjectOf<R>, E, F, P, 'update', 'change'>>> | WorkerModule,
  ): Declared

  /** One field has changed, for whichever reason; at creation `old` is undefined. */
  field<R extends ResourceLikes, const F extends Field<ObjectOf<R>>, P = undefined>(
    resource: R,
    options: { readonly field: F } & Behaviour<ObjectOf<R>, P> &
      ChangeFilters<ObjectOf<R>, F, In<E, ChangeView<ObjectOf<R>, E, never, Reason>>>,
    fn: Fn<In<E, ChangeContext<ObjectOf<R>, E, F, P, Reason, 'change'>>> | WorkerModule,
  ): Declared

  /** The object is to be deleted, and waits for this handler. */
  delete<R extends ResourceLikes>(
    resource: R,
    fn: Fn<In<E, ChangeContext<ObjectOf<R>, E, never, undefined, 'delete'>>> | WorkerModule,
  ): Declared
  delete<R extends ResourceLikes, const F extends Field<ObjectOf<R>> = never, P = undefined>(
    resource: R,
    options: Behaviour<ObjectOf<R>, P> &
      StateFilters<ObjectOf<R>, F, In<E, ChangeView<ObjectOf<R>, E, never, 'delete'>>> &
      DeleteExtras,
    fn: Fn<In<E, ChangeContext<ObjectOf<R>, E, F, P, 'delete'>>> | WorkerModule,
  ): Declared
}

/** The declaration verbs of an operator, writing into its registry. */
export function declarations<E extends Env>(registry: Registry): On<E> {
  const declare =
    (verb: ChangeVerb) =>
    (resource: ResourceLikes, ...args: readonly unknown[]) => {
      const handler = changeHandler(verb, resource, args as unknown as Declaration)
      return { id: registry.add(handler).id }
    }
  const activity =
    (of: Activity) =>
    (...args: readonly unknown[]) => {
      const handler = activityHandler(of, args as unknown as Declaration)
      return { id: registry.addActivity(handler).id }
    }
  const event = (resource: ResourceLikes, ...args: readonly unknown[]) => {
    const handler = eventHandler(resource, args as unknown as Declaration)
    return { id: registry.addEvent(handler).id }
  }
  return {
    startup: activity('startup'),
    cleanup: activity('cleanup'),
    login: activity('login'),
    probe: activity('probe'),
    event,
    create: declare('create'),
    resume: declare('resume'),
    update: declare('update'),
    field: declare('field'),
    delete: declare('delete'),
  } as On<E>
}
