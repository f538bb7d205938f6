import type { InvertedIndex } from '@binnacle/cache'
import type { Index, IndexDefinition, IndexKey, IndexValues } from '../declare/index-handler.ts'
import { type InternedKey, internKey } from './index-key.ts'

/** What a view reads. A type only: whoever declares an operator has to load no cache for that. */
export type IndexContent<K, V> = Pick<
  InvertedIndex<InternedKey, { readonly key: K; readonly value: V }>,
  'get' | 'has' | 'size' | 'values'
>

const NOTHING: IndexContent<never, never> = {
  get: () => ({ size: 0, map: () => [], [Symbol.iterator]: () => [][Symbol.iterator]() }),
  has: () => false,
  size: 0,
  values: () => [][Symbol.iterator](),
}

/** Indices that nothing will ever fill: what an operator shows before it runs. */
export function emptyIndices(definitions: ReadonlyMap<string, IndexDefinition>): {} {
  return Object.fromEntries(Array.from(definitions, ([name]) => [name, new ReadableIndex(NOTHING)]))
}

/** The mapping that handlers read: live, read-only, there from the start. */
export class ReadableIndex<K extends IndexKey, V> implements Index<K, V> {
  readonly #index: IndexContent<K, V>

  constructor(index: IndexContent<K, V>) {
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
  readonly #index: Pick<IndexContent<unknown, V>, 'get'>
  readonly #key: InternedKey

  constructor(index: Pick<IndexContent<unknown, V>, 'get'>, key: InternedKey) {
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
