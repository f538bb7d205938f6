import { Bucket } from './bucket.ts'

/** The entries that have one value. */
export interface Entries<C> extends Iterable<C> {
  readonly size: number
  map<R>(of: (entry: C) => R): R[]
}

const NONE: Entries<never> = { size: 0, map: () => [], [Symbol.iterator]: () => [][Symbol.iterator]() }

/**
 * Which entries have a value: the one index structure, under the Indexer and under whatever else is looked up by value.
 * `K` is the value that is looked up; compare by identity, so tuples must be encoded first. `C` is an entry: a store's cell, or an object of
 * one's own that carries a value of its own beside the cell (one entry for each key under which it is found).
 * Guarantees: no value is kept that no entry has, so values that come and go leave no memory behind; `move` touches only what differs.
 * Assumes: the caller remembers under which values an entry stands, says so, and adds it to none of them again.
 */
export class InvertedIndex<K, C> {
  /** Never holds an empty bucket. */
  readonly #entries = new Map<K, Bucket<K, C>>()

  /** How many values there are. */
  get size(): number {
    return this.#entries.size
  }

  has(value: K): boolean {
    return this.#entries.has(value)
  }

  /** The entries that have the value, live; empty when none has. */
  get(value: K): Entries<C> {
    return this.#entries.get(value) ?? NONE
  }

  values(): IterableIterator<K> {
    return this.#entries.keys()
  }

  /** Gives the value back in a list, always the same one for a value: to remember that instead of one's own spares memory and time. */
  add(value: K, entry: C): readonly K[] {
    const bucket = this.#entries.get(value)
    if (!bucket) return this.#begin(value, entry)
    bucket.add(entry)
    return bucket.value
  }

  delete(value: K, entry: C): void {
    const entries = this.#entries.get(value)
    if (entries?.delete(entry) && entries.size === 0) this.#entries.delete(value)
  }

  /** Takes the entry from its old values to its new ones. Gives these back as they are best remembered, see `add`. */
  move(entry: C, from: readonly K[], to: readonly K[]): readonly K[] {
    if (from === to) return to
    if (from.length <= 1 && to.length <= 1) return this.#moveOne(entry, from, to)
    const [had, has] = [membership(from), membership(to)]
    for (const value of from) if (!has(value)) this.delete(value, entry)
    for (const value of to) if (!had(value)) this.add(value, entry)
    return to
  }

  #begin(value: K, entry: C): readonly K[] {
    const bucket = new Bucket(value, entry)
    this.#entries.set(value, bucket)
    return bucket.value
  }

  #moveOne(entry: C, from: readonly K[], to: readonly K[]): readonly K[] {
    if (from.length === 1 && to.length === 1 && from[0] === to[0]) return from
    if (from.length === 1) this.delete(from[0] as K, entry)
    return to.length === 1 ? this.add(to[0] as K, entry) : to
  }

  clear(): void {
    this.#entries.clear()
  }

  /** What contradicts the guarantees, as sentences. Property tests call it after every step. */
  broken(): string[] {
    return [...this.#entries]
      .filter(([, bucket]) => bucket.size === 0)
      .map(([value]) => `${String(value)} has no entries`)
  }
}

/** A walk is the fastest for the few values that objects have; a set keeps an object with thousands of them from costing their square. */
function membership<K>(values: readonly K[]): (value: K) => boolean {
  if (values.length <= 16) return (value) => values.includes(value)
  const set = new Set(values)
  return (value) => set.has(value)
}
