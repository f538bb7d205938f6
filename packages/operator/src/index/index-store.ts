import type { Index, IndexKey, IndexValues } from '../declare/index-handler.ts'
import { internKey } from './index-key.ts'

interface Slot<K, V> {
  readonly key: K
  /** The value of each object that has one under this key. Never empty. */
  readonly values: Map<string, V>
}

/**
 * One index: keys lead to collections of values, each value from one object.
 * Guarantees: lookups cost the same whatever the size, and a change costs the keys of its object only; a key exists as long as
 * it has values.
 */
export class IndexStore<K extends IndexKey, V> {
  readonly #slots = new Map<string, Slot<K, V>>()
  /** Under which keys each object has values, so that they can be taken out again. */
  readonly #keysOfObject = new Map<string, ReadonlySet<string>>()
  /** What handlers read. */
  readonly view: Index<K, V> = new IndexOf(this.#slots)

  /** All that the object has in this index from now on; whatever it had under other keys goes. When it throws, nothing has changed. */
  put(object: string, entries: Iterable<readonly [K, V]>): void {
    const interned = Array.from(entries, ([key, value]) => ({ id: internKey(key), key, value }))
    const keys = new Set(interned.map(({ id }) => id))
    for (const { id, key, value } of interned) this.#slot(id, key).values.set(object, value)
    for (const former of this.#keysOfObject.get(object) ?? []) if (!keys.has(former)) this.#take(former, object)
    if (keys.size > 0) this.#keysOfObject.set(object, keys)
    else this.#keysOfObject.delete(object)
  }

  drop(object: string): void {
    this.put(object, [])
  }

  #slot(interned: string, key: K): Slot<K, V> {
    const present = this.#slots.get(interned)
    if (present) return present
    const slot = { key, values: new Map<string, V>() }
    this.#slots.set(interned, slot)
    return slot
  }

  #take(interned: string, object: string): void {
    const slot = this.#slots.get(interned)
    slot?.values.delete(object)
    if (slot?.values.size === 0) this.#slots.delete(interned)
  }
}

/** The mapping that handlers read: live, read-only, there from the start. */
class IndexOf<K extends IndexKey, V> implements Index<K, V> {
  readonly #slots: ReadonlyMap<string, Slot<K, V>>

  constructor(slots: ReadonlyMap<string, Slot<K, V>>) {
    this.#slots = slots
  }

  get(key: K): IndexValues<V> {
    return new ValuesOf(this.#slots, internKey(key))
  }

  first(key: K): V | undefined {
    return this.get(key).first()
  }

  has(key: K): boolean {
    return this.#slots.has(internKey(key))
  }

  *keys(): IterableIterator<K> {
    for (const { key } of this.#slots.values()) yield key
  }

  *values(): IterableIterator<IndexValues<V>> {
    for (const { key } of this.#slots.values()) yield this.get(key)
  }

  *entries(): IterableIterator<readonly [K, IndexValues<V>]> {
    for (const { key } of this.#slots.values()) yield [key, this.get(key)]
  }

  get size(): number {
    return this.#slots.size
  }

  [Symbol.iterator](): IterableIterator<readonly [K, IndexValues<V>]> {
    return this.entries()
  }
}

/** The values under one key, looked up at each use: a collection kept by a handler follows the index. */
class ValuesOf<V> implements IndexValues<V> {
  readonly #slots: ReadonlyMap<string, Slot<unknown, V>>
  readonly #key: string

  constructor(slots: ReadonlyMap<string, Slot<unknown, V>>, key: string) {
    this.#slots = slots
    this.#key = key
  }

  get size(): number {
    return this.#slots.get(this.#key)?.values.size ?? 0
  }

  /** Works on what is there when it begins. */
  [Symbol.iterator](): Iterator<V> {
    return this.toArray()[Symbol.iterator]()
  }

  first(): V | undefined {
    for (const value of this.#slots.get(this.#key)?.values.values() ?? []) return value
    return undefined
  }

  toArray(): V[] {
    return [...(this.#slots.get(this.#key)?.values.values() ?? [])]
  }

  has(value: V): boolean {
    return this.toArray().includes(value)
  }

  map<U>(fn: (value: V) => U): U[] {
    return this.toArray().map((value) => fn(value))
  }

  filter(fn: (value: V) => boolean): V[] {
    return this.toArray().filter((value) => fn(value))
  }

  find(fn: (value: V) => boolean): V | undefined {
    return this.toArray().find((value) => fn(value))
  }

  some(fn: (value: V) => boolean): boolean {
    return this.toArray().some((value) => fn(value))
  }

  every(fn: (value: V) => boolean): boolean {
    return this.toArray().every((value) => fn(value))
  }
}
