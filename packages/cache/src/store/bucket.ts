/** As long as there are so few, to walk along them is faster than to look one up. */
const FEW = 64

/**
 * Entries that share a value, in the order in which they came. Most values are shared by few: then it is an array, which takes less memory than
 * a set and is read several times as fast.
 * Assumes: no entry is added that is there.
 */
export class Bucket<K, C> implements Iterable<C> {
  /** The value, in a list that its entries may remember together. */
  readonly value: readonly [K]
  #entries: C[] | Set<C>

  constructor(value: K, first: C) {
    this.value = [value]
    this.#entries = [first]
  }

  get size(): number {
    return Array.isArray(this.#entries) ? this.#entries.length : this.#entries.size
  }

  add(entry: C): void {
    if (!Array.isArray(this.#entries)) this.#entries.add(entry)
    else if (this.#entries.push(entry) > FEW) this.#entries = new Set(this.#entries)
  }

  /** True if it was there. */
  delete(entry: C): boolean {
    if (!Array.isArray(this.#entries)) return this.#entries.delete(entry)
    const at = this.#entries.indexOf(entry)
    if (at === -1) return false
    // Not by splice, which makes an array of what it takes out.
    for (let i = at + 1; i < this.#entries.length; i++) this.#entries[i - 1] = this.#entries[i] as C
    this.#entries.pop()
    return true
  }

  /** What `of` makes of each entry. */
  map<R>(of: (entry: C) => R): R[] {
    if (Array.isArray(this.#entries)) return this.#entries.map(of)
    // Not by Array.from, which takes five times as long for thousands of entries.
    const made: R[] = []
    for (const entry of this.#entries) made.push(of(entry))
    return made
  }

  [Symbol.iterator](): Iterator<C> {
    return this.#entries[Symbol.iterator]()
  }
}
