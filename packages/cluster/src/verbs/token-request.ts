/** POST of serviceaccounts/NAME/token: a token for the account, for a while, for some audiences, and bound to an object if asked. */
import { issuer, type ObjectReference, type TokenClaims } from '../access/service-account-token.ts'
import { timestamp } from '../clock.ts'
import { invalidValue } from '../http/field-error.ts'
import type { Answer } from '../http/message.ts'
import { badRequest, conflict, invalid, notFound } from '../http/status.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { Kind, KindVersion } from '../kinds/kind.ts'
import { field, type KubeObject } from '../object.ts'
import type { Backend, Operation } from '../request/backend.ts'
import { decodeObject } from '../request/decode.ts'
import { isDryRun } from '../request/field-validation.ts'
import { tracked } from '../request/managed-fields.ts'
import { keyOf } from '../storage/table.ts'
import { valueAnswer } from './answer.ts'
import { stored } from './get.ts'

const tokenKind = { group: 'authentication.k8s.io', kind: 'TokenRequest' }
const shortest = 600
const longest = 2 ** 32

/** Undefined when the request is about something else. */
export function tokenRequest(operation: Operation): Answer | undefined {
  const { kind, subresource } = operation
  if (kind.group !== '' || kind.plural !== 'serviceaccounts' || subresource?.name !== 'token') return undefined
  const asked = decodeObject({ ...operation, ...typeOf(operation) })
  checkMetadata(operation, asked)
  const account = stored(operation).object
  checkUid(operation, asked, account)
  return valueAnswer(operation, 201, answered(operation, asked, account))
}

/** The body is of another kind than the path. */
function typeOf({ kind, version }: Operation): { readonly kind: Kind; readonly version: KindVersion } {
  return { kind: { ...kind, ...tokenKind, plural: 'tokenrequests' }, version: { ...version, name: 'v1' } }
}

function checkMetadata({ name, namespace }: Operation, { metadata }: KubeObject): void {
  for (const [key, expected] of [
    ['name', name],
    ['namespace', namespace],
  ] as const) {
    const given = metadata[key]
    if (given === undefined || given === expected) continue
    const why = `must match the service account ${key} if specified`
    throw invalid(tokenKind, name, [invalidValue(`metadata.${key}`, given, why)])
  }
}

function checkUid({ name }: Operation, { metadata }: KubeObject, account: KubeObject): void {
  const [given, actual] = [metadata.uid, account.metadata.uid]
  if (given === undefined || given === actual) return
  const why = `the UID in the token request (${given}) does not match the UID of the service account (${actual})`
  throw conflict({ group: tokenKind.group, plural: tokenKind.kind, kind: tokenKind.kind }, name, why)
}

function answered(operation: Operation, asked: KubeObject, account: KubeObject): JsonObject {
  const { backend, namespace, name } = operation
  const given = field(asked.spec, 'audiences')
  const audiences = Array.isArray(given) && given.length > 0 ? given.map((item: Json) => String(item)) : [issuer]
  const seconds = Number(field(asked.spec, 'expirationSeconds') ?? 3600)
  checkDuration(seconds)
  const reference = field(asked.spec, 'boundObjectRef')
  const bound = isObject(reference) ? boundTo(operation, reference) : {}
  const now = backend.clock.now()
  const uid = account.metadata.uid ?? ''
  const metadata = { name, namespace, uid, creationTimestamp: timestamp(now) }
  const sent = { ...asked, spec: { ...specOf(asked), expirationSeconds: seconds } }
  const shown = tracked({ ...sent, metadata }, undefined, { ...operation, ...typeOf(operation) })
  const claims: TokenClaims = { namespace, account: { name, uid }, audiences, ...bound }
  const token = isDryRun(operation) ? '' : backend.access.tokens.issue(claims, seconds, now)
  return {
    ...shown,
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: isObject(reference) ? reference : null },
    status: { token, expirationTimestamp: timestamp(new Date(now.getTime() + seconds * 1000)) },
  }
}

const specOf = ({ spec }: KubeObject): JsonObject => (isObject(spec) ? spec : {})

function checkDuration(seconds: number): void {
  const why =
    seconds < shortest
      ? 'may not specify a duration less than 10 minutes'
      : seconds > longest
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined
  if (why !== undefined) throw invalid(tokenKind, '', [invalidValue('spec.expirationSeconds', seconds, why)])
}

const boundKinds: ReadonlyMap<string, string> = new Map([
  ['Pod', 'pods'],
  ['Secret', 'secrets'],
  ['Node', 'nodes'],
])

function boundTo(operation: Operation, reference: JsonObject): Partial<TokenClaims> {
  const text = (key: string) => String(reference[key] ?? '')
  const [kind, apiVersion, name, uid] = [text('kind'), text('apiVersion'), text('name'), text('uid')]
  const plural = apiVersion === 'v1' ? boundKinds.get(kind) : undefined
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  if (plural === undefined) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`)
  const namespace = plural === 'nodes' ? '' : operation.namespace
  const found = operation.backend.storage.table(`/${plural}`).get(keyOf(namespace, name))?.object
  if (!found) throw notFound({ group: '', plural, kind }, name)
  const owner = field(found.spec, 'serviceAccountName') ?? ''
  if (plural === 'pods' && owner !== operation.name) {
    throw badRequest(
      `cannot bind token for serviceaccount "${operation.name}" to pod running with different serviceaccount name.`,
    )
  }
  const actual = found.metadata.uid ?? ''
  if (uid !== '' && uid !== actual) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
    throw conflict({ group: '', plural: kind, kind }, name, why)
  }
  return { [kind.toLowerCase()]: { name, uid: actual }, ...nodeOf(operation.backend, found, kind) }
}

/** A token of a pod also tells the pod's node, as far as it is known. */
function nodeOf({ storage }: Backend, pod: KubeObject, kind: string): { readonly node?: ObjectReference } {
  const name = kind === 'Pod' ? field(pod.spec, 'nodeName') : undefined
  if (typeof name !== 'string' || name === '') return {}
  return { node: { name, uid: storage.table('/nodes').get(name)?.object.metadata.uid ?? '' } }
}
