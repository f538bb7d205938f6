import type { Bucket } from './bucket.ts'

/**
 * One object of a store.
 * Indices hold the numbers of cells, not keys: to read by index is to walk along an array, without a look-up for each key. And each index remembers, by the
 * number of the cell, where it stands: a new version of an object whose values have not changed touches no index at all; an object that somebody changed in
 * place cannot corrupt an index; and the old value need not be looked up.
 */
export interface Cell<T> {
  readonly key: string
  object: T
  /** Of this cell alone while it is in the store. */
  readonly number: number
}

/**
 * The cells of a store, by numbers that are as small as can be: what is known of cells is kept in lists by number, and numbers are what indices hold, which are
 * moved and collected faster than what they stand for.
 * Does not guarantee: that lists become shorter when cells go. Their numbers go to those who come next; a new list of objects begins anew.
 */
export class NumberedCells<T> {
  readonly #cells: (Cell<T> | undefined)[] = []
  readonly #free: number[] = []

  make(key: string, object: T): Cell<T> {
    const number = this.#free.pop() ?? this.#cells.length
    const cell = { key, object, number }
    this.#cells[number] = cell
    return cell
  }

  forget({ number }: Cell<T>): void {
    this.#cells[number] = undefined
    this.#free.push(number)
  }

  /** Assumes: there is such a cell. */
  at(number: number): Cell<T> {
    return this.#cells[number] as Cell<T>
  }
}

/** How a cell stands in an index: under no value, under one, or under several, with its place in each bucket. */
export type Standing = undefined | CellBucket | Map<CellBucket, number> | typeof EXCLUDED
export type CellBucket = Bucket<string, number>

/** What an index function gave. None: the object is not in that index. */
export type IndexValues = readonly string[]

export const NO_VALUES: IndexValues = Object.freeze([])
/** Those that the cell has, whichever they are. Told from others by identity. */
export const SAME_VALUES: IndexValues = Object.freeze([])
/** The object has left the index for good: its function failed in the mode `permanent`. Told from others by identity. */
export const EXCLUDED: IndexValues = Object.freeze([])
