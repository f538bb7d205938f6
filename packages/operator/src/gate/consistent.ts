import { compareResourceVersions, type KubeObject, type ResourceVersion } from '@binnacle/core'

/** Our own last write to an object, until the cache has it. */
export interface Awaited {
  readonly version: ResourceVersion
  /** On the monotonic clock, in seconds: after that the write counts as seen. */
  readonly deadline: number
}

/** The newest version of an object that the operator knows of for certain: it wrote it, or has asked the server for it. */
export interface Floor {
  readonly version: ResourceVersion
  /** On the monotonic clock, in seconds: versions may go back when a backup is restored, so it does not hold for ever. */
  readonly until: number
}

/** Seconds for which a floor holds: longer than a silent watch stays unnoticed. */
export const FLOOR_SECONDS = 300

/** Seconds until the object may be looked at again; 0 when the cache has seen our last write, or has had its time. */
export function inconsistentFor(awaited: Awaited | undefined, body: KubeObject, now: number): number {
  return isBehind(awaited, body) ? Math.max(0, awaited.deadline - now) : 0
}

/** Whether the cache has not seen our last write yet. */
export function isBehind(awaited: Awaited | undefined, body: KubeObject): awaited is Awaited {
  if (!awaited) return false
  const order = compareResourceVersions(body.metadata.resourceVersion, awaited.version)
  return order === undefined ? body.metadata.resourceVersion !== awaited.version : order < 0
}

/**
 * Whether a state that has just arrived is older than what is known for certain.
 * Guarantees: a watch that lags, repeats itself or comes out of order does not take an object back to before the operator's own writes.
 */
export function isBelow(floor: Floor | undefined, { metadata }: KubeObject, now: number): boolean {
  if (!floor || now > floor.until) return false
  return (compareResourceVersions(metadata.resourceVersion, floor.version) ?? 0) < 0
}
