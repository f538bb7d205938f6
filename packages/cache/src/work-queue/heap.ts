import { BinnacleError } from '@binnacle/core'
import { type KeyFunc, keyOf } from '../keys.ts'
import { FIFOClosedError } from '../queue/queue.ts'
import { Turns } from '../queue/turns.ts'
import { BinaryHeap, type HeapEntry } from './binary-heap.ts'

/** A keyed priority queue. */
export interface Heap<T> extends Disposable {
  /** Puts the object in, or in place of the one with its key. Throws once the heap is closed. */
  add(object: T): void
  bulkAdd(objects: readonly T[]): void
  /** Only if its key is not there. */
  addIfNotPresent(object: T): void
  /** As `add`. */
  update(object: T): void
  /** Throws if its key is not there. */
  delete(object: T): void
  /** Waits for an object and takes the first. Rejects when closed and empty. */
  pop(signal?: AbortSignal): Promise<T>
  list(): T[]
  listKeys(): string[]
  get(object: T): T | undefined
  getByKey(key: string): T | undefined
  close(): void
  readonly isClosed: boolean
  readonly size: number
}

interface Entry<T> extends HeapEntry {
  readonly key: string
  object: T
  /** Of two that are equal the earlier comes first. */
  readonly order: number
}

/** Guarantees: `pop` gives the least object, of equal ones the one whose key came first; a key is there once. */
class KeyedHeap<T> implements Heap<T> {
  readonly #keyFunc: KeyFunc<T>
  readonly #byKey = new Map<string, Entry<T>>()
  readonly #heap: BinaryHeap<Entry<T>>
  readonly #turns = new Turns()
  #order = 0

  constructor(keyFunc: KeyFunc<T>, less: (a: T, b: T) => boolean) {
    this.#keyFunc = keyFunc
    this.#heap = new BinaryHeap((a, b) => less(a.object, b.object) || (a.order < b.order && !less(b.object, a.object)))
  }

  get isClosed(): boolean {
    return this.#turns.isClosed
  }

  get size(): number {
    return this.#byKey.size
  }

  add(object: T): void {
    this.#put(keyOf(this.#keyFunc, object), object)
  }

  bulkAdd(objects: readonly T[]): void {
    const keyed = objects.map((object) => [keyOf(this.#keyFunc, object), object] as const)
    for (const [key, object] of keyed) this.#put(key, object)
  }

  addIfNotPresent(object: T): void {
    const key = keyOf(this.#keyFunc, object)
    if (!this.#byKey.has(key)) this.#put(key, object)
  }

  update(object: T): void {
    this.add(object)
  }

  delete(object: T): void {
    const key = keyOf(this.#keyFunc, object)
    const entry = this.#byKey.get(key)
    if (!entry) throw absent(key)
    this.#byKey.delete(key)
    this.#heap.remove(entry)
  }

  pop(signal?: AbortSignal): Promise<T> {
    return this.#turns.take(
      () => this.#heap.size === 0,
      () => this.#first(),
      signal,
    )
  }

  list(): T[] {
    return Array.from(this.#byKey.values(), ({ object }) => object)
  }

  listKeys(): string[] {
    return [...this.#byKey.keys()]
  }

  get(object: T): T | undefined {
    return this.getByKey(keyOf(this.#keyFunc, object))
  }

  getByKey(key: string): T | undefined {
    return this.#byKey.get(key)?.object
  }

  close(): void {
    this.#turns.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #put(key: string, object: T): void {
    if (this.isClosed) throw new FIFOClosedError()
    const entry = this.#byKey.get(key)
    if (entry) {
      entry.object = object
      this.#heap.moved(entry)
    } else {
      const added = { key, object, order: this.#order++, place: -1 }
      this.#byKey.set(key, added)
      this.#heap.push(added)
    }
    this.#turns.arrived()
  }

  #first(): T {
    const { key, object } = this.#heap.pop() as Entry<T>
    this.#byKey.delete(key)
    return object
  }
}

function absent(key: string): BinnacleError {
  return new BinnacleError('BIN_STORE', {
    message: `There is nothing under ${JSON.stringify(key)} to delete from the heap`,
    hint: 'Ask `getByKey` first if it may be gone.',
  })
}

export const Heap: {
  new <T>(keyFunc: KeyFunc<T>, less: (a: T, b: T) => boolean): Heap<T>
} = KeyedHeap
