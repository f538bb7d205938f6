/** What lies in a heap, and knows where. */
export interface HeapEntry {
  /** Its place in the heap; the heap alone writes it. */
  place: number
}

/**
 * Entries of which the first is always at hand.
 * Guarantees: to put in, to take out, to remove and to move cost the logarithm of the size; an entry that was taken out is not held any longer.
 * Assumes: an entry is in one heap at a time; whoever changes what decides about its order says so with `moved`.
 */
export class BinaryHeap<E extends HeapEntry> {
  readonly #isBefore: (a: E, b: E) => boolean
  readonly #entries: E[] = []

  constructor(isBefore: (a: E, b: E) => boolean) {
    this.#isBefore = isBefore
  }

  get size(): number {
    return this.#entries.length
  }

  peek(): E | undefined {
    return this.#entries[0]
  }

  has(entry: E): boolean {
    return this.#entries[entry.place] === entry
  }

  push(entry: E): void {
    this.#put(entry, this.#entries.length)
    this.#up(entry)
  }

  pop(): E | undefined {
    const first = this.#entries[0]
    if (first) this.remove(first)
    return first
  }

  remove(entry: E): void {
    if (!this.has(entry)) return
    const last = this.#entries.pop() as E
    if (last === entry) return
    this.#put(last, entry.place)
    this.moved(last)
  }

  /** The entry's order has changed. */
  moved(entry: E): void {
    this.#up(entry)
    this.#down(entry)
  }

  clear(): void {
    this.#entries.length = 0
  }

  [Symbol.iterator](): Iterator<E> {
    return this.#entries.values()
  }

  /** What contradicts the guarantees, as sentences. Property tests call it after every step. */
  broken(): string[] {
    return this.#entries.flatMap((entry, at) => {
      const parent = this.#entries[(at - 1) >> 1]
      const early = parent && this.#isBefore(entry, parent) ? [`the entry at ${at} is before the one above it`] : []
      return entry.place === at ? early : [...early, `the entry at ${at} thinks that it is at ${entry.place}`]
    })
  }

  #put(entry: E, place: number): void {
    this.#entries[place] = entry
    entry.place = place
  }

  #up(entry: E): void {
    while (entry.place > 0) {
      const parent = this.#entries[(entry.place - 1) >> 1] as E
      if (!this.#isBefore(entry, parent)) return
      this.#swap(entry, parent)
    }
  }

  #down(entry: E): void {
    for (;;) {
      const child = this.#smallerChild(entry.place)
      if (!child || !this.#isBefore(child, entry)) return
      this.#swap(child, entry)
    }
  }

  #smallerChild(place: number): E | undefined {
    const left = this.#entries[2 * place + 1]
    const right = this.#entries[2 * place + 2]
    return left && right && this.#isBefore(right, left) ? right : left
  }

  #swap(a: E, b: E): void {
    const place = a.place
    this.#put(a, b.place)
    this.#put(b, place)
  }
}
