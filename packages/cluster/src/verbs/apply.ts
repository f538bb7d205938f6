/**
 * PATCH with a configuration: server-side apply.
 * Guarantees: an absent object is created; an apply that changes nothing keeps the version and tells nobody.
 */
import { required } from '../http/field-error.ts'
import type { Answer } from '../http/message.ts'
import { isTrue } from '../http/router.ts'
import { badRequest, invalidOptions } from '../http/status.ts'
import { isObject, type JsonObject, textOf } from '../json.ts'
import { groupVersion } from '../kinds/kind.ts'
import { convert } from '../kinds/views.ts'
import { field, type KubeObject, withoutKey } from '../object.ts'
import { after, type Pending } from '../pending.ts'
import { requireCreate } from '../request/authorize.ts'
import { type Operation, tableOf } from '../request/backend.ts'
import { asObject } from '../request/decode.ts'
import { checkWriteOptions } from '../request/field-validation.ts'
import { appliedObject } from '../request/managed-fields.ts'
import { inNamespace } from '../request/prepare.ts'
import type { StoredRecord } from '../storage/record.ts'
import { keyOf } from '../storage/table.ts'
import { parseYaml } from '../yaml.ts'
import { objectAnswer, valueAnswer } from './answer.ts'
import { insert } from './create.ts'
import { stored } from './get.ts'
import { scaleOf, withReplicas } from './scale.ts'
import { overwrite } from './update.ts'

export function apply(operation: Operation): Pending<Answer> {
  const { query } = operation.call
  checkWriteOptions(operation, 'PatchOptions')
  if (!query.get('fieldManager')) {
    throw invalidOptions('PatchOptions', [required('fieldManager', 'is required for apply patch')])
  }
  const config = configuration(operation)
  const record = tableOf(operation.backend, operation.kind).get(keyOf(operation.namespace, operation.name))
  if (!record && !operation.subresource) return create(operation, config)
  const present = record ?? stored(operation)
  const shown = ({ object }: StoredRecord) => convert(object, operation.kind, operation.version)
  const force = isTrue(query.get('force'))
  const wanted = (now: StoredRecord) => read(operation, appliedObject(shown(now), config, operation, force))
  return after(overwrite(operation, present, wanted, true), (result) => {
    if (operation.subresource?.name !== 'scale') return objectAnswer(operation, 200, result)
    return valueAnswer(operation, 200, scaleOf(shown(result), operation, true))
  })
}

function create(operation: Operation, config: JsonObject): Pending<Answer> {
  requireCreate(operation)
  const { kind, version, name, namespace } = operation
  const live: KubeObject = {
    kind: kind.kind,
    apiVersion: groupVersion(kind.group, version.name),
    metadata: { name, ...(kind.namespaced ? { namespace } : {}) },
  }
  const metadata = isObject(config.metadata) ? config.metadata : {}
  if (metadata.name === undefined) throw nameless(name)
  // Nothing is there that could have another version.
  const fresh = { ...config, metadata: withoutKey(withoutKey(metadata, 'resourceVersion'), 'uid') }
  const object = appliedObject(live, fresh, operation, false)
  return after(insert(operation, read(operation, object), true), (record) => objectAnswer(operation, 201, record))
}

const read = (operation: Operation, object: KubeObject) => inNamespace(asObject(operation, object), operation)

/** The body, checked for what it is about. */
function configuration(operation: Operation): JsonObject {
  const { kind, version, call, subresource } = operation
  const body = decoded(call.body)
  if (field(body.metadata, 'managedFields') !== undefined) throw badRequest('metadata.managedFields must be nil')
  const expected = groupVersion(kind.group, version.name)
  if (subresource?.name === 'scale') return withReplicas(body, operation, expected)
  if (body.kind !== kind.kind || body.apiVersion !== expected) {
    const given = String(body.apiVersion ?? '')
    const type = given.includes('/') ? given : `/${given}`
    throw badRequest(`invalid object type: ${type}, Kind=${String(body.kind ?? '')}`)
  }
  checkGivenName(field(body.metadata, 'name'), operation)
  return body
}

/** What is there has a name already, so that a configuration may leave it out, as kube-rs' controllers do for a status. */
function checkGivenName(given: unknown, { name }: Operation): void {
  if (given === undefined || given === name) return
  if (given === '') throw nameless(name)
  throw badRequest(`the name of the object (${String(given)}) does not match the name on the URL (${name})`)
}

const nameless = (name: string) =>
  badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)

function decoded(bytes: Uint8Array): JsonObject {
  const body = parsed(bytes)
  if (isObject(body)) return body
  const found = Array.isArray(body) ? 'array' : body === null ? 'null' : typeof body
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
  )
}

function parsed(bytes: Uint8Array) {
  try {
    return parseYaml(textOf(bytes))
  } catch (error) {
    throw badRequest(`error decoding YAML: ${(error as Error).message}`)
  }
}
