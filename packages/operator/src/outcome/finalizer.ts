/** What to do about our finalizer. */
export type FinalizerChange = 'hold' | 'release' | 'leave'

export interface FinalizerState {
  /** A handler wants to see the deletion of this object. */
  readonly needed: boolean
  readonly held: boolean
  readonly deleting: boolean
  /** Everything that the deletion had to wait for is done. */
  readonly done: boolean
}

/**
 * Hold, release, or leave alone.
 * Guarantees: an object is held before its first handler runs, and let go only when the deletion is handled or concerns nobody any more;
 * a finalizer of somebody else is never touched.
 */
export function finalizerChange({ needed, held, deleting, done }: FinalizerState): FinalizerChange {
  if (deleting) return held && (done || !needed) ? 'release' : 'leave'
  if (needed) return held ? 'leave' : 'hold'
  return held ? 'release' : 'leave'
}
