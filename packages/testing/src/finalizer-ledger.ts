import type { Write } from 'binnacle'

/** What an operator did with its finalizer on one object, in order. */
export interface FinalizerEntry {
  /** `kind namespace/name` */
  readonly object: string
  readonly uid: string
  readonly did: 'hold' | 'release'
  readonly at: Date
}

/** Every finalizer that an operator has put on an object, or taken off, in order. */
export interface Finalizers extends ReadonlyArray<FinalizerEntry> {
  /** Those that it holds still, as far as it knows. */
  readonly held: readonly FinalizerEntry[]
}

export function finalizersIn(writes: readonly Write[]): Finalizers {
  const entries = writes.flatMap(({ object, uid, at, finalizer }) =>
    finalizer === undefined ? [] : [{ object, uid, at, did: finalizer }],
  )
  const latest = new Map(entries.map((entry) => [entry.uid, entry]))
  return Object.assign(entries, { held: [...latest.values()].filter(({ did }) => did === 'hold') })
}
