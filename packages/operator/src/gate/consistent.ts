import { compareResourceVersions, type KubeObject, type ResourceVersion } from '@binnacle/core'

/** Our own last write to an object, until the cache has it. */
export interface Awaited {
  readonly version: ResourceVersion
  /** On the monotonic clock, in seconds: after that the write counts as seen. */
  readonly deadline: number
}

/**
 * Seconds until the object may be looked at again; 0 when the cache has seen our last write.
 * Guarantees: a handler never runs on a state that is older than what the operator itself has written, unless the watch is silent for
 * longer than the timeout.
 */
export function inconsistentFor(awaited: Awaited | undefined, body: KubeObject, now: number): number {
  if (!awaited) return 0
  const order = compareResourceVersions(body.metadata.resourceVersion, awaited.version)
  if (order === undefined ? body.metadata.resourceVersion === awaited.version : order >= 0) return 0
  return Math.max(0, awaited.deadline - now)
}
