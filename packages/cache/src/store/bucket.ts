/**
 * Entries that share a value: an array, which takes less memory than a set and is read several times as fast. Each entry knows its place, so that none
 * has to be searched for.
 * Does not guarantee: an order. The last one takes the place of the one that leaves.
 */
export class Bucket<K, C> implements Iterable<C> {
  readonly value: K
  readonly #entries: C[]

  constructor(value: K, first: C) {
    this.value = value
    this.#entries = [first]
  }

  get size(): number {
    return this.#entries.length
  }

  at(place: number): C | undefined {
    return this.#entries[place]
  }

  /** At the last place. */
  add(entry: C): void {
    this.#entries.push(entry)
  }

  /** Takes out what is at the place. Gives back the entry that stands there now, if there is one. */
  remove(place: number): C | undefined {
    const last = this.#entries.pop()
    if (last === undefined || place >= this.#entries.length) return undefined
    this.#entries[place] = last
    return last
  }

  /** What `of` makes of each entry. */
  map<R>(of: (entry: C) => R): R[] {
    return this.#entries.map(of)
  }

  [Symbol.iterator](): Iterator<C> {
    return this.#entries[Symbol.iterator]()
  }
}
