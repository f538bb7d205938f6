import type { Bucket } from './bucket.ts'

/**
 * One object of a store.
 * Indices hold cells, not keys: to read by index is to walk along an array, without a look-up for each key. And each index remembers, by the number of the cell,
 * where the cell stands: a new version of an object whose values have not changed touches no index at all; an object that somebody changed in place cannot
 * corrupt an index; and the old value need not be looked up.
 */
export interface Cell<T> {
  readonly key: string
  object: T
  /** Of this cell alone while it is in the store. */
  readonly number: number
}

/**
 * Numbers for the cells of a store, as small as can be: what is known of cells is kept in lists by number, which are read several times as fast as what
 * each cell would keep by itself.
 * Does not guarantee: that lists become shorter when cells go. Their numbers go to those who come next; a list of objects begins anew.
 */
export class CellNumbers {
  readonly #free: number[] = []
  #next = 0

  take(): number {
    return this.#free.pop() ?? this.#next++
  }

  giveBack(number: number): void {
    this.#free.push(number)
  }
}

/** How a cell stands in an index: under no value, under one, or under several, with its place in each bucket. */
export type Standing<T> = undefined | CellBucket<T> | Map<CellBucket<T>, number> | typeof EXCLUDED
export type CellBucket<T> = Bucket<string, Cell<T>>

/** What an index function gave. None: the object is not in that index. */
export type IndexValues = readonly string[]

export const NO_VALUES: IndexValues = Object.freeze([])
/** Those that the cell has, whichever they are. Told from others by identity. */
export const SAME_VALUES: IndexValues = Object.freeze([])
/** The object has left the index for good: its function failed in the mode `permanent`. Told from others by identity. */
export const EXCLUDED: IndexValues = Object.freeze([])
