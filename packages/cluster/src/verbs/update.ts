/**
 * PUT, and the second half of every PATCH: from an old and a wanted state to the stored one.
 * Guarantees: a write that changes nothing keeps the version and tells nobody; a write that takes the last finalizer from a
 * deleted object removes the object.
 */
import { mutated, validated } from '../admission/admission.ts'
import { inStorageVersion } from '../conversion/conversion.ts'
import { invalidValue } from '../http/field-error.ts'
import type { Answer } from '../http/message.ts'
import { badRequest, bareFailure, conflict, invalid, modifiedMeanwhile, notFound } from '../http/status.ts'
import { equalJson, type Json } from '../json.ts'
import { convert } from '../kinds/views.ts'
import { type KubeObject, withMetadata, withoutKey } from '../object.ts'
import { after, type Pending } from '../pending.ts'
import { requireCreate } from '../request/authorize.ts'
import { type Operation, tableOf } from '../request/backend.ts'
import { decodeBody, decodeObject } from '../request/decode.ts'
import { checkWriteOptions, isDryRun } from '../request/field-validation.ts'
import { rulesOf } from '../request/kind-rules.ts'
import { finishUpdate, inNamespace, receivedUpdate } from '../request/prepare.ts'
import { StoredRecord } from '../storage/record.ts'
import { keyOf } from '../storage/table.ts'
import { objectAnswer, valueAnswer } from './answer.ts'
import { checkStoredSize, insert, rereadBy } from './create.ts'
import { stored } from './get.ts'
import { scaleOf, withScale } from './scale.ts'

export function update(operation: Operation): Pending<Answer> {
  checkWriteOptions(operation, 'UpdateOptions')
  if (operation.subresource?.name === 'scale') return updateScale(operation)
  const sent = inNamespace(decodeObject(operation), operation)
  checkName(sent, operation)
  const record = tableOf(operation.backend, operation.kind).get(keyOf(operation.namespace, operation.name))
  if (!record && operation.kind.createOnUpdate && !operation.subresource) {
    requireCreate(operation)
    if (sent.metadata.uid !== undefined)
      throw conflict(operation.kind, operation.name, uidMismatch(operation, sent.metadata.uid, ''))
    const fresh = withMetadata(sent, withoutKey(sent.metadata, 'resourceVersion'))
    return after(insert(operation, fresh), (created) => objectAnswer(operation, 201, created))
  }
  const present = record ?? stored(operation)
  const wanted = (record: StoredRecord) => {
    checkUid(sent, record, operation)
    return sent
  }
  return after(overwrite(operation, present, wanted), (result) => objectAnswer(operation, 200, result))
}

/** In the words of the original's storage. */
function uidMismatch(
  { kind, name, namespace }: Pick<Operation, 'kind' | 'name' | 'namespace'>,
  wanted: string,
  found: string,
): string {
  const place = [...(kind.builtIn ? [] : [kind.group]), kind.plural, ...(kind.namespaced ? [namespace] : []), name]
  const why = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`
  return `StorageError: invalid object, Code: 4, Key: /registry/${place.join('/')}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`
}

function updateScale(operation: Operation): Pending<Answer> {
  const record = stored(operation)
  const scale = decodeBody(operation.call.headers.get('content-type'), operation.call.body)
  return scaleAnswer(operation, record, () => scale)
}

/** `scale` is the Scale that is wanted, seen from the present one. */
export function scaleAnswer(
  operation: Operation,
  record: StoredRecord,
  scale: (record: StoredRecord) => Json,
): Pending<Answer> {
  const shown = ({ object }: StoredRecord) => convert(object, operation.kind, operation.version)
  const wanted = (present: StoredRecord) => withScale(shown(present), scale(present), operation)
  return after(overwrite(operation, record, wanted), (result) =>
    valueAnswer(operation, 200, scaleOf(shown(result), operation, true)),
  )
}

export function checkName(sent: KubeObject, operation: Operation): void {
  const { name } = sent.metadata
  if (name === operation.name) return
  if (name === undefined) throw badRequest('name must be provided')
  throw badRequest(`the name of the object (${name}) does not match the name on the URL (${operation.name})`)
}

function checkUid(sent: KubeObject, { object }: StoredRecord, { kind, name, namespace }: Operation): void {
  const wanted = sent.metadata.uid
  if (wanted === undefined || wanted === object.metadata.uid) return
  const operation = { kind, name, namespace }
  throw conflict(kind, name, uidMismatch(operation, wanted, object.metadata.uid ?? ''))
}

/** How often a write is tried anew when something else was written while a webhook was asked. */
const patience = 5

/**
 * Stores the wanted state over the present one, and returns what is there then. `wanted` says what is wanted, seen from a present
 * state: it is asked again when that has changed while a webhook was asked.
 */
export function overwrite(
  operation: Operation,
  record: StoredRecord,
  wanted: (present: StoredRecord) => KubeObject,
  applied = false,
  left = patience,
): Pending<StoredRecord> {
  const { kind, version } = operation
  const sent = wanted(record)
  checkVersion(sent, record, operation)
  const shown = convert(record.object, kind, version)
  const object = receivedUpdate(sent, shown, operation, applied)
  const attributes = { operation, verb: 'UPDATE', object, old: shown } as const
  return after(mutated(attributes, rereadBy(operation)), (admitted = object) => {
    const next = finishUpdate(admitted, shown, operation)
    return after(validated({ ...attributes, object: next }), () =>
      after(inStorageVersion(next, record.object, operation), (prepared) => {
        const present = tableOf(operation.backend, kind).get(record.key)
        if (present === record) return commit(operation, record, prepared)
        if (!present) throw notFound(kind, operation.name)
        if (left === 0) throw modifiedMeanwhile(kind, operation.name)
        return overwrite(operation, present, wanted, applied, left - 1)
      }),
    )
  })
}

function commit(operation: Operation, record: StoredRecord, next: KubeObject): StoredRecord {
  checkStoredSize(next, operation)
  const { backend, kind } = operation
  const old = record.object
  const result = withMetadata(next, { ...next.metadata, resourceVersion: old.metadata.resourceVersion as string })
  if (isDryRun(operation)) return new StoredRecord(record.key, result, record.revision)
  const table = tableOf(backend, kind)
  if (isFree(operation, next)) {
    backend.storage.remove(table, record.key)
    return new StoredRecord(record.key, result, record.revision)
  }
  if (!record.stale && equalJson(result, old)) return record
  return backend.storage.put(table, record.key, next)
}

/** Deleted, and nothing holds it any more. */
export function isFree({ kind, subresource }: Operation, { metadata, ...rest }: KubeObject): boolean {
  if (metadata.deletionTimestamp === undefined || (metadata.finalizers?.length ?? 0) > 0) return false
  if ((metadata.deletionGracePeriodSeconds ?? 0) > 0) return false
  const held = rulesOf(kind).held
  // A namespace goes when its last holder lets go by /finalize, not by any other write.
  return held ? subresource?.name === 'finalize' && !held({ metadata, ...rest } as KubeObject) : true
}

function checkVersion(sent: KubeObject, record: StoredRecord, { kind, name }: Operation): void {
  const wanted = sent.metadata.resourceVersion ?? ''
  if (wanted === '' || wanted === '0') {
    if (kind.unconditionalUpdate) return
    const cause = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update')
    throw invalid({ group: kind.group, kind: kind.plural }, name, [cause])
  }
  if (!/^\d+$/.test(wanted)) throw bareFailure(`strconv.ParseUint: parsing "${wanted}": invalid syntax`)
  if (wanted !== record.object.metadata.resourceVersion) throw modifiedMeanwhile(kind, name)
}
