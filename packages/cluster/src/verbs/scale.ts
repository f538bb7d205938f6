/** The scale subresource: an autoscaling/v1 Scale read from, and written to, the paths that the kind declares. */
import { invalidValue } from '../http/field-error.ts'
import { badRequest, internalError, invalid } from '../http/status.ts'
import { isObject, type Json, type JsonObject, printJson } from '../json.ts'
import { field, type KubeObject } from '../object.ts'
import type { Operation } from '../request/backend.ts'
import { patchInvalid } from '../request/field-validation.ts'

export function scaleOf(object: KubeObject, operation: Operation, lenient = false): JsonObject {
  const { scale } = operation.version
  if (!scale) throw internalError('the kind declares no scale')
  const replicas = at(object, scale.spec)
  if (replicas === undefined && !operation.kind.builtIn && !lenient) {
    throw internalError(`the spec replicas field ".${scale.spec.join('.')}" does not exist`)
  }
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const selector = selectorOf(object, scale.selector)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: typeof replicas === 'number' && replicas !== 0 ? { replicas } : {},
    status: { replicas: at(object, scale.status) ?? 0, ...(selector === undefined ? {} : { selector }) },
  }
}

function selectorOf(object: KubeObject, path: readonly string[] | undefined): Json | undefined {
  if (path) return at(object, path)
  const labels = field(field(object.spec, 'selector'), 'matchLabels')
  return isObject(labels)
    ? Object.entries(labels)
        .map(([key, value]) => `${key}=${String(value)}`)
        .join(',')
    : undefined
}

function at(object: KubeObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = object
  for (const segment of path) value = field(value, segment)
  return value
}

/** The object that a Scale asks for: its replicas, and the version on which the client relies. */
export function withScale(object: KubeObject, scale: Json, operation: Operation): KubeObject {
  if (!isObject(scale)) throw badRequest('the body is not a Scale')
  if ((scale.kind ?? 'Scale') !== 'Scale') throw badRequest(`${String(scale.kind)} cannot be handled as a Scale`)
  checkPlace(scale, operation)
  const replicas = field(scale.spec, 'replicas') ?? 0
  if (typeof replicas !== 'number' || !Number.isInteger(replicas)) {
    const why = `json: cannot unmarshal ${typeof replicas} into Go struct field ScaleSpec.spec.replicas of type int32`
    if (operation.verb === 'patch') throw patchInvalid(invalidValue('patch', printJson(scale), why))
    throw badRequest(`Scale in version "v1" cannot be handled as a Scale: ${why}`)
  }
  // A custom kind has its own rules for its replicas.
  if (replicas < 0 && operation.kind.builtIn) {
    const cause = invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, operation.name, [cause])
  }
  const version = field(scale.metadata, 'resourceVersion')
  const resourceVersion = typeof version === 'string' && version !== '' ? version : object.metadata.resourceVersion
  const changed = set(object, operation.version.scale?.spec ?? [], replicas) as KubeObject
  return { ...changed, metadata: { ...object.metadata, resourceVersion: resourceVersion as string } }
}

/** A Scale that names an object names the one of the path. */
function checkPlace({ metadata }: JsonObject, { name, namespace }: Operation): void {
  const [given, home] = [field(metadata, 'name') ?? '', field(metadata, 'namespace') ?? '']
  if (given !== '' && given !== name) {
    throw badRequest(`the name of the object (${String(given)}) does not match the name on the URL (${name})`)
  }
  if (home !== '' && home !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
}

function set(value: Json | undefined, path: readonly string[], to: Json): Json {
  const [first, ...rest] = path
  if (first === undefined) return to
  const object = isObject(value) ? value : {}
  return { ...object, [first]: set(object[first], rest, to) }
}

/** A Scale that is applied, as a configuration of the object itself. */
export function withReplicas(scale: JsonObject, { kind, name, version }: Operation, apiVersion: string): JsonObject {
  const replicas = field(scale.spec, 'replicas')
  const config: JsonObject = { apiVersion, kind: kind.kind, metadata: { name } }
  return replicas === undefined ? config : (set(config, version.scale?.spec ?? [], replicas) as JsonObject)
}
