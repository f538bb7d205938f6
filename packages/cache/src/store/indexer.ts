import type { ResourceVersion } from '@binnacle/core'
import type { KeyFunc } from '../keys.ts'
import type { Indexers, IndexFunc } from './index-functions.ts'
import { KeyedStore, type Store, type StoreOptions } from './store.ts'
import { CellStore, type Transaction, type TransactionError, transact } from './thread-safe-store.ts'

/** A store with indices. `I` are their names, so that a misspelt one is a type error; a name that is not there throws IndexNotFoundError. */
export interface Indexer<T, I extends string = string> extends Store<T> {
  /** The objects that share a value with the given one. */
  index(indexName: I, object: T): T[]
  /** Storage keys of the objects that have the value, sorted. */
  indexKeys(indexName: I, indexedValue: string): string[]
  listIndexFuncValues(indexName: I): string[]
  /** The objects that have the value; none for a value that nobody has. */
  byIndex(indexName: I, indexedValue: string): T[]
  getIndexers(): { readonly [N in I]: IndexFunc<T> }
  /** More indices, also when there are objects already, which are indexed at once. A name that is taken throws, and adds none. */
  addIndexers<const X extends Indexers<T>>(indexers: X): Indexer<T, I | (keyof X & string)>
  /** The version that the store has reached; empty before the first. */
  readonly lastStoreSyncResourceVersion: ResourceVersion
  /** Notes a version without a change. */
  bookmark(resourceVersion: ResourceVersion): void
  /** Resolves when the store has reached the version, or a later one: read your own writes. Rejects with the signal's reason. */
  waitForResourceVersion(resourceVersion: ResourceVersion, signal: AbortSignal): Promise<void>
  /** Several changes in one step. Those whose key or index function fails are left out and reported. Nothing is transformed. */
  transaction(changes: readonly Transaction<T>[]): TransactionError | undefined
}

/**
 * A Store that also answers "which objects have value V under index I".
 * Guarantees: when a mutation returns, objects and all indices agree, and waits for a version have been released; when it throws, nothing
 * has changed.
 * Does not guarantee: freshness (see waitForResourceVersion), nor any order of what is listed.
 * Assumes: index functions are pure. They run once per object and change; the cell keeps their result.
 */
export class KeyedIndexer<T, I extends string = string> extends KeyedStore<T> implements Indexer<T, I> {
  constructor(keyFunc: KeyFunc<T>, indexers: Indexers<T> = {}, options: StoreOptions<T> = {}) {
    super(keyFunc, options, new CellStore<T>(indexers, options))
  }

  index(indexName: I, object: T): T[] {
    return this.cells.index(indexName, object)
  }

  indexKeys(indexName: I, indexedValue: string): string[] {
    return this.cells.indexKeys(indexName, indexedValue)
  }

  listIndexFuncValues(indexName: I): string[] {
    return this.cells.listIndexFuncValues(indexName)
  }

  byIndex(indexName: I, indexedValue: string): T[] {
    return this.cells.byIndex(indexName, indexedValue)
  }

  getIndexers(): { readonly [N in I]: IndexFunc<T> } {
    return this.cells.getIndexers() as { readonly [N in I]: IndexFunc<T> }
  }

  addIndexers<const X extends Indexers<T>>(indexers: X): Indexer<T, I | (keyof X & string)> {
    this.cells.addIndexers(indexers)
    return this as unknown as Indexer<T, I | (keyof X & string)>
  }

  get lastStoreSyncResourceVersion(): ResourceVersion {
    return this.cells.lastStoreSyncResourceVersion
  }

  bookmark(resourceVersion: ResourceVersion): void {
    this.cells.bookmark(resourceVersion)
  }

  waitForResourceVersion(resourceVersion: ResourceVersion, signal: AbortSignal): Promise<void> {
    return this.cells.waitForResourceVersion(resourceVersion, signal)
  }

  transaction(changes: readonly Transaction<T>[]): TransactionError | undefined {
    return transact(changes, ({ type, object }) => {
      const key = this.keyOf(object)
      if (type === 'delete') this.cells.deleteWithObject(key, object)
      else this.cells.update(key, object)
    })
  }
}

export const Indexer: {
  new <T, I extends string>(
    keyFunc: KeyFunc<T>,
    indexers: { readonly [N in I]: IndexFunc<T> },
    options?: StoreOptions<T>,
  ): Indexer<T, I>
  new <T>(keyFunc: KeyFunc<T>, indexers?: Indexers<T>, options?: StoreOptions<T>): Indexer<T>
} = KeyedIndexer
