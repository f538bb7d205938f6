/**
 * Keys in the order of arrival, of which the first is asked for again and again.
 * Guarantees: each key once; `first`, `add` and `delete` take the same time however many wait. A Set alone does not: to find its first it passes over
 * all that were deleted before, so that 50,000 in a row cost a second.
 */
export class FirstInLine {
  readonly #keys = new Set<string>()
  /** Goes on from key to key, also to those that come later; undefined when it has come to an end. */
  #walk: IterableIterator<string> | undefined
  #first: string | undefined

  get size(): number {
    return this.#keys.size
  }

  get first(): string | undefined {
    if (this.#first !== undefined || this.#keys.size === 0) return this.#first
    this.#walk ??= this.#keys.values()
    // There is one more: whatever it has passed was the first, and has been deleted.
    this.#first = this.#walk.next().value
    return this.#first
  }

  add(key: string): void {
    this.#keys.add(key)
  }

  delete(key: string): void {
    this.#keys.delete(key)
    if (key === this.#first) this.#first = undefined
    if (this.#keys.size === 0) this.#walk = undefined
  }
}
