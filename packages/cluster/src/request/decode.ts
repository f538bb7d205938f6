/** Bodies: from bytes to an object of the right kind, or the refusal that the original gives. */
import { invalidValue } from '../http/field-error.ts'
import { parseMediaType } from '../http/negotiate.ts'
import { badRequest, invalid, unsupportedMediaType } from '../http/status.ts'
import { isObject, type Json, type JsonObject, parseJson, printJson, textOf } from '../json.ts'
import { groupVersion } from '../kinds/kind.ts'
import type { KubeObject } from '../object.ts'
import { parseYaml } from '../yaml.ts'
import type { Operation } from './backend.ts'
import { rulesOf } from './kind-rules.ts'
import { normalMetadata } from './metadata.ts'
import { Mistyped } from './typed-fields.ts'

const accepted = 'application/json, application/yaml, application/vnd.kubernetes.protobuf'

/** The body as JSON, whatever of the accepted types it came in. Throws BadRequest, or UnsupportedMediaType. */
export function decodeBody(contentType: string | undefined, body: Uint8Array): Json {
  const { type } = parseMediaType(contentType ?? '')
  const format = `the body of the request was in an unknown format - accepted media types include: ${accepted}`
  if (type === 'application/vnd.kubernetes.protobuf') {
    throw unsupportedMediaType(
      'the embedded cluster does not read protobuf bodies: send application/json or application/yaml',
    )
  }
  if (type !== '' && type !== 'application/json' && type !== 'application/yaml') throw unsupportedMediaType(format)
  return type === 'application/yaml' ? decodeYaml(body) : decodeJson(body)
}

export function decodeJson(body: Uint8Array): Json {
  try {
    return parseJson(textOf(body))
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${(error as Error).message}`)
  }
}

/** YAML is read as the JSON that it stands for, so that both have the same guards. */
export function decodeYaml(body: Uint8Array): Json {
  try {
    return parseYaml(textOf(body))
  } catch (error) {
    throw badRequest(`error converting YAML to JSON: ${(error as Error).message}`)
  }
}

/** The object that a POST or a PUT carries, checked for its kind, with metadata in the normal form. */
export function decodeObject(operation: Operation): KubeObject {
  const body = decodeBody(operation.call.headers.get('content-type'), operation.call.body)
  if (!isObject(body)) throw badRequest(unrecognized(operation, 'the body is not an object'))
  return asObject(operation, body)
}

export function asObject(operation: Operation, body: JsonObject): KubeObject {
  const { kind, apiVersion, metadata, ...content } = body
  checkKind(operation, body)
  const object = {
    kind: operation.kind.kind,
    apiVersion: groupVersion(operation.kind.group, operation.version.name),
    metadata: normalMetadata(metadata, operation.kind, operation.version.name),
    ...(operation.kind.builtIn ? withoutNulls(content) : content),
  }
  return typed(operation, object)
}

function typed(operation: Operation, object: KubeObject): KubeObject {
  const { kind, version, verb, name } = operation
  try {
    return rulesOf(kind).decode?.(object) ?? object
  } catch (error) {
    if (!(error instanceof Mistyped)) throw error
    if (verb === 'patch') throw invalid(kind, name, [invalidValue('patch', printJson(object), error.message)])
    throw badRequest(`${kind.kind} in version "${version.name}" cannot be handled as a ${kind.kind}: ${error.message}`)
  }
}

/** A typed server drops a null at the top, because there it means absent. */
function withoutNulls(content: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null))
}

const unrecognized = ({ kind }: Operation, why: string) =>
  `the object provided is unrecognized (must be of type ${kind.kind}): ${why}`

function checkKind(operation: Operation, body: JsonObject): void {
  const { kind, version } = operation
  const expected = groupVersion(kind.group, version.name)
  if (kind.builtIn) {
    if ((body.kind ?? kind.kind) !== kind.kind) {
      throw badRequest(`${String(body.kind)} in version "${version.name}" cannot be handled as a ${kind.kind}`)
    }
    if ((body.apiVersion ?? expected) === expected) return
  } else {
    if (typeof body.kind !== 'string' || body.kind === '') {
      throw badRequest(unrecognized(operation, `Object 'Kind' is missing in '${printJson(body).slice(0, 200)}'`))
    }
    if (body.apiVersion === expected) {
      checkCustomKind(operation, body)
      return
    }
  }
  const given = String(body.apiVersion ?? '')
  throw badRequest(`the API version in the data (${given}) does not match the expected API version (${expected})`)
}

function checkCustomKind({ kind }: Operation, body: JsonObject): void {
  if (body.kind === kind.kind) return
  const name = isObject(body.metadata) ? String(body.metadata.name ?? '') : ''
  const cause = invalidValue('kind', body.kind, `must be ${kind.kind}`)
  throw invalid({ group: kind.group, kind: String(body.kind) }, name, [cause])
}
