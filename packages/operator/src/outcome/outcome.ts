import { combineMergePatch, copyJson, type KubeObject } from '@binnacle/core'
import type { Cause } from '../cause/detect.ts'
import type { Essence } from '../cause/essence.ts'
import type { ProgressRecords } from '../progress/records.ts'
import type { Storages } from '../progress/storages.ts'
import type { AnnotationChanges } from '../progress/store.ts'
import { finalizerChange } from './finalizer.ts'
import type { ObjectChange } from './patch.ts'
import type { Intention } from './plan.ts'

export interface Outcome {
  readonly body: KubeObject
  readonly cause: Cause
  readonly essence: Essence
  /** What the handlers want written. */
  readonly change: ObjectChange
  readonly records: ProgressRecords
  /** The ids of all handlers of the kind. */
  readonly ids: readonly string[]
  readonly needed: boolean
  readonly held: boolean
  readonly deleting: boolean
}

/**
 * All outcomes of a cycle as one intention: what the handlers wrote, how far they have come, and, once they have all finished, the state
 * that they have handled, or the release of an object whose deletion they have handled.
 */
export function intentionOf(outcome: Outcome, storages: Storages): Intention {
  const { change, needed, held, deleting, records } = outcome
  const annotations = bookkeeping(outcome, storages)
  const merge = copyJson(change.merge)
  if (Object.keys(annotations).length > 0) combineMergePatch(merge, { metadata: { annotations } })
  return {
    change: { merge, edits: change.edits },
    finalizer: finalizerChange({ needed, held, deleting, done: records.allFinished }),
  }
}

function bookkeeping({ body, cause, essence, records, ids }: Outcome, storages: Storages): AnnotationChanges {
  const changes: AnnotationChanges = {}
  const { reason } = cause
  const handled = records.allFinished && (reason === 'create' || reason === 'update')
  if (handled) storages.diffBase.store(body, essence, changes)
  const over = handled || reason === 'noop' || (reason === 'resume' && records.allFinished)
  // What is left of a deletion stays: a foreign finalizer may keep the object, and our handlers are not called twice.
  if (over) records.purge(storages.progress, body, ids, changes)
  else records.store(storages.progress, body, ids, changes)
  return changes
}
