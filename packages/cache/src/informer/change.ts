import { versionOf } from '../store/reached-version.ts'

/** What is told of a deletion: its last state, or one that may be stale or unknown, because only its absence from a list was seen. */
export type DeletedObject<T> =
  | { readonly key: string; readonly object: T; readonly finalStateUnknown: false }
  | { readonly key: string; readonly object: T | undefined; readonly finalStateUnknown: true }

/** One change of the cache. `key` is `namespace/name`, or `name` at cluster scope. */
export type Change<T> =
  | { readonly type: 'add'; readonly key: string; readonly object: T; readonly isInInitialList: boolean }
  | { readonly type: 'update'; readonly key: string; readonly old: T; readonly object: T }
  | ({ readonly type: 'delete' } & DeletedObject<T>)

/** Whether it only repeats what is known: a resync, or an object that a new list shows unchanged. */
export function isRepetition<T>(change: Change<T>): boolean {
  return change.type === 'update' && isSame(change.old, change.object)
}

/** Whether both are the same version of the same object. */
export function isSame(old: unknown, object: unknown): boolean {
  if (old === object) return true
  const version = versionOf(old)
  return version !== undefined && version === versionOf(object) && !isNamesake(old, object)
}

/** Whether the second is another object that took the name of the first, which must therefore be gone. */
export function isNamesake(old: unknown, object: unknown): boolean {
  const [before, now] = [uidOf(old), uidOf(object)]
  return before !== undefined && now !== undefined && before !== now
}

function uidOf(object: unknown): string | undefined {
  return (object as { metadata?: { uid?: string } } | null | undefined)?.metadata?.uid
}

/**
 * One change that says what two in a row said; 'nothing' if they undo each other; undefined if both have to be told.
 * A deletion and the addition of a namesake stay two: they are about two objects.
 */
export function merged<T>(first: Change<T>, second: Change<T>): Change<T> | 'nothing' | undefined {
  if (first.type === 'delete' || second.type === 'add') return undefined
  if (second.type === 'delete') return first.type === 'add' ? 'nothing' : second
  return { ...first, object: second.object }
}
