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
 * Guarantees: no value is kept that no entry has, so values that come and go leave no memory behind, but for one empty bucket; to add costs one
 * look-up, and to remove none, however many share the value.
 * Does not guarantee: an order of entries.
 * Assumes: the caller remembers the bucket and the place of each entry, also when told of a new place, and adds no entry to a value twice.
 */
export class InvertedIndex<K, C> {
  /** Never holds an empty bucket. */
  readonly #buckets = new Map<K, Bucket<K, C>>()
  /** Where the last one was added: what comes together, as in a list, mostly shares its value. One of the buckets, or undefined. */
  #recent: Bucket<K, C> | undefined
  /**
   * The bucket that was the last to lose all its entries. Where entries move from value to value, others often come to it next; it need not grow anew.
   */
  #left: Bucket<K, C> | undefined
  readonly #moved: (entry: C, bucket: Bucket<K, C>, place: number) => void

  /** `moved` is told which entry has taken the place of one that left. */
  constructor(moved: (entry: C, bucket: Bucket<K, C>, place: number) => void) {
    this.#moved = moved
  }

  /** How many values there are. */
  get size(): number {
    return this.#buckets.size
  }

  has(value: K): boolean {
    return this.#buckets.has(value)
  }

  /** The entries that have the value, live; empty when none has. */
  get(value: K): Entries<C> {
    return this.#buckets.get(value) ?? NONE
  }

  values(): IterableIterator<K> {
    return this.#buckets.keys()
  }

  /** The bucket of a value, to see whether an entry stands there already. */
  bucket(value: K): Bucket<K, C> | undefined {
    return this.#buckets.get(value)
  }

  /** Gives back where the entry stands now: at the last place of this bucket. */
  add(value: K, entry: C): Bucket<K, C> {
    const bucket = this.#recent?.value === value ? this.#recent : this.#buckets.get(value)
    if (!bucket) return this.#begin(value, entry)
    bucket.add(entry)
    this.#recent = bucket
    return bucket
  }

  remove(bucket: Bucket<K, C>, place: number): void {
    const moved = bucket.remove(place)
    if (moved !== undefined) this.#moved(moved, bucket, place)
    else if (bucket.size === 0) this.#end(bucket)
  }

  clear(): void {
    this.#buckets.clear()
    this.#recent = undefined
    this.#left = undefined
  }

  /** What contradicts the guarantees, as sentences. Property tests call it after every step. */
  broken(): string[] {
    return [...this.#buckets]
      .filter(([, bucket]) => bucket.size === 0)
      .map(([value]) => `${String(value)} has no entries`)
  }

  #begin(value: K, entry: C): Bucket<K, C> {
    const left = this.#left?.value === value ? this.#left : undefined
    left?.add(entry)
    const bucket = left ?? new Bucket(value, entry)
    this.#buckets.set(value, bucket)
    this.#recent = bucket
    return bucket
  }

  #end(bucket: Bucket<K, C>): void {
    this.#buckets.delete(bucket.value)
    if (this.#recent === bucket) this.#recent = undefined
    this.#left = bucket
  }
}
