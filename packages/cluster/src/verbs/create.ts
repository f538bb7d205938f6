/** POST: a new object. */
import { mutated, validated } from '../admission/admission.ts'
import { timestamp } from '../clock.ts'
import { inStorageVersion } from '../conversion/conversion.ts'
import type { Answer } from '../http/message.ts'
import { alreadyExists, bareFailure, forbidden, internalError, notFound, StatusError } from '../http/status.ts'
import { bytesOf, type JsonObject, printJson } from '../json.ts'
import { type KubeObject, withMetadata } from '../object.ts'
import { after, type Pending } from '../pending.ts'
import { generatedName, uid } from '../random.ts'
import { type Operation, tableOf } from '../request/backend.ts'
import { asObject, decodeObject } from '../request/decode.ts'
import { checkWriteOptions, isDryRun } from '../request/field-validation.ts'
import { finishNew, inNamespace, receivedNew, rereadObject } from '../request/prepare.ts'
import { StoredRecord } from '../storage/record.ts'
import { keyOf } from '../storage/table.ts'
import { objectAnswer } from './answer.ts'

export function create(operation: Operation): Pending<Answer> {
  checkWriteOptions(operation, 'CreateOptions')
  return after(insert(operation, decodeObject(operation)), (record) => objectAnswer(operation, 201, record))
}

/** Also the way of a PUT that may create, and of an apply, which brings the owners along. */
export function insert(operation: Operation, sent: KubeObject, applied = false): Pending<StoredRecord> {
  const sentHere = inNamespace(sent, operation)
  checkRoom(operation, sentHere.metadata.name ?? '')
  const object = receivedNew(unstamped(sentHere), operation, applied)
  const attributes = { operation, verb: 'CREATE', object, old: undefined } as const
  return after(mutated(attributes, rereadBy(operation)), (admitted = object) => {
    const named = withMetadata(admitted, stamped(admitted, operation))
    const next = finishNew(named, operation)
    return after(validated({ ...attributes, object: next }), () =>
      after(inStorageVersion(next, undefined, operation), (prepared) => commitNew(prepared, operation)),
    )
  })
}

/** How an object that a webhook has changed is read: as if it had been sent so. */
export function rereadBy(operation: Operation): (object: JsonObject) => KubeObject {
  // What a webhook adds that nobody knows is dropped without a word: the client did not send it.
  const query = new URLSearchParams({ fieldValidation: 'Ignore' })
  const quiet = { ...operation, call: { ...operation.call, query, warnings: [] } }
  return (object) => {
    try {
      return rereadObject(asObject(quiet, object), quiet)
    } catch (error) {
      if (error instanceof StatusError && error.code === 400) throw internalError(error.message)
      throw error
    }
  }
}

/** What a client writes there does not count; webhooks do not get to see it. */
function unstamped(object: KubeObject): KubeObject {
  const {
    uid: _,
    creationTimestamp: __,
    deletionTimestamp: ___,
    deletionGracePeriodSeconds: ____,
    ...metadata
  } = object.metadata
  return withMetadata(object, metadata)
}

function commitNew(prepared: KubeObject, operation: Operation): StoredRecord {
  const { backend, kind } = operation
  const table = tableOf(backend, kind)
  const name = prepared.metadata.name ?? ''
  checkStoredSize(prepared, operation)
  const key = keyOf(operation.namespace, name)
  const present = table.get(key)
  if (present) throw alreadyExists(kind, name, present.object.metadata.deletionTimestamp !== undefined)
  if (isDryRun(operation)) return new StoredRecord(key, prepared, backend.storage.revision.current)
  return backend.storage.put(table, key, prepared)
}

/** What the original's storage takes in one request. Only a large body can make a large object. */
const storageLimit = 1.5 * 1024 * 1024

export function checkStoredSize(object: KubeObject, { call }: Operation): void {
  if (call.body.length < storageLimit / 2) return
  if (bytesOf(printJson(object)).length > storageLimit) throw bareFailure('etcdserver: request is too large')
}

/** What the server decides about a new object, whatever the client wrote there. */
function stamped({ metadata }: KubeObject, operation: Operation) {
  const { backend, kind } = operation
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, ...rest } = metadata
  const name = metadata.name ?? freeName(metadata.generateName, operation)
  return {
    ...(name === undefined ? {} : { name }),
    ...rest,
    ...(kind.namespaced ? { namespace: operation.namespace } : {}),
    uid: uid(backend.random),
    creationTimestamp: timestamp(backend.clock.now()),
  }
}

/** A generated name that nobody has; after eight collisions the last one is tried, and answered as taken. */
function freeName(prefix: string | undefined, { backend, kind, namespace }: Operation): string | undefined {
  if (prefix === undefined) return undefined
  const table = tableOf(backend, kind)
  let name = generatedName(prefix, backend.random)
  for (let i = 1; i < 8 && table.get(keyOf(namespace, name)); i++) name = generatedName(prefix, backend.random)
  return name
}

/** New content needs a namespace that lives, and a definition that stays. */
function checkRoom({ backend, kind, namespace }: Operation, name: string): void {
  if (kind.terminating) {
    throw forbidden(kind, name, 'create not allowed while custom resource definition is terminating')
  }
  if (!kind.namespaced) return
  const home = backend.storage.table('/namespaces').get(namespace)
  if (!home) throw notFound({ group: '', plural: 'namespaces', kind: 'Namespace' }, namespace)
  if (home.object.metadata.deletionTimestamp === undefined) return
  throw forbidden(kind, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ])
}
