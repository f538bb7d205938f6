import type { Cluster } from '@binnacle/cluster'
import type { OperatorUnderTest } from './operator-under-test.ts'

/** As much of an object as leaks are seen by. */
interface Seen {
  readonly metadata: {
    readonly uid?: string
    readonly deletionTimestamp?: string
    readonly finalizers?: readonly string[]
  }
}

/** Causes whose functions run for as long as their object is there. */
const LASTING = new Set(['daemon', 'timer'])

/**
 * What an operator has left behind: work that goes on although all should be at rest; waits of a life that has ended; and, where the cluster
 * can be looked into, finalizers on objects that are being deleted, and daemons of objects that are gone.
 */
export function leaksOf(subject: OperatorUnderTest, cluster: Cluster | undefined): readonly string[] {
  const objects = cluster && new Map((cluster.snapshot() as readonly Seen[]).map((seen) => [seen.metadata.uid, seen]))
  return [
    ...subject.activity().map((activity) => `work goes on: ${activity}`),
    ...leftovers(subject),
    ...(objects ? finalizers(subject, objects) : []),
    ...(objects ? orphans(subject, objects) : []),
  ]
}

/** What outlives a life of the operator that has ended. */
export function leftovers({ name, waitsLeft }: OperatorUnderTest): readonly string[] {
  if (waitsLeft === 0) return []
  return [`tasks: operator "${name}" has been stopped, and ${waitsLeft} of its waits for time go on`]
}

function finalizers({ ledger }: OperatorUnderTest, objects: ReadonlyMap<string | undefined, Seen>): readonly string[] {
  const held = ledger.finalizers.held.filter(({ uid }) => {
    const metadata = objects.get(uid)?.metadata
    return metadata?.deletionTimestamp !== undefined && (metadata.finalizers?.length ?? 0) > 0
  })
  return held.map(({ object }) => `finalizer: ${object} is being deleted, and the operator still holds it`)
}

function orphans({ runs }: OperatorUnderTest, objects: ReadonlyMap<string | undefined, Seen>): readonly string[] {
  const going = runs.filter(({ outcome, cause, uid }) => {
    return outcome === 'running' && LASTING.has(cause) && !objects.has(uid)
  })
  return going.map(({ object, cause, handler }) => `${cause}: "${handler}" still runs for ${object}, which is gone`)
}
