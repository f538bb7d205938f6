import { InvertedIndex } from '@binnacle/cache'
import type { Index, IndexKey, IndexValues } from '../declare/index-handler.ts'
import { internKey } from './index-key.ts'

/** One value of one object under one key. */
interface Entry<K, V> {
  readonly key: K
  value: V
}

type Entries<K, V> = InvertedIndex<string, Entry<K, V>>

/**
 * One index: keys lead to collections of values, each value from one object. The structure under it is the cache's own.
 * Guarantees: lookups cost the same whatever the size, and a change costs the keys of its object only; a key exists as long as
 * it has values.
 */
export class IndexStore<K extends IndexKey, V> {
  readonly #index: Entries<K, V> = new InvertedIndex()
  /** What each object has in the index, so that it can be taken out again. Never an empty map. */
  readonly #entriesOfObject = new Map<string, Map<string, Entry<K, V>>>()
  /** What handlers read. */
  readonly view: Index<K, V> = new IndexOf(this.#index)

  /** All that the object has in this index from now on; whatever it had under other keys goes. When it throws, nothing has changed. */
  put(object: string, values: Iterable<readonly [K, V]>): void {
    const former = this.#entriesOfObject.get(object)
    const entries = new Map<string, Entry<K, V>>()
    for (const { interned, key, value } of Array.from(values, ([key, value]) => ({
      interned: internKey(key),
      key,
      value,
    }))) {
      entries.set(interned, this.#placed(interned, key, value, entries.get(interned) ?? former?.get(interned)))
    }
    for (const [interned, entry] of former ?? []) if (!entries.has(interned)) this.#index.delete(interned, entry)
    if (entries.size > 0) this.#entriesOfObject.set(object, entries)
    else this.#entriesOfObject.delete(object)
  }

  drop(object: string): void {
    this.put(object, [])
  }

  #placed(interned: string, key: K, value: V, present: Entry<K, V> | undefined): Entry<K, V> {
    const entry = present ?? { key, value }
    entry.value = value
    if (!present) this.#index.add(interned, entry)
    return entry
  }
}

/** The mapping that handlers read: live, read-only, there from the start. */
class IndexOf<K extends IndexKey, V> implements Index<K, V> {
  readonly #index: Entries<K, V>

  constructor(index: Entries<K, V>) {
    this.#index = index
  }

  get(key: K): IndexValues<V> {
    return new ValuesOf(this.#index, internKey(key))
  }

  first(key: K): V | undefined {
    return this.get(key).first()
  }

  has(key: K): boolean {
    return this.#index.has(internKey(key))
  }

  *keys(): IterableIterator<K> {
    for (const [key] of this.entries()) yield key
  }

  *values(): IterableIterator<IndexValues<V>> {
    for (const [, values] of this.entries()) yield values
  }

  *entries(): IterableIterator<readonly [K, IndexValues<V>]> {
    for (const interned of this.#index.values()) {
      const [first] = this.#index.get(interned)
      if (first) yield [first.key, new ValuesOf(this.#index, interned)]
    }
  }

  get size(): number {
    return this.#index.size
  }

  [Symbol.iterator](): IterableIterator<readonly [K, IndexValues<V>]> {
    return this.entries()
  }
}

/** The values under one key, looked up at each use: a collection kept by a handler follows the index. */
class ValuesOf<V> implements IndexValues<V> {
  readonly #index: InvertedIndex<string, { readonly value: V }>
  readonly #key: string

  constructor(index: InvertedIndex<string, { readonly value: V }>, key: string) {
    this.#index = index
    this.#key = key
  }

  get size(): number {
    return this.#index.get(this.#key).size
  }

  /** Works on what is there when it begins. */
  [Symbol.iterator](): Iterator<V> {
    return this.toArray()[Symbol.iterator]()
  }

  first(): V | undefined {
    const [first] = this.#index.get(this.#key)
    return first?.value
  }

  toArray(): V[] {
    return Array.from(this.#index.get(this.#key), ({ value }) => value)
  }

  has(value: V): boolean {
    return this.some((other) => other === value)
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
