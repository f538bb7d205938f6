/** Past this many taken places the array is cut, if they are half of it. */
const CUT_AFTER = 1024

/**
 * A line of items, first in, first out.
 * Guarantees: to append and to take cost the same however long the line is; an item that was taken is not held any longer.
 */
export class Arrivals<E> {
  #items: (E | undefined)[] = []
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  append(item: E): void {
    this.#items.push(item)
  }

  /** The first item without taking it, or the one `offset` places behind it. */
  peek(offset = 0): E | undefined {
    return this.#items[this.#head + offset]
  }

  /** The first item, as `take(1)` would give it, without a list around it. */
  shift(): E | undefined {
    if (this.#head === this.#items.length) return undefined
    const item = this.#items[this.#head]
    this.#items[this.#head++] = undefined
    this.#cut()
    return item
  }

  /** The first `count` items, or as many as there are. */
  take(count: number): E[] {
    const end = Math.min(this.#head + count, this.#items.length)
    const taken = this.#items.slice(this.#head, end) as E[]
    this.#items.fill(undefined, this.#head, end)
    this.#head = end
    this.#cut()
    return taken
  }

  *[Symbol.iterator](): Iterator<E> {
    for (let at = this.#head; at < this.#items.length; at++) yield this.#items[at] as E
  }

  #cut(): void {
    if (this.#head === this.#items.length) this.#items = []
    else if (this.#head >= CUT_AFTER && this.#head * 2 >= this.#items.length)
      this.#items = this.#items.slice(this.#head)
    else return
    this.#head = 0
  }
}
