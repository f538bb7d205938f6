import type { ResourceVersion } from '@binnacle/core'
import { type KeyFunc, keyOf } from '../keys.ts'
import { Arrivals } from './arrivals.ts'
import { FirstPopulation } from './first-population.ts'
import { type PopProcessFunc, type Queue, RequeueError } from './queue.ts'
import { Turns } from './turns.ts'

/** Each object once, in its newest version, in the order of arrival of its key; deleted objects not at all. */
export interface FIFO<T> extends Queue<T> {}

/**
 * Guarantees: a key that waits is handed out once, with the newest object; it keeps its place in the line however often it changes; every key
 * with an object is in the line.
 * Does not guarantee: that anybody hears of a deletion. Use a DeltaFIFO for that.
 */
class NewestByKey<T> implements FIFO<T> {
  readonly #keyFunc: KeyFunc<T>
  readonly #items = new Map<string, T>()
  /** In order of arrival. May hold keys without an object: they were deleted while they waited, and are passed over. */
  readonly #line = new Arrivals<string>()
  readonly #turns = new Turns()
  readonly #first = new FirstPopulation()

  constructor(keyFunc: KeyFunc<T>) {
    this.#keyFunc = keyFunc
  }

  get size(): number {
    return this.#items.size
  }

  get isClosed(): boolean {
    return this.#turns.isClosed
  }

  add(object: T): void {
    this.update(object)
  }

  update(object: T): void {
    this.#put(this.#key(object), object)
    this.#first.touched()
  }

  addIfNotPresent(object: T): void {
    const key = this.#key(object)
    if (!this.#items.has(key)) this.#put(key, object)
    this.#first.touched()
  }

  delete(object: T): void {
    this.#items.delete(this.#key(object))
    this.#first.touched()
  }

  replace(objects: readonly T[], _resourceVersion: ResourceVersion): void {
    const items = new Map(objects.map((object) => [this.#key(object), object]))
    this.#items.clear()
    this.#line.take(this.#line.length)
    for (const [key, object] of items) this.#put(key, object)
    this.#first.listed(() => items.size)
  }

  /** Puts keys back into the line that have an object and are not in it. There should be none. */
  resync(): void {
    const waiting = new Set(this.#line)
    for (const key of this.#items.keys()) if (!waiting.has(key)) this.#line.append(key)
    if (this.#line.length > 0) this.#turns.arrived()
  }

  list(): T[] {
    return [...this.#items.values()]
  }

  listKeys(): string[] {
    return [...this.#items.keys()]
  }

  get(object: T): T | undefined {
    return this.#items.get(this.#key(object))
  }

  getByKey(key: string): T | undefined {
    return this.#items.get(key)
  }

  has(key: string): boolean {
    return this.#items.has(key)
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items.values()
  }

  pop(process: PopProcessFunc<T>, signal?: AbortSignal): Promise<T> {
    return this.#turns.take(
      () => this.#next() === undefined,
      () => this.#process(process),
      signal,
    )
  }

  hasSynced(): boolean {
    return this.#first.isSynced
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#first.whenSynced(signal)
  }

  close(): void {
    this.#turns.close()
    if (this.#next() === undefined) this.#first.ended()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /** What contradicts the guarantees, as sentences. Property tests call it after every step. */
  broken(): string[] {
    const waiting = new Set(this.#line)
    return this.listKeys()
      .filter((key) => !waiting.has(key))
      .map((key) => `${key} has an object and is not in the line`)
  }

  #key(object: T): string {
    return keyOf(this.#keyFunc, object)
  }

  #put(key: string, object: T): void {
    if (!this.#items.has(key)) this.#line.append(key)
    this.#items.set(key, object)
    this.#turns.arrived()
  }

  /** The first key that has an object; those before it were deleted, and count as handed out. */
  #next(): string | undefined {
    for (let key = this.#line.peek(); key !== undefined; key = this.#line.peek()) {
      if (this.#items.has(key)) return key
      this.#line.take(1)
      this.#first.out(1)
    }
    return undefined
  }

  async #process(process: PopProcessFunc<T>): Promise<T> {
    const [key] = this.#line.take(1) as [string]
    const object = this.#items.get(key) as T
    this.#items.delete(key)
    try {
      await process(object, this.#first.left > 0)
    } catch (error) {
      if (!(error instanceof RequeueError)) throw error
      if (!this.#items.has(key)) this.#put(key, object)
      if (error.cause !== undefined) throw error.cause
    } finally {
      this.#first.out(1)
      if (this.isClosed && this.#next() === undefined) this.#first.ended()
    }
    return object
  }
}

export const FIFO: {
  new <T>(keyFunc: KeyFunc<T>): FIFO<T>
} = NewestByKey
