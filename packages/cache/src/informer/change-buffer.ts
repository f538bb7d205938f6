import { type Change, merged } from './change.ts'

/** From this many changes in one step on they are kept together. */
const BUNDLE = 256

/** So many places of what has left may be kept, before those behind them move up. */
const SPARE = 256

/** One change; or many that came in one step, of different objects mostly, of which `at` is the next. */
interface Entry<T> {
  change: Change<T> | undefined
  readonly many?: readonly Change<T>[]
  at?: number
  /** Something to do when it is reached, in place of a change. */
  readonly mark?: () => void
}

/** Stands where one was taken, so that nobody keeps what it held. */
const TAKEN: Entry<never> = Object.freeze({ change: undefined })

/**
 * Changes that wait for one reader.
 * Guarantees: in order; while fewer than `limit` wait, each as it came. From then on changes of one object are merged into what waits for
 * it, so that at most two for each object are added to the limit: the reader misses states in between, never the newest one. Changes that
 * came in one step, as those of a list do, are kept as they are beside that: one for each object.
 */
export class ChangeBuffer<T> {
  readonly #limit: number
  readonly #onMerge: () => void
  /** In order of arrival, from the head on. An array: a set would hash each entry. One that was merged away stays, without a change, until it is reached. */
  #waiting: Entry<T>[] = []
  #head = 0
  /** How many were merged away and are still in their places. */
  #empty = 0
  /** The last entry of each key that waits; only since the limit was reached, because most readers never let that happen. */
  #newest: Map<string, Entry<T>> | undefined
  /** The entry that is being taken from, change by change. */
  #bundle: Entry<T> | undefined
  /** How many wait in bundles, beyond the entries themselves. */
  #inBundles = 0

  constructor(limit: number, onMerge: () => void = () => {}) {
    this.#limit = limit
    this.#onMerge = onMerge
  }

  get size(): number {
    return this.#entries + this.#inBundles
  }

  push(change: Change<T>): void {
    const waiting = this.size >= this.#limit ? this.#newestOf(change.key) : undefined
    const both = waiting?.change && merged(waiting.change, change)
    if (!waiting || both === undefined) this.#append(change)
    else if (both === 'nothing') this.#drop(waiting, change.key)
    else waiting.change = both
    if (waiting && both !== undefined) this.#onMerge()
  }

  /** All of one step, at the cost of one. The list is not changed any more by whoever gives it. */
  pushAll(changes: readonly Change<T>[]): void {
    // One bundle at a time: if a reader is so slow that a second one comes, its changes are merged with what comes after the first.
    if (changes.length < BUNDLE || this.#inBundles > 0) {
      for (const change of changes) this.push(change)
      return
    }
    this.#waiting.push({ change: undefined, many: changes, at: 0 })
    this.#inBundles += changes.length - 1
    // What comes next about these objects must not be merged into what waited before them.
    this.#newest?.clear()
  }

  /** Calls back when everything that waits now has been taken, and the reader comes for more. */
  mark(mark: () => void): void {
    this.#waiting.push({ change: undefined, mark })
  }

  /** The next change; undefined if none waits. */
  take(): Change<T> | undefined {
    if (this.#bundle) return this.#takeFrom(this.#bundle)
    for (let entry = this.#waiting[this.#head]; entry; entry = this.#waiting[this.#head]) {
      if (entry.many) return this.#takeFrom(entry)
      this.#advance(entry)
      if (entry.change) return this.#taken(entry, entry.change)
      entry.mark?.()
    }
    return undefined
  }

  clear(): void {
    this.#waiting = []
    this.#head = 0
    this.#empty = 0
    this.#newest = undefined
    this.#bundle = undefined
    this.#inBundles = 0
  }

  #takeFrom(entry: Entry<T>): Change<T> | undefined {
    const { many = [], at = 0 } = entry
    const isLast = at + 1 >= many.length
    this.#bundle = isLast ? undefined : entry
    if (isLast) this.#advance(entry)
    else this.#inBundles--
    entry.at = at + 1
    return many[at]
  }

  #append(change: Change<T>): void {
    const entry: Entry<T> = { change }
    this.#waiting.push(entry)
    this.#newest?.set(change.key, entry)
  }

  #drop(entry: Entry<T>, key: string): void {
    entry.change = undefined
    this.#newest?.delete(key)
    this.#empty++
    if (this.#empty > SPARE && this.#empty > this.#entries) this.#moveUp()
  }

  #taken(entry: Entry<T>, change: Change<T>): Change<T> {
    if (this.#newest?.get(change.key) === entry) this.#newest.delete(change.key)
    if (this.#entries === 0) this.#newest = undefined
    return change
  }

  #newestOf(key: string): Entry<T> | undefined {
    if (!this.#newest) {
      this.#newest = new Map()
      for (const entry of this.#waiting.slice(this.#head)) {
        if (entry.many) this.#newest.clear()
        else if (entry.change) this.#newest.set(entry.change.key, entry)
      }
    }
    return this.#newest.get(key)
  }

  /** Entries that mean something. */
  get #entries(): number {
    return this.#waiting.length - this.#head - this.#empty
  }

  /** Past the entry at the head. */
  #advance(entry: Entry<T>): void {
    if (isEmpty(entry)) this.#empty--
    this.#waiting[this.#head] = TAKEN
    this.#head++
    if (this.#head > SPARE && this.#head * 2 > this.#waiting.length) this.#moveUp()
  }

  #moveUp(): void {
    this.#waiting = this.#waiting.filter((entry) => !isEmpty(entry))
    this.#head = 0
    this.#empty = 0
  }
}

function isEmpty<T>({ change, many, mark }: Entry<T>): boolean {
  return change === undefined && many === undefined && mark === undefined
}
