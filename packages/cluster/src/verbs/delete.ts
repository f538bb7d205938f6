/**
 * DELETE of one object and of a collection.
 * Guarantees: an object with finalizers is marked and stays; the mark never moves; one without is removed at once. Dependents are
 * the garbage collector's matter: a policy only leaves its finalizer here.
 */
import { mutated, validated } from '../admission/admission.ts'
import { timestamp } from '../clock.ts'
import type { Answer } from '../http/message.ts'
import { StatusError } from '../http/status.ts'
import { equalJson, type JsonObject } from '../json.ts'
import type { Kind } from '../kinds/kind.ts'
import { convert } from '../kinds/views.ts'
import { field, type KubeObject, withMetadata, withoutKey } from '../object.ts'
import { after, type Pending } from '../pending.ts'
import { type Backend, type Operation, tableOf } from '../request/backend.ts'
import { type DeleteOptions, deleteOptions } from '../request/delete-options.ts'
import { rulesOf } from '../request/kind-rules.ts'
import type { StoredRecord } from '../storage/record.ts'
import { objectAnswer, valueAnswer } from './answer.ts'
import { stored } from './get.ts'
import { listAnswer, selected } from './list.ts'

export function remove(operation: Operation): Pending<Answer> {
  const options = deleteOptions(operation.call)
  const record = stored(operation)
  checkPreconditions(record, operation.kind, options)
  rulesOf(operation.kind).checkDelete?.(operation.kind, record.object)
  warnOfOrphans(operation, options)
  return after(admitted(operation, record), () => removed(operation, stored(operation), options))
}

/** Webhooks are told what would go. */
function admitted(operation: Operation, { object }: StoredRecord): Pending<void> {
  const old = convert(object, operation.kind, operation.version)
  const attributes = { operation, verb: 'DELETE', object: undefined, old } as const
  return after(
    mutated(attributes, () => old),
    () => validated(attributes),
  )
}

function removed(operation: Operation, record: StoredRecord, options: DeleteOptions): Answer {
  const result = options.dryRun
    ? { record, gone: true }
    : deleteRecord(operation.backend, operation.kind, record, options)
  if (result.gone && !operation.kind.answersDeleted) return valueAnswer(operation, 200, success(operation.kind, record))
  const accepted = !result.gone && options.orphanDependents === false
  return objectAnswer(operation, accepted ? 202 : 200, result.record)
}

export async function removeCollection(operation: Operation): Promise<Answer> {
  const options = deleteOptions(operation.call)
  const { records } = selected(operation)
  const { backend, kind } = operation
  for (const record of records) {
    const asked = admitted(operation, record)
    if (asked instanceof Promise) await asked
    const present = tableOf(backend, kind).get(record.key)
    if (present && !options.dryRun) deleteRecord(backend, kind, present, options)
  }
  return listAnswer(operation, { records, revision: backend.storage.revision.current })
}

function success(kind: Kind, { object }: StoredRecord): JsonObject {
  const { name, uid } = object.metadata
  const details = { name, ...(kind.group === '' ? {} : { group: kind.group }), kind: kind.plural, uid }
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
}

function checkPreconditions({ object }: StoredRecord, kind: Kind, options: DeleteOptions): void {
  const { name = '', uid, resourceVersion } = object.metadata
  const fail = (what: string, wanted: string, found: string | undefined, hint: string) => {
    const qualified = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`
    const why = `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). ${hint}`
    const details = { name, ...(kind.group === '' ? {} : { group: kind.group }), kind: kind.kind }
    return new StatusError(409, 'Conflict', `Operation cannot be fulfilled on ${qualified} "${name}": ${why}`, details)
  }
  if (options.uid !== undefined && options.uid !== uid) {
    throw fail('UID', options.uid, uid, 'The object might have been deleted and then recreated')
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    throw fail('ResourceVersion', options.resourceVersion, resourceVersion, 'The object might have been modified')
  }
}

function warnOfOrphans({ kind, call }: Operation, options: DeleteOptions): void {
  if (kind.plural !== 'jobs' || kind.group !== 'batch') return
  if (options.propagation !== undefined || options.orphanDependents !== undefined) return
  call.warnings.push(
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  )
}

export interface Deletion {
  readonly record: StoredRecord
  readonly gone: boolean
}

/** Deletes one object: marks it, or removes it when nothing holds it. Also the way of all housekeeping. */
export function deleteRecord(backend: Backend, kind: Kind, record: StoredRecord, options: DeleteOptions): Deletion {
  const { storage } = backend
  const table = tableOf(backend, kind)
  const next = marked(backend, kind, record.object, options)
  if (isHeld(kind, next, record.object)) {
    const changed = !equalJson(next, record.object)
    return { record: changed ? storage.put(table, record.key, next) : record, gone: false }
  }
  // A pod is marked also when it goes at once: whoever watches sees the mark first.
  if (isPod(kind)) storage.put(table, record.key, next)
  return { record: storage.remove(table, record.key) ?? record, gone: true }
}

const isPod = (kind: Kind) => kind.group === '' && kind.plural === 'pods'

function isHeld(kind: Kind, next: KubeObject, old: KubeObject): boolean {
  if ((next.metadata.finalizers?.length ?? 0) > 0 || (next.metadata.deletionGracePeriodSeconds ?? 0) > 0) return true
  const { held } = rulesOf(kind)
  // A namespace goes with the second DELETE at the earliest, even if nothing holds it.
  return held !== undefined && (old.metadata.deletionTimestamp === undefined || held(next))
}

/** The object with the marks of its deletion. A mark that is there already stays; grace may only shrink. */
function marked(backend: Backend, kind: Kind, object: KubeObject, options: DeleteOptions): KubeObject {
  const finalizers = finalizersAfter(object, kind, options)
  const { deletionTimestamp, deletionGracePeriodSeconds: known } = object.metadata
  const wanted = graceOf(object, kind, options)
  const grace = known === undefined ? wanted : Math.min(known, wanted)
  const keep = deletionTimestamp !== undefined && grace === (known ?? grace)
  const at = new Date(backend.clock.now().getTime() + grace * 1000)
  const next = withFinalizers(object, finalizers)
  const metadata = {
    ...next.metadata,
    ...(deletionTimestamp === undefined && object.metadata.generation !== undefined
      ? { generation: object.metadata.generation + 1 }
      : {}),
    deletionTimestamp: keep ? deletionTimestamp : timestamp(at),
    deletionGracePeriodSeconds: grace,
  }
  const result = withMetadata(next, metadata)
  return rulesOf(kind).markDeleted?.(result) ?? result
}

/** Only pods have grace, and only those that run somewhere. */
function graceOf(object: KubeObject, kind: Kind, options: DeleteOptions): number {
  if (!isPod(kind) || !field(object.spec, 'nodeName')) return 0
  const phase = field(object.status, 'phase')
  if (phase === 'Succeeded' || phase === 'Failed') return 0
  const own = field(object.spec, 'terminationGracePeriodSeconds')
  const seconds = options.graceSeconds ?? (typeof own === 'number' ? own : 30)
  return seconds < 0 ? 1 : seconds
}

function withFinalizers(object: KubeObject, finalizers: readonly string[]): KubeObject {
  if (equalJson(finalizers, object.metadata.finalizers ?? [])) return object
  const rest = withoutKey(object.metadata, 'finalizers')
  return withMetadata(object, finalizers.length === 0 ? rest : { ...rest, finalizers })
}

/** What the policy leaves for the garbage collector to do: a finalizer, or nothing. */
function finalizersAfter(object: KubeObject, kind: Kind, options: DeleteOptions): readonly string[] {
  const present = object.metadata.finalizers ?? []
  const others = present.filter((name) => name !== 'orphan' && name !== 'foregroundDeletion')
  const policy = options.propagation ?? (options.orphanDependents === undefined ? undefined : legacy(options))
  if (policy === 'Orphan') return [...others, 'orphan']
  if (policy === 'Foreground') return [...others, 'foregroundDeletion']
  if (policy === 'Background') return others
  if (others.length !== present.length) return present
  return kind.orphansByDefault ? [...present, 'orphan'] : present
}

const legacy = (options: DeleteOptions) => (options.orphanDependents ? 'Orphan' : 'Background')
