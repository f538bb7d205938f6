import { combineMergePatch, copyJson, type KubeObject } from '@binnacle/core'
import type { Cause } from '../cause/detect.ts'
import type { Essence } from '../cause/essence.ts'
import type { ProgressRecords } from '../progress/records.ts'
import type { StoragePatch } from '../progress/storage.ts'
import type { Storages } from '../progress/storages.ts'
import { conditionEdit } from './conditions.ts'
import { finalizerChange } from './finalizer.ts'
import { type Edit, type ObjectChange, patchDraft } from './patch.ts'
import type { Intention } from './plan.ts'

export interface Outcome {
  readonly body: KubeObject
  readonly cause: Cause
  readonly essence: Essence
  /** What the handlers want written. */
  readonly change: ObjectChange
  readonly records: ProgressRecords
  /** Where failures for good are shown in the status; undefined where the kind has no room for it. */
  readonly condition: string | undefined
  readonly now: Date
  /** The ids of all handlers of the kind. */
  readonly ids: readonly string[]
  readonly needed: boolean
  readonly held: boolean
  readonly deleting: boolean
  /** A daemon or timer is still at work, and the object waits for it. */
  readonly blocked: boolean
}

/**
 * All outcomes of a cycle as one intention: what the handlers wrote, how far they have come, and, once they have all finished, the state
 * that they have handled, or the release of an object whose deletion they have handled.
 */
export function intentionOf(outcome: Outcome, storages: Storages): Intention {
  const { change, needed, held, deleting, blocked, records } = outcome
  const draft = patchDraft()
  bookkeeping(outcome, storages, draft.patch as StoragePatch)
  const merge = copyJson(change.merge)
  combineMergePatch(merge, draft.take().merge)
  return {
    change: { merge, edits: [...change.edits, ...visibleTrace(outcome)] },
    finalizer: finalizerChange({ needed, held, deleting, done: records.allFinished && !blocked }),
  }
}

/** An object that is about to go needs no trace in its status. */
function visibleTrace({ condition, body, deleting, records, now }: Outcome): readonly Edit[] {
  if (condition === undefined || deleting) return []
  // Where no handler was concerned, the last word stands.
  const verdicts = { failures: records.failures, finished: records.allFinished && records.size > 0 }
  const edit = conditionEdit(condition, body, verdicts, now)
  return edit ? [edit] : []
}

function bookkeeping({ body, cause, essence, records, ids }: Outcome, storages: Storages, patch: StoragePatch): void {
  const { reason } = cause
  const handled = records.allFinished && (reason === 'create' || reason === 'update')
  if (handled) storages.diffBase.store(body, patch, essence)
  const over = handled || reason === 'noop' || (reason === 'resume' && records.allFinished)
  // What is left of a deletion stays: a foreign finalizer may keep the object, and our handlers are not called twice.
  if (over) records.purge(storages.progress, body, ids, patch)
  else records.store(storages.progress, body, ids, patch)
}
