import type { DeletedFinalStateUnknown } from '../keys.ts'

export type DeltaType = 'Added' | 'Updated' | 'Deleted' | 'Replaced' | 'Sync'

/** One thing that happened to one object. */
export interface Delta<T> {
  readonly type: DeltaType
  /** Its state after that; for `Deleted`, the last one known, or a tombstone. */
  readonly object: T | DeletedFinalStateUnknown<T>
}
