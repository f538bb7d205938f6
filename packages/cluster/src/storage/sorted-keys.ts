/**
 * A set of keys in order, in blocks: one array of a million would be moved by half with every key that comes.
 * Guarantees: add, delete, at and position take time that grows with the logarithm of the size, and with the size of a block.
 * Assumes: no key is added twice, nor deleted when it is not there.
 */

/** A block that is twice as long is cut in two. */
const half = 512

export class SortedKeys {
  /** None is empty, but for the only one. */
  #blocks: string[][] = [[]]
  /** Where each block begins; undefined after a change, until somebody asks. */
  #starts: number[] | undefined
  #size = 0
  /** The block that was read last: who reads in order finds the next key there. */
  #last = 0

  get size(): number {
    return this.#size
  }

  add(key: string): void {
    const at = this.#blockFor(key)
    const block = this.#blocks[at] as string[]
    block.splice(lowest(block, key), 0, key)
    if (block.length >= 2 * half) this.#blocks.splice(at, 1, block.slice(0, half), block.slice(half))
    this.#changed(1)
  }

  delete(key: string): void {
    const at = this.#blockFor(key)
    const block = this.#blocks[at] as string[]
    block.splice(lowest(block, key), 1)
    if (block.length === 0 && this.#blocks.length > 1) this.#blocks.splice(at, 1)
    this.#changed(-1)
  }

  /** Exactly these, which come in any order. */
  become(keys: Iterable<string>): void {
    const sorted = [...keys].sort()
    this.#blocks = []
    for (let i = 0; i < sorted.length; i += half) this.#blocks.push(sorted.slice(i, i + half))
    if (this.#blocks.length === 0) this.#blocks.push([])
    this.#changed(sorted.length - this.#size)
  }

  at(index: number): string | undefined {
    const starts = this.#offsets()
    const begins = (block: number) => starts[block] ?? Number.POSITIVE_INFINITY
    if (index < begins(this.#last) || index >= begins(this.#last + 1)) this.#last = this.#blockAt(index, starts)
    return this.#blocks[this.#last]?.[index - begins(this.#last)]
  }

  /** How many keys are before this one. */
  position(key: string): number {
    const at = this.#blockFor(key)
    return (this.#offsets()[at] as number) + lowest(this.#blocks[at] as string[], key)
  }

  /** The last block that begins with this key or an earlier one: where it is, or belongs. */
  #blockFor(key: string): number {
    let [low, high] = [0, this.#blocks.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if ((this.#blocks[middle]?.[0] as string) <= key) low = middle
      else high = middle - 1
    }
    return low
  }

  #blockAt(index: number, starts: readonly number[]): number {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if ((starts[middle] as number) <= index) low = middle
      else high = middle - 1
    }
    return low
  }

  #offsets(): readonly number[] {
    if (this.#starts) return this.#starts
    let sum = 0
    this.#starts = this.#blocks.map((block) => {
      sum += block.length
      return sum - block.length
    })
    return this.#starts
  }

  #changed(by: number): void {
    this.#size += by
    this.#starts = undefined
    this.#last = 0
  }
}

/** The index of the first key that is not before this one. */
function lowest(keys: readonly string[], key: string): number {
  let [low, high] = [0, keys.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((keys[middle] as string) < key) low = middle + 1
    else high = middle
  }
  return low
}
