/** PATCH of an object that is there: JSON patch, merge patch, strategic merge patch. Apply has a file of its own. */

import { forbiddenField, invalidValue } from '../http/field-error.ts'
import type { Answer } from '../http/message.ts'
import { parseMediaType } from '../http/negotiate.ts'
import {
  badRequest,
  bareFailure,
  invalid,
  invalidOptions,
  StatusError,
  tooLarge,
  unsupportedMediaType,
} from '../http/status.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { groupVersion } from '../kinds/kind.ts'
import { shapeOfKind } from '../kinds/shapes.ts'
import { convert } from '../kinds/views.ts'
import type { KubeObject } from '../object.ts'
import { jsonPatch, PatchFailure } from '../patch/json.ts'
import { mergePatch } from '../patch/merge.ts'
import { StrategicFailure, strategicPatch } from '../patch/strategic.ts'
import { after, type Pending } from '../pending.ts'
import type { Operation } from '../request/backend.ts'
import { asObject, decodeJson, noteDuplicates } from '../request/decode.ts'
import { checkWriteOptions, patchInvalid } from '../request/field-validation.ts'
import { inNamespace } from '../request/prepare.ts'
import type { StoredRecord } from '../storage/record.ts'
import { objectAnswer } from './answer.ts'
import { apply } from './apply.ts'
import { stored } from './get.ts'
import { scaleOf } from './scale.ts'
import { checkName, overwrite, scaleAnswer } from './update.ts'

type Patch = (target: Json) => Json

export function patch(operation: Operation): Pending<Answer> {
  const { type } = parseMediaType(operation.call.headers.get('content-type') ?? '')
  if (type === 'application/apply-patch+yaml') return apply(operation)
  checkType(operation, type)
  checkWriteOptions(operation, 'PatchOptions')
  checkForce(operation)
  const record = stored(operation)
  const change = patchOf(operation, type)
  if (operation.subresource?.name === 'scale') {
    return scaleAnswer(operation, record, ({ object }) =>
      change(scaleOf(convert(object, operation.kind, operation.version), operation, true)),
    )
  }
  const wanted = ({ object }: StoredRecord) => patched(operation, change, object)
  return after(overwrite(operation, record, wanted), (result) => objectAnswer(operation, 200, result))
}

function patched(operation: Operation, change: Patch, object: KubeObject): KubeObject {
  const shown = convert(object, operation.kind, operation.version)
  const changed = change(shown)
  if (!isObject(changed)) throw badRequest('the patch leaves no object')
  checkIdentity(changed, shown, operation)
  const sent = inNamespace(asObject(operation, changed), operation)
  checkName(sent, operation)
  return sent
}

function checkForce({ call }: Operation): void {
  if (!call.query.get('force')) return
  throw invalidOptions('PatchOptions', [forbiddenField('force', 'may not be specified for non-apply patch')])
}

function checkType({ kind }: Operation, type: string): void {
  switch (type) {
    case 'application/json-patch+json':
    case 'application/merge-patch+json':
      return
    case 'application/strategic-merge-patch+json':
      if (kind.builtIn) return
      throw unsupportedMediaType(unknownFormat)
    default:
      throw kind.builtIn
        ? new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})
        : unsupportedMediaType(unknownFormat)
  }
}

const unknownFormat =
  'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml'

const maxOperations = 10_000

function patchOf(operation: Operation, type: string): Patch {
  const body = decodeJson(operation.call.body)
  noteDuplicates(operation.call)
  if (type === 'application/json-patch+json') return jsonPatchOf(body)
  const strategically = type === 'application/strategic-merge-patch+json'
  if (strategically && body === null) return (target) => target
  if (!isObject(body)) throw badRequest('a merge patch must be an object')
  if (!strategically) return (target) => mergePatch(target, body)
  return (target) => strategic(target as JsonObject, body, operation)
}

function jsonPatchOf(body: Json): Patch {
  if (body === null) return (target) => target
  if (!Array.isArray(body)) {
    const type = typeof body === 'boolean' ? 'bool' : typeof body
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${type} into Go value of type []handlers.jsonPatchOp`,
    )
  }
  if (body.length > maxOperations) {
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${maxOperations}, got ${body.length}`)
  }
  if (!body.every((operation: Json) => isObject(operation)))
    throw badRequest('a JSON patch must be an array of objects')
  return (target) => applied(target, body)
}

function strategic(target: JsonObject, body: JsonObject, { kind, version }: Operation): Json {
  try {
    return strategicPatch(target, body, shapeOfKind(kind, version))
  } catch (error) {
    if (!(error instanceof StrategicFailure)) throw error
    throw bareFailure(error.message)
  }
}

function applied(target: Json, operations: readonly Json[]): Json {
  try {
    return jsonPatch(target, operations)
  } catch (error) {
    if (!(error instanceof PatchFailure)) throw error
    throw new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {})
  }
}

/** A patch cannot turn an object into one of another kind. */
function checkIdentity(changed: JsonObject, shown: KubeObject, { kind, version, call }: Operation): void {
  const expected = groupVersion(kind.group, version.name)
  // What a built-in object is, its path tells; a custom one has to say it.
  const [given, at] = kind.builtIn
    ? [changed.kind ?? kind.kind, changed.apiVersion ?? expected]
    : [changed.kind, changed.apiVersion]
  if (given === kind.kind && at === expected) return
  const name = shown.metadata.name ?? ''
  if (kind.builtIn) throw patchInvalid(invalidValue('patch', changed.kind, 'the patch changes kind or apiVersion'))
  if (changed.kind !== kind.kind) {
    const cause = invalidValue('kind', changed.kind, `must be ${kind.kind}`)
    throw invalid({ group: kind.group, kind: String(changed.kind ?? '') }, name, [cause])
  }
  // Nothing is known of an object of a version that is not served.
  const known = new Set(['apiVersion', 'kind', 'metadata'])
  for (const key of Object.keys(changed)) if (!known.has(key)) call.warnings.push(`unknown field "${key}"`)
  throw invalid(kind, name, [invalidValue('apiVersion', changed.apiVersion, `must be ${expected}`)])
}
