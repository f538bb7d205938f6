/** The question that a webhook is asked, and how its answer is read. */
import { userInfo } from '../access/user.ts'
import { isObject, type Json, type JsonObject, parseJson, textOf } from '../json.ts'
import type { KindVersion } from '../kinds/kind.ts'
import { convert } from '../kinds/views.ts'
import type { KubeObject } from '../object.ts'
import type { Operation } from '../request/backend.ts'
import { isDryRun } from '../request/field-validation.ts'
import type { Attributes } from './match.ts'

const reviewVersion = 'admission.k8s.io/v1'

/** The fields of a request, without those that are absent, in the order of the original. */
export function reviewOf(uid: string, attributes: Attributes, version: KindVersion): JsonObject {
  return { kind: 'AdmissionReview', apiVersion: reviewVersion, request: requestOf(uid, attributes, version) }
}

export function requestOf(uid: string, attributes: Attributes, version: KindVersion): JsonObject {
  const { operation, verb, object, old } = attributes
  const { kind, subresource } = operation
  const part = subresource === undefined ? {} : { subResource: subresource.name }
  const requestPart = subresource === undefined ? {} : { requestSubResource: subresource.name }
  const name = operation.name || object?.metadata.name || ''
  return {
    uid,
    kind: kindOf(operation, version),
    resource: { group: kind.group, version: version.name, resource: kind.plural },
    ...part,
    requestKind: kindOf(operation, operation.version),
    requestResource: { group: kind.group, version: operation.version.name, resource: kind.plural },
    ...requestPart,
    ...(name === '' || operation.verb === 'deletecollection' ? {} : { name }),
    ...namespaceOf(operation, name),
    operation: verb,
    userInfo: userInfo(operation.user),
    object: shown(object, operation, version),
    oldObject: shown(old, operation, version),
    dryRun: isDry(operation),
    options: optionsOf(attributes),
  }
}

function kindOf({ kind, subresource }: Operation, version: KindVersion): JsonObject {
  if (subresource?.group !== undefined) {
    return { group: subresource.group, version: subresource.version ?? version.name, kind: subresource.kind }
  }
  return { group: kind.group, version: version.name, kind: kind.kind }
}

/** A namespace is in itself. */
function namespaceOf({ kind, namespace }: Operation, name: string): JsonObject {
  if (kind.namespaced) return { namespace }
  return kind.group === '' && kind.plural === 'namespaces' && name !== '' ? { namespace: name } : {}
}

const shown = (object: KubeObject | undefined, { kind }: Operation, version: KindVersion): Json =>
  object === undefined ? null : convert(object, kind, version)

const isDry = (operation: Operation) => isDryRun(operation) || field(deleteBody(operation), 'dryRun') !== undefined

const field = (object: JsonObject | undefined, key: string) =>
  object && Object.hasOwn(object, key) ? object[key] : undefined

function optionsOf(attributes: Attributes): JsonObject {
  const { verb, operation } = attributes
  const word = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' }[verb]
  const head = { kind: word, apiVersion: 'meta.k8s.io/v1' }
  return { ...head, ...(verb === 'DELETE' ? deletion(operation) : write(operation)) }
}

function write({ call }: Operation): JsonObject {
  const { query } = call
  const [manager, validation] = [query.get('fieldManager'), query.get('fieldValidation')]
  return {
    ...(query.has('dryRun') ? { dryRun: query.getAll('dryRun') } : {}),
    ...(manager ? { fieldManager: manager } : {}),
    ...(validation ? { fieldValidation: validation } : {}),
  }
}

function deletion(operation: Operation): JsonObject {
  const body = deleteBody(operation)
  if (body) {
    const { kind: _, apiVersion: __, ...rest } = body
    return rest
  }
  const { query } = operation.call
  const grace = query.get('gracePeriodSeconds')
  return {
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(query.get('propagationPolicy') ? { propagationPolicy: query.get('propagationPolicy') } : {}),
    ...(query.has('dryRun') ? { dryRun: query.getAll('dryRun') } : {}),
  }
}

function deleteBody({ call, verb }: Operation): JsonObject | undefined {
  if (!verb.startsWith('delete') || call.body.length === 0) return undefined
  try {
    const body = parseJson(textOf(call.body))
    return isObject(body) ? body : undefined
  } catch {
    // Not JSON: the options have been read by then, and are not shown.
    return undefined
  }
}

/** The verdict of a webhook. */
export interface Verdict {
  readonly allowed: boolean
  readonly status: JsonObject
  readonly warnings: readonly string[]
  readonly patch: readonly Json[] | undefined
}

/** Why an answer cannot be used; in the original's words. */
export class BadAnswer extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BadAnswer'
  }
}

export function verdictOf(body: Uint8Array, uid: string, mutating: boolean): Verdict {
  const review = parsed(body)
  checkType(review)
  const response = isObject(review.response) ? review.response : undefined
  const invalid = (why: string) => new BadAnswer(`received invalid webhook response: ${why}`)
  if (!response) throw invalid('webhook response was absent')
  if (response.uid !== uid) throw invalid(`expected response.uid="${uid}", got ${JSON.stringify(response.uid ?? '')}`)
  if (!mutating && response.patch !== undefined) throw invalid('validating webhook may not return response.patch')
  if (response.patch !== undefined && response.patchType === undefined) {
    throw invalid('webhook returned response.patch but not response.patchType')
  }
  const warnings = Array.isArray(response.warnings) ? response.warnings.filter((w: Json) => typeof w === 'string') : []
  return {
    allowed: response.allowed === true,
    status: isObject(response.status) ? response.status : {},
    warnings: warnings as readonly string[],
    patch: mutating && response.allowed === true ? patchOf(response.patch) : undefined,
  }
}

function parsed(body: Uint8Array): JsonObject {
  try {
    const review = parseJson(textOf(body))
    if (isObject(review)) return review
  } catch (error) {
    throw new BadAnswer(
      `failed to call webhook: couldn't get version/kind; json parse error: ${(error as Error).message}`,
    )
  }
  throw new BadAnswer(
    "failed to call webhook: couldn't get version/kind; json parse error: the answer is not an object",
  )
}

function checkType({ kind, apiVersion }: JsonObject): void {
  if ((kind === undefined && apiVersion === undefined) || (kind === 'AdmissionReview' && apiVersion === reviewVersion))
    return
  const why = `no kind "${String(kind)}" is registered for version "${String(apiVersion)}" in scheme "pkg/runtime/scheme.go:111"`
  throw new BadAnswer(`failed to call webhook: ${why}`)
}

function patchOf(encoded: Json | undefined): readonly Json[] | undefined {
  if (typeof encoded !== 'string' || encoded === '') return undefined
  try {
    const patch = parseJson(Buffer.from(encoded, 'base64').toString())
    if (Array.isArray(patch)) return patch as readonly Json[]
  } catch (error) {
    throw new BadAnswer(`received undecodable patch in webhook response: ${(error as Error).message}`)
  }
  throw new BadAnswer('received undecodable patch in webhook response: it is not a list of operations')
}
