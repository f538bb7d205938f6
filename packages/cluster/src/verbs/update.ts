/**
 * PUT, and the second half of every PATCH: from an old and a wanted state to the stored one.
 * Guarantees: a write that changes nothing keeps the version and tells nobody; a write that takes the last finalizer from a
 * deleted object removes the object.
 */
import { invalidValue } from '../http/field-error.ts'
import type { Answer } from '../http/message.ts'
import { badRequest, bareFailure, conflict, invalid, modifiedMeanwhile } from '../http/status.ts'
import { equalJson, type Json } from '../json.ts'
import { convert } from '../kinds/views.ts'
import { type KubeObject, withMetadata, withoutKey } from '../object.ts'
import { requireCreate } from '../request/authorize.ts'
import { type Operation, tableOf } from '../request/backend.ts'
import { decodeBody, decodeObject } from '../request/decode.ts'
import { checkWriteOptions, isDryRun } from '../request/field-validation.ts'
import { rulesOf } from '../request/kind-rules.ts'
import { inNamespace, prepareUpdate } from '../request/prepare.ts'
import { StoredRecord } from '../storage/record.ts'
import { keyOf } from '../storage/table.ts'
import { objectAnswer, valueAnswer } from './answer.ts'
import { checkStoredSize, insert } from './create.ts'
import { stored } from './get.ts'
import { scaleOf, withScale } from './scale.ts'

export function update(operation: Operation): Answer {
  checkWriteOptions(operation, 'UpdateOptions')
  if (operation.subresource?.name === 'scale') return updateScale(operation)
  const sent = inNamespace(decodeObject(operation), operation)
  checkName(sent, operation)
  const record = tableOf(operation.backend, operation.kind).get(keyOf(operation.namespace, operation.name))
  if (!record && operation.kind.createOnUpdate && !operation.subresource) {
    requireCreate(operation)
    const fresh = withMetadata(sent, withoutKey(withoutKey(sent.metadata, 'resourceVersion'), 'uid'))
    return objectAnswer(operation, 201, insert(operation, fresh))
  }
  const present = record ?? stored(operation)
  checkUid(sent, present, operation)
  return objectAnswer(operation, 200, overwrite(operation, present, sent))
}

function updateScale(operation: Operation): Answer {
  const record = stored(operation)
  const scale = decodeBody(operation.call.headers.get('content-type'), operation.call.body)
  return scaleAnswer(operation, record, scale)
}

export function scaleAnswer(operation: Operation, record: StoredRecord, scale: Json): Answer {
  const wanted = withScale(convert(record.object, operation.kind, operation.version), scale, operation)
  return valueAnswer(operation, 200, scaleOf(overwrite(operation, record, wanted).object, operation, true))
}

export function checkName(sent: KubeObject, operation: Operation): void {
  const { name } = sent.metadata
  if (name === operation.name) return
  if (name === undefined) throw badRequest('name must be provided')
  throw badRequest(`the name of the object (${name}) does not match the name on the URL (${operation.name})`)
}

function checkUid(sent: KubeObject, { object }: StoredRecord, { kind, name }: Operation): void {
  const wanted = sent.metadata.uid
  if (wanted === undefined || wanted === object.metadata.uid) return
  const why = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${object.metadata.uid}`
  throw conflict(kind, name, why)
}

/** Stores the wanted state over the present one, and returns what is there then. */
export function overwrite(operation: Operation, record: StoredRecord, sent: KubeObject, applied = false): StoredRecord {
  checkVersion(sent, record, operation)
  const old = record.object
  const next = prepareUpdate(sent, old, operation, applied)
  checkStoredSize(next, operation)
  const { backend, kind } = operation
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
