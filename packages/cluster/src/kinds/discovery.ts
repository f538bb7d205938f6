/** What is served, told in the two ways that clients ask for it: document by document, or aggregated in one. */
import { createHash } from 'node:crypto'
import { type Answer, bytesAnswer, jsonAnswer } from '../http/message.ts'
import { parseAccept } from '../http/negotiate.ts'
import { notAcceptable } from '../http/status.ts'
import { bytesOf, type JsonObject, printJson } from '../json.ts'
import { byPreference } from './discovery-order.ts'
import { groupVersion, type Kind, type KindVersion, type Subresource } from './kind.ts'
import type { Kinds } from './kinds.ts'

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** GET /api and /apis: aggregated when that is the client's first acceptable wish. */
export function discoveryRoot(
  kinds: Kinds,
  core: boolean,
  address: string,
  headers: ReadonlyMap<string, string>,
): Answer {
  if (!wantsAggregated(headers.get('accept'))) {
    return jsonAnswer(200, core ? coreVersions(address) : groupList(kinds))
  }
  const { body, etag } = aggregatedDocument(kinds, core)
  const caching = { 'cache-control': 'public', etag, vary: 'Accept' }
  if (headers.get('if-none-match') === etag) {
    return { status: 304, headers: new Map(Object.entries(caching)), body: new Uint8Array() }
  }
  return bytesAnswer(200, aggregatedType, body, caching)
}

interface Document {
  readonly generation: number
  readonly body: Uint8Array
  readonly etag: string
}

/** Printed once for as long as no definition comes or goes: every client asks for it, again and again. */
const printed = { core: new WeakMap<Kinds, Document>(), groups: new WeakMap<Kinds, Document>() }

function aggregatedDocument(kinds: Kinds, core: boolean): Document {
  const documents = core ? printed.core : printed.groups
  const known = documents.get(kinds)
  if (known?.generation === kinds.generation) return known
  const body = bytesOf(printJson(aggregated(kinds, core)))
  const etag = `"${createHash('sha256').update(body).digest('hex').toUpperCase()}"`
  const document = { generation: kinds.generation, body, etag }
  documents.set(kinds, document)
  return document
}

function wantsAggregated(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === '') return false
  for (const { type, parameters } of parseAccept(accept)) {
    if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') continue
    if (!parameters.has('as')) return false
    if (parameters.get('g') === 'apidiscovery.k8s.io' && parameters.get('v') === 'v2') return true
  }
  throw notAcceptable(
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  )
}

const coreVersions = (address: string) => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
})

/** Groups in the order of their kinds, each with its versions, the preferred first. */
function groupsOf(kinds: Kinds): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const kind of kinds.all()) {
    const versions = groups.get(kind.group) ?? []
    groups.set(kind.group, versions)
    for (const { name } of kind.versions) if (!versions.includes(name)) versions.push(name)
  }
  for (const [group, versions] of groups) {
    if (versions.length === 0) groups.delete(group)
    versions.sort(byPreference)
  }
  return groups
}

const groupList = (kinds: Kinds) => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: [...groupsOf(kinds)]
    .filter(([group]) => group !== '')
    .map(([group, versions]) => groupEntry(group, versions)),
})

function groupEntry(name: string, versions: readonly string[]): JsonObject {
  const entries = versions.map((version) => ({ groupVersion: groupVersion(name, version), version }))
  return { name, versions: entries, preferredVersion: entries[0] as JsonObject }
}

/** GET /apis/GROUP; undefined when nobody serves it. */
export function groupDocument(kinds: Kinds, group: string): JsonObject | undefined {
  const versions = groupsOf(kinds).get(group)
  return versions && { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group, versions) }
}

const inVersion = (kinds: Kinds, group: string, version: string) =>
  [...kinds.all()]
    .filter((kind) => kind.group === group)
    .flatMap((kind) => kind.versions.filter((v) => v.name === version).map((v) => ({ kind, version: v })))

/** GET /apis/GROUP/VERSION and /api/v1; undefined when nobody serves it. */
export function resourceList(kinds: Kinds, group: string, version: string): JsonObject | undefined {
  const found = inVersion(kinds, group, version)
  if (found.length === 0) return undefined
  const resources = found.flatMap(({ kind, version: v }) => [
    mainEntry(kind, v),
    ...v.subresources.map((s) => subEntry(kind, s)),
  ])
  // The core group is older than its own documents' version, and leaves it out.
  const own = group === '' ? {} : { apiVersion: 'v1' }
  return { kind: 'APIResourceList', ...own, groupVersion: groupVersion(group, version), resources }
}

const mainEntry = (kind: Kind, version: KindVersion): JsonObject => ({
  name: kind.plural,
  singularName: kind.singular,
  namespaced: kind.namespaced,
  kind: kind.kind,
  verbs: verbsOf(kind),
  ...(kind.shortNames.length > 0 ? { shortNames: [...kind.shortNames] } : {}),
  ...(kind.categories.length > 0 ? { categories: [...kind.categories] } : {}),
  ...(kind.builtIn
    ? version.hash === undefined
      ? {}
      : { storageVersionHash: version.hash }
    : { storageVersionHash: storageHash(kind) }),
})

/** A kind that is being removed tells only of what remains possible for all of its objects. */
const verbsOf = (kind: Kind): string[] =>
  kind.verbs.filter((verb) => !(kind.terminating && ['patch', 'create', 'update'].includes(verb)))

function storageHash(kind: Kind): string {
  const text = `${kind.group}/${kind.storage.name}/${kind.kind}`
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64')
}

const subEntry = (kind: Kind, sub: Subresource): JsonObject => ({
  name: `${kind.plural}/${sub.name}`,
  singularName: '',
  namespaced: kind.namespaced,
  ...(sub.version === undefined ? {} : { group: sub.group as string, version: sub.version }),
  kind: sub.kind,
  verbs: [...sub.verbs],
})

function aggregated(kinds: Kinds, core: boolean): JsonObject {
  const groups = [...groupsOf(kinds)].filter(([group]) => (group === '') === core)
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(([group, versions]) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map((version) => ({
        version,
        resources: inVersion(kinds, group, version).map(({ kind, version: v }) => aggregatedEntry(kind, v)),
        freshness: 'Current',
      })),
    })),
  }
}

function aggregatedEntry(kind: Kind, version: KindVersion): JsonObject {
  // The original names group and version for custom kinds only.
  const own = { group: kind.builtIn ? '' : kind.group, version: kind.builtIn ? '' : version.name, kind: kind.kind }
  const subresources = version.subresources.map((sub) => ({
    subresource: sub.name,
    responseKind:
      sub.version === undefined
        ? { ...own, kind: sub.kind }
        : { group: sub.group as string, version: sub.version, kind: sub.kind },
    verbs: [...sub.verbs],
  }))
  return {
    resource: kind.plural,
    responseKind: own,
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: verbsOf(kind),
    ...(kind.shortNames.length > 0 ? { shortNames: [...kind.shortNames] } : {}),
    ...(kind.categories.length > 0 ? { categories: [...kind.categories] } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  }
}
