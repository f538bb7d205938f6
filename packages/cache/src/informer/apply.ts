import { DeletedFinalStateUnknown, type KeyFunc, keyOf } from '../keys.ts'
import type { InOrderDelta } from '../queue/ordered-queue.ts'
import type { ThreadSafeStore } from '../store/thread-safe-store.ts'
import { type Change, isNamesake, isSame } from './change.ts'

export interface ApplyOptions<T> {
  readonly keyFunc: KeyFunc<T | DeletedFinalStateUnknown<T>>
  readonly isInInitialList: boolean
  /** Also tell of what has not changed; only if somebody waits for it, because it is most of a list. */
  readonly repetitions: boolean
}

/**
 * What comes out of the queue, put into the cache. Tells what has changed by that.
 * Guarantees: the cache has all of it when this returns; whatever is known and missing from a new list is told as deleted, once; an object that took the
 * name of another is told as a deletion and an addition, never as an update; what was never told of is not told as deleted.
 */
export function apply<T>(cells: ThreadSafeStore<T>, delta: InOrderDelta<T>, options: ApplyOptions<T>): Change<T>[] {
  switch (delta.type) {
    case 'ReplacedAll':
      return replaceAll(cells, delta.objects, delta.resourceVersion, options)
    case 'SyncAll':
      return options.repetitions ? repeatAll(cells, options.keyFunc) : []
    case 'Bookmark':
      cells.bookmark(delta.resourceVersion)
      return []
    case 'Deleted':
      return remove(cells, delta.object, options.keyFunc)
    default:
      return put(cells, delta.object as T, options)
  }
}

function put<T>(cells: ThreadSafeStore<T>, object: T, options: ApplyOptions<T>): Change<T>[] {
  const key = keyOf(options.keyFunc, object)
  const old = cells.get(key)
  cells.update(key, object)
  return changesBetween(key, old, object, options)
}

function remove<T>(
  cells: ThreadSafeStore<T>,
  deleted: T | DeletedFinalStateUnknown<T>,
  keyFunc: ApplyOptions<T>['keyFunc'],
): Change<T>[] {
  const key = keyOf(keyFunc, deleted)
  const old = cells.get(key)
  if (deleted instanceof DeletedFinalStateUnknown) cells.delete(key)
  else cells.deleteWithObject(key, deleted)
  if (old === undefined) return []
  if (deleted instanceof DeletedFinalStateUnknown) return [vanished(key, deleted.obj ?? old)]
  return [{ type: 'delete', key, object: deleted, finalStateUnknown: false }]
}

function replaceAll<T>(
  cells: ThreadSafeStore<T>,
  objects: readonly T[],
  resourceVersion: string,
  options: ApplyOptions<T>,
): Change<T>[] {
  const items = new Map<string, T>()
  for (const object of objects) items.set(keyOf(options.keyFunc, object), object)
  const changes: Change<T>[] = []
  for (const key of cells.listKeys()) if (!items.has(key)) changes.push(vanished(key, cells.get(key)))
  for (const [key, object] of items) changes.push(...changesBetween(key, cells.get(key), object, options))
  cells.replace(items, resourceVersion)
  return changes
}

function changesBetween<T>(key: string, old: T | undefined, object: T, options: ApplyOptions<T>): Change<T>[] {
  const { isInInitialList, repetitions } = options
  if (old === undefined) return [{ type: 'add', key, object, isInInitialList }]
  if (isNamesake(old, object)) return [vanished(key, old), { type: 'add', key, object, isInInitialList }]
  return repetitions || !isSame(old, object) ? [{ type: 'update', key, old, object }] : []
}

function repeatAll<T>(cells: ThreadSafeStore<T>, keyFunc: ApplyOptions<T>['keyFunc']): Change<T>[] {
  return cells.list().map((object) => ({ type: 'update', key: keyOf(keyFunc, object), old: object, object }))
}

function vanished<T>(key: string, object: T | undefined): Change<T> {
  return { type: 'delete', key, object, finalStateUnknown: true }
}
