import {
  createJsonPatch,
  isPlainObject,
  type JsonPatch,
  type JsonPatchOperation,
  type KubeObject,
} from '@binnacle/core'
import type { FinalizerChange } from './finalizer.ts'
import { changed, type ObjectChange } from './patch.ts'

/** All that a cycle wants written to its object. */
export interface Intention {
  readonly change: ObjectChange
  readonly finalizer: FinalizerChange
}

/** The requests that are needed: at most one to the object, and one to its status. Empty ones are not sent. */
export interface Plan {
  readonly status: JsonPatch
  readonly object: JsonPatch
}

export interface PlanOptions {
  readonly finalizerName: string
  /** The kind serves `/status`, so changes of the status sent to the object would be ignored. */
  readonly statusSubresource: boolean
}

/**
 * The requests that turn a body into what the intention wants.
 * Guarantees: a request is refused whole, with 422, unless the object is the very one (by uid), its finalizers are as they were
 * when they are changed, and it is at the same version when a function edited it; so it can be sent again, or be made anew for a fresher
 * body, without undoing what somebody else did. No request where nothing changes.
 */
export function plan(body: KubeObject, intention: Intention, options: PlanOptions): Plan {
  const target = withFinalizers(body, changed(body, intention.change), intention.finalizer, options.finalizerName)
  const operations = createJsonPatch(body, target)
  const toStatus = (operation: JsonPatchOperation) =>
    options.statusSubresource && (operation.path === '/status' || operation.path.startsWith('/status/'))
  const guards = guardsOf(body, intention)
  return {
    status: guarded(operations.filter(toStatus), guards),
    object: guarded(
      operations.filter((operation) => !toStatus(operation)),
      guards,
    ),
  }
}

function withFinalizers(body: KubeObject, target: KubeObject, change: FinalizerChange, name: string): KubeObject {
  // A body that is being deleted takes no new finalizer: the server would refuse everything that comes with it.
  if (change === 'leave' || (change === 'hold' && body.metadata.deletionTimestamp !== undefined)) return target
  const { finalizers: present = [], ...metadata } = target.metadata
  const others = present.filter((finalizer) => finalizer !== name)
  // A write whose answer was lost is planned again for a body that has the finalizer already.
  const held = present.includes(name) ? present : [...present, name]
  const finalizers = change === 'hold' ? held : others
  return { ...target, metadata: finalizers.length > 0 ? { ...metadata, finalizers } : metadata }
}

function guardsOf(body: KubeObject, { change, finalizer }: Intention): JsonPatchOperation[] {
  const { uid, resourceVersion, finalizers } = body.metadata
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    ...(change.edits.length > 0 ? [test('/metadata/resourceVersion', resourceVersion)] : []),
    ...(finalizer === 'leave' ? [] : [test('/metadata/finalizers', finalizers ?? null)]),
  ]
}

function guarded(operations: JsonPatch, guards: JsonPatch): JsonPatch {
  return operations.length === 0 ? [] : [...guards, ...operations.flatMap(safeAdd)]
}

/** A stanza that was absent is created only if it still is, or the members that somebody else has put into it would be lost. */
function safeAdd(operation: JsonPatchOperation): JsonPatchOperation[] {
  const isNewStanza = operation.op === 'add' && isPlainObject(operation.value)
  return isNewStanza ? [test(operation.path, null), operation] : [operation]
}

function test(path: string, value: unknown): JsonPatchOperation {
  return { op: 'test', path, value }
}
