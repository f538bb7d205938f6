/**
 * OpenAPI v3: an index, and one document per group and version.
 * Guarantees: enough for kubectl to create, apply, edit, replace and explain: every operation with its parameters, the kind of every
 * path, and the schemas of custom kinds.
 * Does not guarantee: schemas of built-in kinds; they are objects of any content.
 */
import { createHash } from 'node:crypto'
import { isObject, type Json, type JsonObject, printJson } from '../json.ts'
import type { KubeObject } from '../object.ts'
import { field } from '../object.ts'
import type { Kind, KindVersion } from './kind.ts'
import type { Kinds } from './kinds.ts'

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

/** Every document by its path: api/v1, apis/apps/v1, and the ones that describe discovery itself. */
export function documents(kinds: Kinds, schemas: SchemaSource): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>(['version', 'api', 'apis'].map((path) => [path, empty(path)]))
  for (const kind of kinds.all()) {
    if (kind.group !== '') found.set(`apis/${kind.group}`, empty(`apis/${kind.group}`))
    for (const { name } of kind.versions) {
      const path = pathOf(kind.group, name)
      if (!found.has(path)) found.set(path, document(kinds, kind.group, name, schemas))
    }
  }
  return found
}

export function hashOf(document: JsonObject): string {
  return createHash('sha512').update(printJson(document)).digest('hex').toUpperCase()
}

export function index(found: ReadonlyMap<string, JsonObject>): JsonObject {
  const entries = [...found].map(([path, document]) => [
    path,
    { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(document)}` },
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
  const components: Record<string, JsonObject> = {}
  for (const kind of kinds.all()) {
    const served = kind.group === group ? kind.versions.find((v) => v.name === version) : undefined
    if (!served) continue
    components[componentName(kind, served)] = component(kind, served, schemas(kind, version))
    Object.assign(paths, pathsOf(kind, served))
  }
  return { openapi: '3.0.0', info, paths, components: { schemas: components } }
}

function componentName(kind: Kind, version: KindVersion): string {
  if (kind.builtIn) return `io.k8s.api.${kind.group.split('.')[0] || 'core'}.${version.name}.${kind.kind}`
  return `${kind.group.split('.').reverse().join('.')}.${version.name}.${kind.kind}`
}

const gvk = (kind: Kind, version: KindVersion): JsonObject => ({
  group: kind.group,
  kind: kind.kind,
  version: version.name,
})

const typeMeta: JsonObject = {
  apiVersion: { type: 'string', description: 'The version of the schema of this object.' },
  kind: { type: 'string', description: 'The kind of this object.' },
  metadata: { type: 'object', description: "The object's metadata.", 'x-kubernetes-preserve-unknown-fields': true },
}

function component(kind: Kind, version: KindVersion, schema: JsonObject | undefined): JsonObject {
  const known = schema ?? { 'x-kubernetes-preserve-unknown-fields': true }
  const properties = { ...typeMeta, ...(isObject(known.properties) ? known.properties : {}) }
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
  const item = {
    parameters: named,
    get: operation('get', [], []),
    put: operation('put', writing, ['*/*']),
    patch: operation('patch', [...writing, query('force', 'boolean')], patchTypes.filter(allowedFor(kind))),
    delete: operation('delete', deleting, ['*/*']),
  }
  const subpaths = version.subresources.map((sub) => [
    `${scoped}/${kind.plural}/{name}/${sub.name}`,
    { parameters: named },
  ])
  return {
    [`${scoped}/${kind.plural}`]: {
      parameters: shared,
      get: operation('list', listing, []),
      post: operation('post', writing, ['*/*']),
    },
    [`${scoped}/${kind.plural}/{name}`]: item,
    ...Object.fromEntries(subpaths),
  }
}

const allowedFor = (kind: Kind) => (type: string) => kind.builtIn || !type.includes('strategic')

function operationOf(kind: Kind, version: KindVersion) {
  const schema = { $ref: `#/components/schemas/${componentName(kind, version)}` }
  return (action: string, parameters: readonly JsonObject[], consumes: readonly string[]): JsonObject => ({
    ...(consumes.length > 0
      ? { requestBody: { content: Object.fromEntries(consumes.map((type) => [type, { schema }])) } }
      : {}),
    parameters,
    responses: { '200': { description: 'OK', content: { 'application/json': { schema } } } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk(kind, version),
  })
}

export const definitionName = (kind: Kind) => `${kind.plural}.${kind.group}`
