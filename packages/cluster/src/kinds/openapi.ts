/**
 * OpenAPI v3: an index, and one document per group and version.
 * Guarantees: enough for kubectl to create, apply, edit, replace, diff and explain: every operation with its parameters, the kind of
 * every path, and the schemas of all kinds with their descriptions. The index is cheap: documents are built when they are asked for.
 * Does not guarantee: the words of operations and parameters; only schemas are described.
 */
import { createHash } from 'node:crypto'
import { bytesOf, isObject, type Json, type JsonObject, printJson } from '../json.ts'
import type { KubeObject } from '../object.ts'
import { field } from '../object.ts'
import { descriptions } from './data/descriptions.ts'
import { schemas as packedSchemas } from './data/schemas.ts'
import type { Kind, KindVersion, Subresource } from './kind.ts'
import type { Kinds } from './kinds.ts'
import { builtInComponents, objectParts } from './openapi-schemas.ts'
import { schemaName } from './shapes.ts'

/** The raw schema of a custom kind in a version, from its definition. */
export type SchemaSource = (kind: Kind, version: string) => JsonObject | undefined

export function schemaIn(definition: KubeObject | undefined, version: string): JsonObject | undefined {
  const versions = field(definition?.spec, 'versions')
  if (!Array.isArray(versions)) return undefined
  const found = versions.find((v: Json) => field(v, 'name') === version)
  const schema = field(field(found, 'schema'), 'openAPIV3Schema')
  return isObject(schema) ? schema : undefined
}

const pathOf = (group: string, version: string) => (group === '' ? `api/${version}` : `apis/${group}/${version}`)

/** A document that need not be built to be named. */
export interface Document {
  readonly hash: string
  bytes(): Uint8Array
}

/** Every document by its path: api/v1, apis/apps/v1, and the ones that describe discovery itself. */
export function documents(kinds: Kinds, schemas: SchemaSource): Map<string, Document> {
  const found = new Map<string, Document>(['version', 'api', 'apis'].map((path) => [path, made(empty(path))]))
  for (const kind of kinds.all()) {
    if (kind.group !== '') found.set(`apis/${kind.group}`, made(empty(`apis/${kind.group}`)))
    for (const { name } of kind.versions) {
      const path = pathOf(kind.group, name)
      if (found.has(path)) continue
      const build = () => document(kinds, kind.group, name, schemas)
      found.set(path, kind.builtIn ? builtIn(path, build) : made(build()))
    }
  }
  return found
}

function made(value: JsonObject): Document {
  const bytes = bytesOf(printJson(value))
  return { hash: hashed(bytes), bytes: () => bytes }
}

const known = new Map<string, Document>()
let dataHash: string | undefined

/** What built-in kinds look like never changes: built once, named by the data that it comes from. */
function builtIn(path: string, build: () => JsonObject): Document {
  let entry = known.get(path)
  if (!entry) {
    dataHash ??= hashed(packedSchemas + descriptions)
    let bytes: Uint8Array | undefined
    const take = () => {
      bytes ??= bytesOf(printJson(build()))
      return bytes
    }
    entry = { hash: hashed(`${path} ${dataHash}`), bytes: take }
    known.set(path, entry)
  }
  return entry
}

const hashed = (value: string | Uint8Array) => createHash('sha512').update(value).digest('hex').toUpperCase()

export function index(found: ReadonlyMap<string, Document>): JsonObject {
  const entries = [...found].map(([path, { hash }]) => [
    path,
    { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` },
  ])
  return { paths: Object.fromEntries(entries) }
}

const info = { title: 'Kubernetes', version: 'unversioned' }
const empty = (path: string): JsonObject => ({
  openapi: '3.0.0',
  info,
  paths: { [`/${path}/`]: {} },
  components: { schemas: {} },
})

function document(kinds: Kinds, group: string, version: string, schemas: SchemaSource): JsonObject {
  const paths: Record<string, JsonObject> = {}
  const components: Record<string, JsonObject> = builtInComponents(group, version)
  for (const kind of kinds.all()) {
    const served = kind.group === group ? kind.versions.find((v) => v.name === version) : undefined
    if (!served) continue
    if (!kind.builtIn) {
      Object.assign(components, objectParts().components)
      components[componentName(kind, served)] = component(kind, served, schemas(kind, version))
    }
    Object.assign(paths, pathsOf(kind, served))
  }
  return { openapi: '3.0.0', info, paths, components: { schemas: components } }
}

function componentName(kind: Kind, version: KindVersion): string {
  if (kind.builtIn) return schemaName(kind.group, version.name, kind.kind) ?? kind.kind
  return `${kind.group.split('.').reverse().join('.')}.${version.name}.${kind.kind}`
}

const gvk = (kind: Kind, version: KindVersion): JsonObject => ({
  group: kind.group,
  kind: kind.kind,
  version: version.name,
})

function component(kind: Kind, version: KindVersion, schema: JsonObject | undefined): JsonObject {
  const known = schema ?? { 'x-kubernetes-preserve-unknown-fields': true }
  // What the definition says of these three counts for validation only.
  const properties = { ...(isObject(known.properties) ? known.properties : {}), ...objectParts().properties }
  return { ...known, type: 'object', properties, 'x-kubernetes-group-version-kind': [gvk(kind, version)] }
}

const query = (name: string, type = 'string'): JsonObject => ({
  name,
  in: 'query',
  schema: { type, uniqueItems: true },
})
const inPath = (name: string): JsonObject => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', uniqueItems: true },
})
const writing = [query('dryRun'), query('fieldManager'), query('fieldValidation')]
const deleting = [
  query('dryRun'),
  query('gracePeriodSeconds', 'integer'),
  query('ignoreStoreReadErrorWithClusterBreakingPotential', 'boolean'),
  query('orphanDependents', 'boolean'),
  query('propagationPolicy'),
]
const listing = [
  query('allowWatchBookmarks', 'boolean'),
  ...['continue', 'fieldSelector', 'labelSelector'].map((name) => query(name)),
  query('limit', 'integer'),
  ...['resourceVersion', 'resourceVersionMatch'].map((name) => query(name)),
  query('sendInitialEvents', 'boolean'),
  query('shardSelector'),
  query('timeoutSeconds', 'integer'),
  query('watch', 'boolean'),
]
const patchTypes = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
]

function pathsOf(kind: Kind, version: KindVersion): Record<string, JsonObject> {
  const base = `/${pathOf(kind.group, version.name)}`
  const scoped = kind.namespaced ? `${base}/namespaces/{namespace}` : base
  const shared = [...(kind.namespaced ? [inPath('namespace')] : []), query('pretty')]
  const named = [inPath('name'), ...shared]
  const operation = operationOf(kind, version)
  const bodies = kind.builtIn ? ['*/*'] : ['application/json', 'application/yaml']
  const item = {
    parameters: named,
    get: operation('get', [], []),
    put: operation('put', writing, bodies),
    patch: operation('patch', [...writing, query('force', 'boolean')], patchTypes.filter(allowedFor(kind))),
    delete: operation('delete', deleting, ['*/*']),
  }
  const subpaths = version.subresources.map((sub) => [
    `${scoped}/${kind.plural}/{name}/${sub.name}`,
    { parameters: named, ...subOperations(kind, version, sub, bodies) },
  ])
  return {
    [`${scoped}/${kind.plural}`]: {
      parameters: shared,
      get: operation('list', listing, []),
      post: operation('post', writing, bodies),
      ...(kind.verbs.includes('deletecollection')
        ? { delete: operation('deletecollection', [...deleting, ...listing.filter(isForDeletion)], ['*/*']) }
        : {}),
    },
    ...(kind.namespaced
      ? { [`${base}/${kind.plural}`]: { parameters: [query('pretty')], get: operation('list', listing, []) } }
      : {}),
    [`${scoped}/${kind.plural}/{name}`]: item,
    ...Object.fromEntries(subpaths),
  }
}

/** Of the two that mean the object itself. */
function subOperations(kind: Kind, version: KindVersion, sub: Subresource, bodies: readonly string[]): JsonObject {
  if (sub.name !== 'status' && sub.name !== 'scale') return {}
  const { group = kind.group, version: name = version.name } = sub
  const operation = operationOf(kind, version, { group, kind: sub.kind, version: name })
  return {
    get: operation('get', [], []),
    put: operation('put', writing, bodies),
    patch: operation('patch', [...writing, query('force', 'boolean')], patchTypes.filter(allowedFor(kind))),
  }
}

const isForDeletion = ({ name }: JsonObject) => name !== 'watch' && name !== 'allowWatchBookmarks'

const allowedFor = (kind: Kind) => (type: string) => kind.builtIn || !type.includes('strategic')

function operationOf(kind: Kind, version: KindVersion, means = gvk(kind, version)) {
  const schema = { $ref: `#/components/schemas/${componentName(kind, version)}` }
  return (action: string, parameters: readonly JsonObject[], consumes: readonly string[]): JsonObject => ({
    ...(consumes.length > 0
      ? { requestBody: { content: Object.fromEntries(consumes.map((type) => [type, { schema }])) } }
      : {}),
    parameters,
    responses: { '200': { description: 'OK', content: { 'application/json': { schema } } } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': means,
  })
}

export const definitionName = (kind: Kind) => `${kind.plural}.${kind.group}`
