import { BinnacleError, messageOf, type ResourceVersion } from '@binnacle/core'
import { type Cell, NumberedCells } from './cell.ts'
import type { Indexers, IndexFunc } from './index-functions.ts'
import { type IndexErrorOptions, IndexSet } from './index-set.ts'
import { CellsByName } from './names.ts'
import { ReachedVersion, versionOf } from './reached-version.ts'
import { CellReplacement, type ReplacedStore, type Replacement, type StoreContent } from './replacement.ts'

export interface Transaction<T> {
  readonly type: 'add' | 'update' | 'delete'
  readonly object: T
}
/** Some changes of a transaction were left out. */
export interface TransactionError {
  /** Which of the changes were made, by their place in the list. */
  readonly successful: readonly number[]
  readonly total: number
  readonly errors: readonly unknown[]
}

/** An indexer whose keys are given instead of computed. Single-threaded as everything here; the name is kept for those who know it. */
export interface ThreadSafeStore<T, I extends string = string> extends Iterable<T> {
  add(key: string, object: T): void
  /** As `add`. */
  update(key: string, object: T): void
  /** Leaves the version that the store has reached as it is. */
  delete(key: string): void
  /** As `delete`; the version of the deletion, which the object carries, is noted. */
  deleteWithObject(key: string, object: T): void
  get(key: string): T | undefined
  has(key: string): boolean
  list(): T[]
  listKeys(): string[]
  readonly size: number
  /** The new content, whole, in one step. When an index function throws, nothing has changed. */
  replace(items: ReadonlyMap<string, T>, resourceVersion: ResourceVersion): void
  /** The same for content that is prepared over some time, so that the step itself is short. */
  replacement(): Replacement<T>
  index(indexName: I, object: T): T[]
  indexKeys(indexName: I, indexedValue: string): string[]
  listIndexFuncValues(indexName: I): string[]
  byIndex(indexName: I, indexedValue: string): T[]
  getIndexers(): { readonly [N in I]: IndexFunc<T> }
  addIndexers<const X extends Indexers<T>>(indexers: X): ThreadSafeStore<T, I | (keyof X & string)>
  bookmark(resourceVersion: ResourceVersion): void
  readonly lastStoreSyncResourceVersion: ResourceVersion
  waitForResourceVersion(resourceVersion: ResourceVersion, signal: AbortSignal): Promise<void>
  resync(): void
  transaction(changes: readonly (Transaction<T> & { readonly key: string })[]): TransactionError | undefined
}

/**
 * Objects by key, in cells, with their indices and the version that they have reached: what every store here is made of.
 * Guarantees: when a mutation returns, objects and all indices agree, and whoever waited for the version has been released; when it throws,
 * nothing has changed. What comes out is what went in, not a copy.
 * Does not guarantee: any order of `list`, `byIndex` or the iteration, which is live.
 */
export class CellStore<T, I extends string = string> implements ThreadSafeStore<T, I> {
  #cells = new Map<string, Cell<T>>()
  #numbered = new NumberedCells<T>()
  /** The same cells. */
  #names = new CellsByName<T>()
  /** Counts mutations, and new indices. */
  #revision = 0
  readonly #indices: IndexSet<T>
  readonly #reached = new ReachedVersion()

  constructor(indexers: Indexers<T> = {}, options: IndexErrorOptions = {}) {
    this.#indices = new IndexSet(options)
    this.#indices.add(indexers, [], this.#numbered)
  }

  add(key: string, object: T): void {
    this.update(key, object)
  }

  update(key: string, object: T): void {
    const cell = this.#cells.get(key)
    if (cell) return this.updateCell(cell, object)
    const added = this.#numbered.make(key, object)
    this.#enter(added, object)
    this.#revision++
    this.#cells.set(key, added)
    this.#names.add(added)
    this.#reached.note(versionOf(object))
  }

  /** What is stored under the namespace and name of an object, for those whose keys are made of these; undefined if that cannot be told. */
  cellOf(object: unknown): Cell<T> | undefined {
    return this.#names.find(object)
  }

  /** As `update`, for whoever has the cell at hand. */
  updateCell(cell: Cell<T>, object: T): void {
    this.#indices.move(cell, object)
    this.#revision++
    cell.object = object
    this.#reached.note(versionOf(object))
  }

  delete(key: string): void {
    const cell = this.#cells.get(key)
    if (!cell) return
    this.#revision++
    this.#cells.delete(key)
    this.#names.delete(cell)
    this.#indices.take(cell)
    this.#numbered.forget(cell)
  }

  deleteWithObject(key: string, object: T): void {
    this.delete(key)
    this.#reached.note(versionOf(object))
  }

  get(key: string): T | undefined {
    return this.#cells.get(key)?.object
  }

  has(key: string): boolean {
    return this.#cells.has(key)
  }

  get size(): number {
    return this.#cells.size
  }

  list(): T[] {
    const objects: T[] = []
    for (const cell of this.#cells.values()) objects.push(cell.object)
    return objects
  }

  /** What is stored, with the keys under which it is. Live. */
  entries(): Iterable<{ readonly key: string; readonly object: T }> {
    return this.#cells.values()
  }

  listKeys(): string[] {
    return [...this.#cells.keys()]
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const cell of this.#cells.values()) yield cell.object
  }

  replace(items: ReadonlyMap<string, T>, resourceVersion: ResourceVersion): void {
    const replacement = this.replacement()
    for (const [key, object] of items) replacement.add(key, object)
    replacement.commit(resourceVersion)
  }

  replacement(): Replacement<T> {
    const inside: ReplacedStore<T> = {
      revision: () => this.#revision,
      cell: (key) => this.#cells.get(key),
      valuesOf: (key, object, old) => this.#indices.valuesOf(key, object, old),
      emptyIndices: (numbered) => this.#indices.empty(numbered),
      fill: (indices, cell, values) => this.#indices.fill(indices, cell, values),
      swap: (content) => this.#swap(content),
    }
    return new CellReplacement(inside, (version) => this.#reached.note(version))
  }

  index(indexName: I, object: T): T[] {
    const { compute, cells } = this.#indices.named(indexName)
    const [only, ...more] = compute(object)
    if (only === undefined) return []
    if (more.length === 0) return cells.get(only).map(objectOf)
    const found = new Set<Cell<T>>()
    for (const value of [only, ...more]) for (const cell of cells.get(value)) found.add(cell)
    return Array.from(found, objectOf)
  }

  indexKeys(indexName: I, indexedValue: string): string[] {
    return this.#indices.named(indexName).cells.get(indexedValue).map(keyOfCell).sort()
  }

  listIndexFuncValues(indexName: I): string[] {
    return [...this.#indices.named(indexName).cells.values()]
  }

  byIndex(indexName: I, indexedValue: string): T[] {
    return this.#indices.named(indexName).cells.get(indexedValue).map(objectOf)
  }

  getIndexers(): { readonly [N in I]: IndexFunc<T> } {
    return this.#indices.functions() as { readonly [N in I]: IndexFunc<T> }
  }

  addIndexers<const X extends Indexers<T>>(indexers: X): ThreadSafeStore<T, I | (keyof X & string)> {
    this.#indices.add(indexers, this.#cells.values(), this.#numbered)
    this.#revision++
    return this as unknown as ThreadSafeStore<T, I | (keyof X & string)>
  }

  bookmark(resourceVersion: ResourceVersion): void {
    this.#reached.note(resourceVersion)
  }

  get lastStoreSyncResourceVersion(): ResourceVersion {
    return this.#reached.version
  }

  waitForResourceVersion(resourceVersion: ResourceVersion, signal: AbortSignal): Promise<void> {
    return this.#reached.wait(resourceVersion, signal)
  }

  resync(): void {}

  transaction(changes: readonly (Transaction<T> & { readonly key: string })[]): TransactionError | undefined {
    return transact(changes, ({ type, key, object }) => {
      if (type === 'delete') this.deleteWithObject(key, object)
      else this.update(key, object)
    })
  }

  /** What contradicts the guarantees, as sentences. Property tests call it after every step. */
  broken(): string[] {
    const cells = [...this.#cells.values()]
    return [...this.#indices.broken(cells), ...this.#names.broken(cells)]
  }

  /** A cell that no index has taken in is none. */
  #enter(cell: Cell<T>, object: T): void {
    try {
      this.#indices.move(cell, object)
    } catch (error) {
      this.#numbered.forget(cell)
      throw error
    }
  }

  #swap({ cells, numbered, indices, names }: StoreContent<T>): void {
    this.#revision++
    this.#cells = cells
    this.#numbered = numbered
    this.#names = names
    this.#indices.swap(indices)
  }
}

/** Makes each change, and tells which were made and which could not be. */
export function transact<C>(changes: readonly C[], make: (change: C) => void): TransactionError | undefined {
  const successful: number[] = []
  const errors: unknown[] = []
  for (const [i, change] of changes.entries()) {
    try {
      make(change)
      successful.push(i)
    } catch (error) {
      errors.push(
        new BinnacleError('BIN_STORE', { message: `Change ${i} was left out: ${messageOf(error)}`, cause: error }),
      )
    }
  }
  return errors.length === 0 ? undefined : { successful, total: changes.length, errors }
}

function objectOf<T>(cell: Cell<T>): T {
  return cell.object
}

function keyOfCell<T>(cell: Cell<T>): string {
  return cell.key
}

export const ThreadSafeStore: {
  new <T, I extends string>(
    indexers: { readonly [N in I]: IndexFunc<T> },
    options?: IndexErrorOptions,
  ): ThreadSafeStore<T, I>
  new <T>(indexers?: Indexers<T>, options?: IndexErrorOptions): ThreadSafeStore<T>
} = CellStore
