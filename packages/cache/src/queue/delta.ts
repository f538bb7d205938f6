import { DeletedFinalStateUnknown } from '../keys.ts'

export type DeltaType = 'Added' | 'Updated' | 'Deleted' | 'Replaced' | 'Sync'

/** One thing that happened to one object. */
export interface Delta<T> {
  readonly type: DeltaType
  /** Its state after that; for `Deleted`, the last one known, or a tombstone. */
  readonly object: T | DeletedFinalStateUnknown<T>
}

/** What has happened to one object since it was last processed, oldest first; never empty when it comes out of a queue. */
export interface Deltas<T> extends ReadonlyArray<Delta<T>> {
  oldest(): Delta<T> | undefined
  newest(): Delta<T> | undefined
}

/** The deltas of one key while they gather. */
export class DeltaList<T> extends Array<Delta<T>> implements Deltas<T> {
  // What `map` and the like make of it is a plain list.
  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }

  oldest(): Delta<T> | undefined {
    return this[0]
  }

  newest(): Delta<T> | undefined {
    return this[this.length - 1]
  }

  /**
   * One more. Two deletions in a row become one: the one that was seen, if the other was only inferred; of two that were seen the earlier, of two
   * that were inferred the later, which knows more. Nothing else is joined.
   */
  note(delta: Delta<T>): void {
    const last = this.newest()
    if (last?.type !== 'Deleted' || delta.type !== 'Deleted') this.push(delta)
    else if (last.object instanceof DeletedFinalStateUnknown) this[this.length - 1] = delta
  }
}

export function deltaList<T>(deltas: Iterable<Delta<T>>): DeltaList<T> {
  const list = new DeltaList<T>()
  for (const delta of deltas) list.push(delta)
  return list
}

/** A tombstone with the last state that is known, also when that was itself a tombstone. */
export function tombstone<T>(key: string, last: T | DeletedFinalStateUnknown<T> | undefined): Delta<T> {
  const object = last instanceof DeletedFinalStateUnknown ? last.obj : last
  return { type: 'Deleted', object: new DeletedFinalStateUnknown(key, object) }
}
