import type { Client } from '@binnacle/client'
import type { KubeObject, Logger, OwnerReference, ResourceInfo, StringMap, WatchEvent } from '@binnacle/core'
import type { EventRecorder } from '../report/recorder.ts'
import type { Diff, Essence } from './diff.ts'
import type { Env, With } from './env.ts'
import type { AdoptOptions } from './hierarchies.ts'
import type { Behaviour, ChangeFilters, Result, StateFilters } from './options.ts'
import type { Patch } from './patch.ts'
import type { Field, FieldValue } from './paths.ts'

// biome-ignore lint/suspicious/noExplicitAny: as loose as the object
type SpecOf<T> = string extends keyof T ? any : T extends { readonly spec: infer S } ? S : {}
type StatusOf<T> = string extends keyof T
  ? // biome-ignore lint/suspicious/noExplicitAny: as loose as the object
    any
  : T extends { readonly status?: infer S }
    ? Partial<NonNullable<S>>
    : {}

/** The object and its surroundings, as filters and handlers see them. Read-only; an absent stanza reads as an empty object. */
export interface ObjectView<T extends KubeObject, E extends Env> {
  readonly resource: ResourceInfo
  readonly body: T
  readonly spec: SpecOf<T>
  readonly status: StatusOf<T>
  readonly meta: T['metadata']
  readonly uid: string
  readonly name: string
  /** Undefined for objects of cluster scope. */
  readonly namespace: T['metadata']['namespace']
  readonly labels: StringMap
  readonly annotations: StringMap
  /** The memory of this object: in this process, for as long as the object is known. */
  readonly memo: E['memo']
  /** What the operator shares among all handlers. */
  readonly shared: E['shared']
  /** Writes lines that name the object. */
  readonly logger: Logger
}

/** This call of the handler. */
export interface Attempt<P> {
  /** The `param` of the declaration. */
  readonly param: P
  /** 0 at the first attempt. */
  readonly retry: number
  /** When the first attempt began. */
  readonly started: Date
  /** Seconds since `started`. */
  readonly runtime: number
  /** Aborted when the handler's `timeout` is over, or the operator must exit. */
  readonly signal: AbortSignal
  /** The same for every attempt at the same state of the same object: for calls to systems that can deduplicate. */
  readonly idempotencyKey: string
}

/** The means to act. */
export interface Acting<T extends KubeObject> {
  readonly patch: Patch<T>
  /** Acts in the object's namespace, with the operator as field manager and with `signal`. */
  readonly client: Client
  /** Posts Kubernetes events about this object. */
  readonly events: EventRecorder
  /** A copy of the object, or objects, made a child of this one: owner reference, name, namespace, labels. */
  adopt<const O extends object>(child: O, options?: AdoptOptions): O
  /** A reference to this object as an owner. */
  readonly ownerReference: OwnerReference
}

export type Reason = 'create' | 'update' | 'delete' | 'resume'
type Before<T, F> = [F] extends [never] ? Essence<T> | undefined : FieldValue<T, F> | undefined
type After<T, F> = [F] extends [never] ? Essence<T> : FieldValue<T, F> | undefined

/** The object in a change. With `field`, `old`, `new` and `diff` are about that field. */
export interface ChangeView<T extends KubeObject, E extends Env, F, Why> extends ObjectView<T, E> {
  readonly reason: Why
  /** Undefined at creation, and where the former state was too large to be kept. */
  readonly old: Why extends 'create' ? undefined : Before<T, F>
  readonly new: After<T, F>
  /** The same as `new`, under a name that can be destructured. */
  readonly current: After<T, F>
  readonly diff: Diff<T>
}
/** `Kind` says whether filters of steps may look at both sides of a change. */
export interface ChangeContext<
  T extends KubeObject,
  E extends Env,
  F,
  P,
  Why extends Reason,
  Kind extends 'change' | 'state' = 'state',
> extends ChangeView<T, E, F, Why>,
    Attempt<P>,
    Acting<T> {
  /** Declares a sub-handler with progress of its own; see `Steps`. */
  readonly step: Steps<T, E, Why, Kind>
}

/** Runs when awaited, or after the handler has returned. Resolves to the result, also when it was reached in an earlier attempt. */
export interface Step<R> extends PromiseLike<R> {
  readonly id: string
}
/**
 * `await step('volume', async () => …)`: done once for each cause, remembered on the object. A step that fails temporarily
 * ends the handler, which runs again when the step is due and passes over the steps that are done.
 */
export interface Steps<T extends KubeObject, E extends Env, Why extends Reason, Kind extends 'change' | 'state'> {
  <R extends Result>(
    id: string,
    fn: (ctx: With<ChangeContext<T, E, never, undefined, Why, Kind>, E['indices']>) => R | PromiseLike<R>,
  ): Step<R>
  <R extends Result, const F extends Field<T> = never, P = undefined>(
    id: string,
    options: Omit<Behaviour<T, P>, 'id'> &
      (Kind extends 'change'
        ? ChangeFilters<T, F, With<ChangeView<T, E, never, Why>, E['indices']>>
        : StateFilters<T, F, With<ChangeView<T, E, never, Why>, E['indices']>>),
    fn: (ctx: With<ChangeContext<T, E, F, P, Why, Kind>, E['indices']>) => R | PromiseLike<R>,
  ): Step<R>
}

/** The object in an event of the watch. */
export interface EventView<T extends KubeObject, E extends Env> extends ObjectView<T, E> {
  /** Null when the object came with a listing. */
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | null
  readonly event: Extract<WatchEvent<T>, { readonly object: T }> | { readonly type: null; readonly object: T }
}
export interface EventContext<T extends KubeObject, E extends Env, P> extends EventView<T, E>, Attempt<P>, Acting<T> {}
