import { DeletedFinalStateUnknown, type KeyFunc, keyOf } from '../keys.ts'
import type { InOrderDelta } from '../queue/ordered-queue.ts'
import type { Replacement } from '../store/replacement.ts'
import type { CellStore } from '../store/thread-safe-store.ts'
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
export function apply<T>(cells: CellStore<T>, delta: InOrderDelta<T>, options: ApplyOptions<T>): Change<T>[] {
  switch (delta.type) {
    case 'ReplacedAll':
      return replaceAll(cells, delta.objects, delta.resourceVersion, options)
    case 'SyncAll':
      return options.repetitions ? repeatAll(cells) : []
    case 'Bookmark':
      cells.bookmark(delta.resourceVersion)
      return []
    case 'Deleted':
      return remove(cells, delta.object, options.keyFunc)
    default:
      return put(cells, delta.object as T, options)
  }
}

function put<T>(cells: CellStore<T>, object: T, options: ApplyOptions<T>): Change<T>[] {
  const cell = cells.cellOf(object)
  if (cell) {
    const old = cell.object
    cells.updateCell(cell, object)
    return changesBetween(cell.key, old, object, options)
  }
  const key = keyOf(options.keyFunc, object)
  const old = cells.get(key)
  cells.update(key, object)
  return changesBetween(key, old, object, options)
}

function remove<T>(
  cells: CellStore<T>,
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
  cells: CellStore<T>,
  objects: readonly T[],
  resourceVersion: string,
  options: ApplyOptions<T>,
): Change<T>[] {
  const list = new ListInPreparation(cells, options)
  for (const object of objects) list.add(object)
  return list.apply(resourceVersion)
}

/**
 * A list on its way into the cache: object by object, with time for others in between, and then in one step.
 * Guarantees: the cache is as it was until `apply`.
 */
export class ListInPreparation<T> {
  readonly #cells: CellStore<T>
  readonly #options: ApplyOptions<T>
  readonly #replacement: Replacement<T>
  #changes: Change<T>[] = []
  /** Of two objects with one key only the last counts, and what was noted of the first must not be told. */
  #hasDuplicates = false
  /** How many of the list are in the cache. If all of the cache are in the list, nothing is gone. */
  #known = 0

  constructor(cells: CellStore<T>, options: ApplyOptions<T>) {
    this.#cells = cells
    this.#options = options
    this.#replacement = cells.replacement()
  }

  add(object: T): void {
    const cell = this.#cells.cellOf(object)
    const key = cell ? cell.key : keyOf(this.#options.keyFunc, object)
    const { size } = this.#replacement
    this.#replacement.add(key, object)
    this.#hasDuplicates ||= this.#replacement.size === size
    const old = cell ? cell.object : this.#cells.get(key)
    if (old !== undefined) this.#known++
    noteBetween(this.#changes, key, old, object, this.#options)
  }

  apply(resourceVersion: string): Change<T>[] {
    const isInvalid = this.#hasDuplicates || this.#replacement.isStale
    const changes = isInvalid ? this.#changesAnew() : this.#changes
    const gone = isInvalid || this.#known < this.#cells.size ? this.#gone() : []
    this.#replacement.commit(resourceVersion)
    return gone.length === 0 ? changes : gone.concat(changes)
  }

  #gone(): Change<T>[] {
    const gone: Change<T>[] = []
    for (const { key, object } of this.#cells.entries()) {
      if (!this.#replacement.has(key)) gone.push(vanished(key, object))
    }
    return gone
  }

  #changesAnew(): Change<T>[] {
    const changes: Change<T>[] = []
    for (const [key, object] of this.#replacement.entries()) {
      noteBetween(changes, key, this.#cells.get(key), object, this.#options)
    }
    return changes
  }
}

function changesBetween<T>(key: string, old: T | undefined, object: T, options: ApplyOptions<T>): Change<T>[] {
  const changes: Change<T>[] = []
  noteBetween(changes, key, old, object, options)
  return changes
}

function noteBetween<T>(
  changes: Change<T>[],
  key: string,
  old: T | undefined,
  object: T,
  { isInInitialList, repetitions }: ApplyOptions<T>,
): void {
  if (old === undefined) changes.push({ type: 'add', key, object, isInInitialList })
  else if (isNamesake(old, object)) changes.push(vanished(key, old), { type: 'add', key, object, isInInitialList })
  else if (repetitions || !isSame(old, object)) changes.push({ type: 'update', key, old, object })
}

function repeatAll<T>(cells: CellStore<T>): Change<T>[] {
  return Array.from(cells.entries(), ({ key, object }) => ({ type: 'update', key, old: object, object }))
}

function vanished<T>(key: string, object: T | undefined): Change<T> {
  return { type: 'delete', key, object, finalStateUnknown: true }
}
