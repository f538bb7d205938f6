import { type Diff, diff } from '@binnacle/core'
import type { Essence } from './essence.ts'

/** Why an object is looked at, and what follows from it. */
export type Cause =
  /** It is not there any more. */
  | { readonly reason: 'gone' }
  /** It is being deleted, and nothing of ours holds it back. */
  | { readonly reason: 'free' }
  /** It is being deleted, and waits for us. */
  | { readonly reason: 'delete' }
  | { readonly reason: 'create' }
  | {
      readonly reason: 'update'
      /** Empty when the object has gone back to what was handled last, after handlers have acted on what was in between. */
      readonly diff: Diff
      /** Handlers that have acted on another state than the present one. */
      readonly outdated: readonly string[]
    }
  /** It was there when the operator started, and has not changed since it was last handled. */
  | { readonly reason: 'resume' }
  | { readonly reason: 'noop' }

/** The durable state of an object, as far as it decides what has happened to it. */
export interface Observed {
  readonly exists: boolean
  readonly deleting: boolean
  /** Whether our finalizer is on it. */
  readonly held: boolean
  /** Whether it came with a list, and has not been handled in this process yet. */
  readonly initial: boolean
  /** Whether any state of it was handled before. */
  readonly known: boolean
  /** The essence that was handled last; undefined when none was, and when it was too large to be kept and is another one. */
  readonly old: Essence | undefined
  readonly current: Essence
  /** Handlers of an update that is under way which have acted on another state than the present one. */
  readonly outdated: readonly string[]
}

/**
 * What has happened to an object.
 * Guarantees: a function of durable state only, so that a restart, a lost event or a repeated one leads to the same answer.
 */
export function detect(observed: Observed): Cause {
  if (!observed.exists) return { reason: 'gone' }
  if (observed.deleting) return { reason: observed.held ? 'delete' : 'free' }
  if (!observed.known) return { reason: 'create' }
  const changes = diff(observed.old, observed.current)
  const { outdated } = observed
  if (changes.length > 0 || outdated.length > 0) return { reason: 'update', diff: changes, outdated }
  return { reason: observed.initial ? 'resume' : 'noop' }
}
