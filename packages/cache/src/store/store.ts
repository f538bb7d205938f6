import type { ResourceVersion } from '@binnacle/core'
import { deletionHandlingMetaNamespaceKeyFunc, type KeyFunc, keyOf, metaNamespaceKeyFunc } from '../keys.ts'
import type { IndexErrorOptions } from './index-set.ts'
import { CellStore } from './thread-safe-store.ts'

/**
 * Objects by key. A mutation, the indices that follow from it and the notifications that it causes are one synchronous step.
 * What comes out is shared and read-only. `T` is what goes in; for a queue, `A` is what it has gathered for a key.
 */
export interface Store<T, A = T> extends Iterable<A> {
  /** Puts the object under its key, in place of what was there. Throws KeyError and stores nothing when there is no key. */
  add(object: T): void
  /** As `add`. */
  update(object: T): void
  /** Removes whatever has the object's key; no error when nothing has. */
  delete(object: T): void
  list(): A[]
  listKeys(): string[]
  get(object: T): A | undefined
  getByKey(key: string): A | undefined
  /** The new content, whole. Everything is keyed first, so an error leaves the store as it was. Of two with one key the last stays. */
  replace(objects: readonly T[], resourceVersion: ResourceVersion): void
  /** Without meaning here, with one in queues. */
  resync(): void
  readonly size: number
  has(key: string): boolean
}

/** Changes an object before it is stored. Set fields to undefined rather than delete them: objects stay small and fast. */
export type TransformFunc<T> = (object: T) => T

export interface StoreOptions<T> extends IndexErrorOptions {
  /** Applied to each object after its key was made and before it is stored. When it throws, nothing is stored. @default none */
  readonly transform?: TransformFunc<T>
}

const BY_NAME: ReadonlySet<unknown> = new Set([metaNamespaceKeyFunc, deletionHandlingMetaNamespaceKeyFunc])

/**
 * A Store over cells: a key function in front of a ThreadSafeStore.
 * Guarantees: as the cells behind it; a key function or a transformation that throws has changed nothing.
 */
export class KeyedStore<T> implements Store<T> {
  /** Shared with whoever knows the keys already. */
  readonly cells: CellStore<T>
  readonly #keyFunc: KeyFunc<T>
  /** Keys are namespace and name, so that objects that are stored are found by these. */
  readonly #isKeyedByName: boolean
  readonly #transform: TransformFunc<T> | undefined

  constructor(keyFunc: KeyFunc<T>, options: StoreOptions<T> = {}, cells = new CellStore<T>({}, options)) {
    this.#keyFunc = keyFunc
    this.#isKeyedByName = BY_NAME.has(keyFunc)
    this.#transform = options.transform
    this.cells = cells
  }

  add(object: T): void {
    this.update(object)
  }

  update(object: T): void {
    const cell = this.#isKeyedByName ? this.cells.cellOf(object) : undefined
    const key = cell ? cell.key : keyOf(this.#keyFunc, object)
    const stored = this.#transform ? this.#transform(object) : object
    if (cell) this.cells.updateCell(cell, stored)
    else this.cells.update(key, stored)
  }

  delete(object: T): void {
    this.cells.deleteWithObject(keyOf(this.#keyFunc, object), object)
  }

  get(object: T): T | undefined {
    const cell = this.#isKeyedByName ? this.cells.cellOf(object) : undefined
    return cell ? cell.object : this.cells.get(keyOf(this.#keyFunc, object))
  }

  getByKey(key: string): T | undefined {
    return this.cells.get(key)
  }

  has(key: string): boolean {
    return this.cells.has(key)
  }

  get size(): number {
    return this.cells.size
  }

  list(): T[] {
    return this.cells.list()
  }

  listKeys(): string[] {
    return this.cells.listKeys()
  }

  [Symbol.iterator](): Iterator<T> {
    return this.cells[Symbol.iterator]()
  }

  replace(objects: readonly T[], resourceVersion: ResourceVersion): void {
    const items = new Map<string, T>()
    for (const object of objects) {
      items.set(keyOf(this.#keyFunc, object), this.#transform ? this.#transform(object) : object)
    }
    this.cells.replace(items, resourceVersion)
  }

  resync(): void {}

  protected keyOf(object: T): string {
    return keyOf(this.#keyFunc, object)
  }
}

export const Store: {
  new <T>(keyFunc: KeyFunc<T>, options?: StoreOptions<T>): Store<T>
} = KeyedStore
