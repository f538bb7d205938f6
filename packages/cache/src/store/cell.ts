/**
 * One object with its index values, computed once per change.
 * Indices hold cells, not keys: to read by index is to walk a set, without a look-up for each key; a new version of an object whose
 * values have not changed touches no index at all; and because the old values are remembered, not computed anew, an object that
 * somebody changed in place cannot corrupt an index.
 */
export interface Cell<T> {
  readonly key: string
  object: T
  /** The values in each index, by the index's number. */
  values: IndexValues[]
}

/** Different from each other. None: the object is not in that index. */
export type IndexValues = readonly string[]

/** Of a cell in a store without indices: one for all, since a list of each one's own would be a tenth of what it takes. */
export const NO_INDICES: IndexValues[] = Object.freeze([] as IndexValues[]) as IndexValues[]

export const NO_VALUES: IndexValues = Object.freeze([])
/** The object has left the index for good: its function failed in the mode `permanent`. Told from NO_VALUES by identity. */
export const EXCLUDED: IndexValues = Object.freeze([])

/** Without duplicates, or the old values if they are the same, so that nothing moves. What has one value may be the given list itself. */
export function settledValues(found: readonly string[], old: IndexValues): IndexValues {
  if (found.length === 0) return NO_VALUES
  if (sameValues(found, old)) return old
  return found.length === 1 ? found : [...new Set(found)]
}

function sameValues(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
