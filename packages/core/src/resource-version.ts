/** An opaque version of an object or a list. Comparable within one resource only; never convert it to a number. */
export type ResourceVersion = string

const WELL_FORMED = /^(0|[1-9][0-9]*)$/

/**
 * Negative, zero or positive; undefined when either is not a well-formed version. By length, then by digits: versions have 64 bits
 * and do not fit a Number.
 */
export function compareResourceVersions(a: ResourceVersion, b: ResourceVersion): number | undefined {
  if (!WELL_FORMED.test(a) || !WELL_FORMED.test(b)) return undefined
  if (a.length !== b.length) return a.length - b.length
  return a < b ? -1 : a > b ? 1 : 0
}
