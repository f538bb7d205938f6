/** Bodies: from bytes to an object of the right kind, or the refusal that the original gives. */
import { invalidValue } from '../http/field-error.ts'
import type { Call } from '../http/message.ts'
import { parseMediaType } from '../http/negotiate.ts'
import { decodeProtobuf, Malformed } from '../http/protobuf.ts'
import { badRequest, invalid, StatusError, unsupportedMediaType } from '../http/status.ts'
import { isObject, type Json, type JsonObject, parseJson, printJson, textOf } from '../json.ts'
import { duplicateKeys } from '../json-text.ts'
import { groupVersion } from '../kinds/kind.ts'
import { messageNamed, messageOfKind, metadataMessage } from '../kinds/messages.ts'
import type { KubeObject, Metadata } from '../object.ts'
import { parseYaml } from '../yaml.ts'
import type { Operation } from './backend.ts'
import { patchInvalid, reportUnknown } from './field-validation.ts'
import { normalMetadata } from './metadata.ts'
import { Mistyped, typedObject } from './typed-decode.ts'

const accepted = 'application/json, application/yaml, application/vnd.kubernetes.protobuf'

/** The body as JSON, whatever of the accepted types it came in. Throws BadRequest, or UnsupportedMediaType. */
export function decodeBody(contentType: string | undefined, body: Uint8Array, custom = false): Json {
  const { type } = parseMediaType(contentType ?? '')
  if (type === protobufType && !custom) return decodeBinary(body)
  if (type !== '' && type !== 'application/json' && type !== 'application/yaml') {
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
    )
  }
  return type === 'application/yaml' ? decodeYaml(body) : decodeJson(body)
}

const protobufType = 'application/vnd.kubernetes.protobuf'

function decodeBinary(body: Uint8Array): Json {
  try {
    return decodeProtobuf(body)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    throw badRequest(`the body is not protobuf of a built-in kind: ${error.message}`)
  }
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
  const { call } = operation
  const body = decodeBody(call.headers.get('content-type'), call.body, !operation.kind.builtIn)
  noteDuplicates(call)
  // Nothing at all is an object of a built-in kind without content.
  const read = body === null && operation.kind.builtIn ? {} : body
  if (!isObject(read)) throw badRequest(unrecognized(operation, 'the body is not an object'))
  return asObject(operation, read)
}

/** For the report to come: keys that came twice, unless the client does not want to know. */
export function noteDuplicates(call: Call): void {
  const { type } = parseMediaType(call.headers.get('content-type') ?? '')
  if (call.query.get('fieldValidation') === 'Ignore' || !(type === '' || type.endsWith('json'))) return
  call.duplicates.push(...duplicateKeys(textOf(call.body)))
}

export function asObject(operation: Operation, body: JsonObject): KubeObject {
  const { kind, apiVersion, metadata, ...content } = body
  checkKind(operation, body)
  const object = {
    kind: operation.kind.kind,
    apiVersion: groupVersion(operation.kind.group, operation.version.name),
    metadata: readMetadata(metadata, operation, body),
    ...content,
  }
  const unknown = isObject(metadata) ? unknownMetadata(metadata) : []
  if (!operation.kind.builtIn) {
    operation.call.unknown.push(...unknown)
    return object
  }
  const read = typed(operation, object, unknown)
  reportUnknown(operation, unknown, body)
  return read
}

/** A patch that leaves unreadable metadata is another failure than a body that has it. */
function readMetadata(metadata: Json | undefined, { kind, version, verb }: Operation, body: JsonObject): Metadata {
  try {
    return normalMetadata(metadata, kind, version.name)
  } catch (error) {
    if (verb !== 'patch' || !(error instanceof StatusError)) throw error
    throw patchInvalid(invalidValue('patch', printJson(body), error.message))
  }
}

const typeAndMetadata = new Set(['apiVersion', 'kind', 'metadata'])

function typed(operation: Operation, object: KubeObject, unknown: string[]): KubeObject {
  const { kind, version, verb } = operation
  const message = messageOfKind(kind.group, version.name, kind.kind)
  if (message === undefined) return object
  try {
    return typedObject(object, messageNamed(message), unknown, '', typeAndMetadata) as KubeObject
  } catch (error) {
    if (!(error instanceof Mistyped)) throw error
    if (verb === 'patch') throw patchInvalid(invalidValue('patch', printJson(object), error.message))
    throw badRequest(`${kind.kind} in version "${version.name}" cannot be handled as a ${kind.kind}: ${error.message}`)
  }
}

function unknownMetadata(metadata: JsonObject): string[] {
  const { byName } = messageNamed(metadataMessage)
  return Object.keys(metadata)
    .filter((key) => !byName.has(key))
    .map((key) => `metadata.${key}`)
}

const unrecognized = ({ kind }: Operation, why: string) =>
  `the object provided is unrecognized (must be of type ${kind.kind}): ${why}`

function checkKind(operation: Operation, body: JsonObject): void {
  const { kind, version } = operation
  const expected = groupVersion(kind.group, version.name)
  if (kind.builtIn) {
    if ((body.kind ?? kind.kind) !== kind.kind) {
      throw badRequest(unregistered(operation, String(body.kind), String(body.apiVersion ?? expected)))
    }
    if ((body.apiVersion ?? expected) === expected) return
    throw badRequest(unregistered(operation, kind.kind, String(body.apiVersion)))
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

/** A kind that is another one, or none at all. */
function unregistered({ kind, backend }: Operation, given: string, apiVersion: string): string {
  const [name = '', group = ''] = apiVersion.split('/').reverse()
  const what = `${given} in version "${name}" cannot be handled as a ${kind.kind}`
  const known = [...backend.kinds.all()].some((other) => other.builtIn && other.group === group && other.kind === given)
  const home = kind.group === '' ? 'core' : (kind.group.split('.')[0] ?? '')
  if (known) return `${what}: converting (${name}.${given}) to (${home}.${kind.kind}): unknown conversion`
  return `${what}: no kind "${given}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`
}

function checkCustomKind({ kind }: Operation, body: JsonObject): void {
  if (body.kind === kind.kind) return
  const name = isObject(body.metadata) ? String(body.metadata.name ?? '') : ''
  const cause = invalidValue('kind', body.kind, `must be ${kind.kind}`)
  throw invalid({ group: kind.group, kind: String(body.kind) }, name, [cause])
}
