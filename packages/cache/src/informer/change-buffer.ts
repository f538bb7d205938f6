import { type Change, merged } from './change.ts'

interface Entry<T> {
  change: Change<T> | undefined
  /** Something to do when it is reached, in place of a change. */
  readonly mark?: () => void
}

/**
 * Changes that wait for one reader.
 * Guarantees: in order; while fewer than `limit` wait, each as it came. From then on changes of one object are merged into what waits for
 * it, so that at most two for each object are added to the limit: the reader misses states in between, never the newest one.
 */
export class ChangeBuffer<T> {
  readonly #limit: number
  readonly #onMerge: () => void
  /** In order of arrival. A set, because a merged pair may vanish from the middle. */
  readonly #waiting = new Set<Entry<T>>()
  /** The last entry of each key that waits. */
  readonly #newest = new Map<string, Entry<T>>()
  /** Kept from take to take: a new iterator would first have to walk past all that was taken before. */
  #cursor: Iterator<Entry<T>> | undefined

  constructor(limit: number, onMerge: () => void = () => {}) {
    this.#limit = limit
    this.#onMerge = onMerge
  }

  get size(): number {
    return this.#waiting.size
  }

  push(change: Change<T>): void {
    const waiting = this.#waiting.size >= this.#limit ? this.#newest.get(change.key) : undefined
    const both = waiting?.change && merged(waiting.change, change)
    if (!waiting || both === undefined) this.#append(change)
    else if (both === 'nothing') this.#drop(waiting, change.key)
    else waiting.change = both
    if (waiting && both !== undefined) this.#onMerge()
  }

  /** Calls back when everything that waits now has been taken, and the reader comes for more. */
  mark(mark: () => void): void {
    this.#waiting.add({ change: undefined, mark })
  }

  /** The next change; undefined if none waits. */
  take(): Change<T> | undefined {
    for (let entry = this.#first(); entry; entry = this.#first()) {
      this.#waiting.delete(entry)
      if (entry.change) return this.#taken(entry, entry.change)
      entry.mark?.()
    }
    return undefined
  }

  clear(): void {
    this.#waiting.clear()
    this.#newest.clear()
    this.#cursor = undefined
  }

  #append(change: Change<T>): void {
    const entry: Entry<T> = { change }
    this.#waiting.add(entry)
    this.#newest.set(change.key, entry)
  }

  #drop(entry: Entry<T>, key: string): void {
    this.#waiting.delete(entry)
    this.#newest.delete(key)
  }

  #taken(entry: Entry<T>, change: Change<T>): Change<T> {
    if (this.#newest.get(change.key) === entry) this.#newest.delete(change.key)
    return change
  }

  #first(): Entry<T> | undefined {
    if (this.#waiting.size === 0) return undefined
    this.#cursor ??= this.#waiting.values()
    const next = this.#cursor.next()
    if (!next.done) return next.value
    this.#cursor = undefined
    return this.#first()
  }
}
