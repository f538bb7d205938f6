import type { ObjectOf, ResourceLike } from '@binnacle/core'
import type { ChangeContext, ChangeView, Reason } from './context.ts'
import type { Env, With } from './env.ts'
import { changeHandler } from './handler.ts'
import type { Behaviour, ChangeFilters, DeleteExtras, Fn, StateFilters } from './options.ts'
import type { Field } from './paths.ts'
import type { Registry } from './registry.ts'

/** A handler as declared. */
export interface Declared {
  readonly id: string
}

/** A context with the indices of the operator in it. */
type In<E extends Env, C> = With<C, E['indices']>

/** Handlers by cause. Everywhere `(resource, [options], handler)`. */
export interface On<E extends Env> {
  /** The object is new to the operator. */
  create<R extends ResourceLike>(
    resource: R,
    fn: Fn<In<E, ChangeContext<ObjectOf<R>, E, never, undefined, 'create'>>>,
  ): Declared
  create<R extends ResourceLike, const F extends Field<ObjectOf<R>> = never, P = undefined>(
    resource: R,
    options: Behaviour<ObjectOf<R>, P> &
      StateFilters<ObjectOf<R>, F, In<E, ChangeView<ObjectOf<R>, E, never, 'create'>>>,
    fn: Fn<In<E, ChangeContext<ObjectOf<R>, E, F, P, 'create'>>>,
  ): Declared

  /** The content of the object has changed; with `field`, that field. */
  update<R extends ResourceLike>(
    resource: R,
    fn: Fn<In<E, ChangeContext<ObjectOf<R>, E, never, undefined, 'update'>>>,
  ): Declared
  update<R extends ResourceLike, const F extends Field<ObjectOf<R>> = never, P = undefined>(
    resource: R,
    options: Behaviour<ObjectOf<R>, P> &
      ChangeFilters<ObjectOf<R>, F, In<E, ChangeView<ObjectOf<R>, E, never, 'update'>>>,
    fn: Fn<In<E, ChangeContext<ObjectOf<R>, E, F, P, 'update'>>>,
  ): Declared

  /** The object is to be deleted, and waits for this handler. */
  delete<R extends ResourceLike>(
    resource: R,
    fn: Fn<In<E, ChangeContext<ObjectOf<R>, E, never, undefined, 'delete'>>>,
  ): Declared
  delete<R extends ResourceLike, const F extends Field<ObjectOf<R>> = never, P = undefined>(
    resource: R,
    options: Behaviour<ObjectOf<R>, P> &
      StateFilters<ObjectOf<R>, F, In<E, ChangeView<ObjectOf<R>, E, never, 'delete'>>> &
      DeleteExtras,
    fn: Fn<In<E, ChangeContext<ObjectOf<R>, E, F, P, 'delete'>>>,
  ): Declared
}

/** The declaration verbs of an operator, writing into its registry. */
export function declarations<E extends Env>(registry: Registry): On<E> {
  const declare =
    (reason: Reason) =>
    (resource: ResourceLike, ...args: readonly unknown[]) => {
      const handler = changeHandler(reason, resource, args as [unknown, unknown])
      registry.add(handler)
      return { id: handler.id }
    }
  return { create: declare('create'), update: declare('update'), delete: declare('delete') } as On<E>
}
