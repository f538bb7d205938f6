import type { Bucket } from './bucket.ts'

/**
 * One object, and where it stands in each index.
 * Indices hold cells, not keys: to read by index is to walk along an array, without a look-up for each key; a new version of an object whose
 * values have not changed touches no index at all; and because a cell knows its buckets, an object that somebody changed in place cannot
 * corrupt an index, and the old value need not be looked up.
 */
export interface Cell<T> {
  readonly key: string
  object: T
  /** Two for each index: at twice its number how the cell stands in it, and then at which place of the bucket. One list, since it is a part of what each object costs. */
  places: (Standing<T> | number)[]
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
