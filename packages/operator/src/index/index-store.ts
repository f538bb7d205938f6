import { type Bucket, InvertedIndex } from '@binnacle/cache'
import type { Index, IndexKey } from '../declare/index-handler.ts'
import { type InternedKey, internKey } from './index-key.ts'
import { ReadableIndex } from './readable-index.ts'

/** One value of one object under one key. */
interface Given<K, V> {
  readonly key: K
  readonly interned: InternedKey
  readonly value: V
}

/** The same, with where it stands in the index: the bucket has its interned key. */
interface Entry<K, V> {
  key: K
  value: V
  bucket: Bucket<InternedKey, Entry<K, V>> | undefined
  place: number
}

type Entries<K, V> = InvertedIndex<InternedKey, Entry<K, V>>

/** What an object has in an index: most have one value, and a list for each of them would weigh more than the value. */
type Held<K, V> = Entry<K, V> | readonly Entry<K, V>[]

/**
 * One index: keys lead to collections of values, each value from one object. The structure under it is the cache's own.
 * Guarantees: lookups cost the same whatever the size, and a change costs the keys of its object only; a key exists as long as
 * it has values; equal keys of many objects are kept once.
 */
export class IndexStore<K extends IndexKey, V> {
  readonly #index: Entries<K, V> = new InvertedIndex((entry, _bucket, place) => {
    entry.place = place
  })
  /** What each object has in the index, so that it can be taken out again. Never an empty list. */
  readonly #held = new Map<string, Held<K, V>>()
  /** What handlers read. */
  readonly view: Index<K, V> = new ReadableIndex(this.#index)

  /** All that the object has in this index from now on; whatever it had under other keys goes. When it throws, nothing has changed. */
  put(object: string, values: Iterable<readonly [K, V]>): void {
    const given = Array.from(values, ([key, value]): Given<K, V> => ({ key, interned: internKey(key), value }))
    const former = listOf(this.#held.get(object))
    const next = given.length > 1 ? withoutRepetitions(given) : given
    const had = memberOf(former)
    const placed = next.map((each) => this.#placed(each, had(each.interned)))
    const has = memberOf(placed)
    for (const entry of former)
      if (entry.bucket && !has(entry.bucket.value)) this.#index.remove(entry.bucket, entry.place)
    const [only] = placed
    if (only) this.#held.set(object, placed.length === 1 ? only : placed)
    else this.#held.delete(object)
  }

  drop(object: string): void {
    this.put(object, [])
  }

  /** The entry that the object has under this key already, with its new value; else a new one, put in. */
  #placed({ key, interned, value }: Given<K, V>, present: Entry<K, V> | undefined): Entry<K, V> {
    if (present) {
      present.value = value
      return present
    }
    const entry: Entry<K, V> = { key, value, bucket: undefined, place: 0 }
    const bucket = this.#index.add(interned, entry)
    if (key === interned) entry.key = bucket.value as K
    entry.bucket = bucket
    entry.place = bucket.size - 1
    return entry
  }
}

function listOf<E extends object>(held: E | readonly E[] | undefined): readonly E[] {
  if (held === undefined) return NOTHING
  return Array.isArray(held) ? held : [held as E]
}
const NOTHING: readonly never[] = []

/** A walk is the fastest for few; a Map keeps an object with thousands of keys from costing their square. */
function memberOf<K, V>(entries: readonly Entry<K, V>[]): (interned: InternedKey) => Entry<K, V> | undefined {
  if (entries.length <= 8) return (interned) => entries.find(({ bucket }) => bucket?.value === interned)
  const byKey = new Map(entries.map((entry) => [entry.bucket?.value, entry]))
  return (interned) => byKey.get(interned)
}

/** Of two values under one key the later one counts, as in a Map. */
function withoutRepetitions<K, V>(entries: readonly Given<K, V>[]): readonly Given<K, V>[] {
  return [...new Map(entries.map((entry) => [entry.interned, entry])).values()]
}
