import {
  BinnacleError,
  formatSelector,
  type ListOptions,
  parseObjectName,
  seconds,
  type WatchOptions,
} from '@binnacle/core'
import type { Ref, WriteOptions } from './options.ts'

/**
 * Verb + resource + object → method, path, query, headers. Pure.
 * Guarantees: no name, namespace or selector can reach another endpoint than the one meant. An API server decodes a path before it
 * splits it, so that encoding alone is not enough: names with `/` or `%`, and the names `.` and `..`, are refused, as the server would
 * refuse to store them.
 */

/** The verbs as RBAC knows them. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

/** Where a resource is served. */
export interface ResourceAddress {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
}

/** What a request is about, as messages need it. */
export interface Subject {
  readonly verb: Verb
  readonly resource: ResourceAddress
  /** Undefined at cluster scope and for all namespaces. */
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly subresource: string | undefined
}

export type Query = { readonly [name: string]: string | number | boolean | undefined }

export const JSON_TYPE = 'application/json'
/** Metadata only, of one object or a list; servers that cannot do it answer in full. */
const PARTIAL = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json'
const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'

/** `pods`, `deployments.apps` */
export function resourceLabel({ group, plural }: Pick<ResourceAddress, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`
}

export function pathOf({ resource, namespace, name, subresource }: Omit<Subject, 'verb'>): string {
  const { group, version, plural } = resource
  const root = group === '' ? ['api', version] : ['apis', group, version]
  const scope = namespace === undefined ? [] : ['namespaces', namespace]
  const object = name === undefined ? [] : [name, ...(subresource === undefined ? [] : [subresource])]
  return `/${[...root, ...scope, plural, ...object].map(segment).join('/')}`
}

export function withQuery(path: string, query: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.append(name, String(value))
  const text = parameters.toString()
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`
}

function segment(text: string): string {
  if (text === '' || text === '.' || text === '..' || /[/%]/.test(text)) throw badSegment(text)
  try {
    return encodeURIComponent(text)
  } catch {
    // Half of a surrogate pair.
    throw badSegment(text)
  }
}

function badSegment(text: string): BinnacleError {
  return new BinnacleError('BIN_KEY', {
    message: `${JSON.stringify(text)} cannot be a part of an object's address`,
    hint: 'Names, namespaces and subresources may not be empty, "." or "..", nor contain "/" or "%".',
  })
}

export function listQuery(options: ListOptions): Query {
  return {
    labelSelector: formatSelector(options.labels) || undefined,
    fieldSelector: formatSelector(options.fields) || undefined,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
    limit: options.limit,
    continue: options.continue,
  }
}

export function watchQuery(options: WatchOptions, serverTimeout: number): Query {
  const initial = options.sendInitialEvents
  return {
    ...listQuery(options),
    limit: undefined,
    continue: undefined,
    watch: true,
    allowWatchBookmarks: options.bookmarks ? true : undefined,
    sendInitialEvents: initial,
    resourceVersionMatch: initial === undefined ? undefined : (options.resourceVersionMatch ?? 'NotOlderThan'),
    timeoutSeconds: Math.max(1, Math.round(serverTimeout)),
  }
}

export function writeQuery(options: WriteOptions): Query {
  return {
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
    dryRun: options.dryRun ? 'All' : undefined,
  }
}

export function acceptOf(metadataOnly: boolean | undefined, form: 'object' | 'list'): string {
  if (!metadataOnly) return JSON_TYPE
  return form === 'list' ? PARTIAL_LIST : PARTIAL
}

/** Seconds as servers take them. */
export function wholeSeconds(duration: Parameters<typeof seconds>[0]): number {
  return Math.ceil(seconds(duration))
}

/** Namespace and name of the object meant; the namespace is undefined at cluster scope. */
export function objectOf(
  ref: Ref,
  resource: ResourceAddress,
  defaultNamespace: string,
): { readonly name: string; readonly namespace: string | undefined } {
  const { name, namespace } = partsOf(ref)
  if (!resource.namespaced) {
    if (namespace) throw notNamespaced(resource, namespace, name)
    return { name, namespace: undefined }
  }
  return { name, namespace: namespace || namespaceFor(resource, defaultNamespace, name) }
}

/** The client's namespace, for one object: "all" is none. */
export function namespaceFor(resource: ResourceAddress, namespace: string, name: string | undefined): string {
  if (namespace !== '*') return namespace
  throw new BinnacleError('BIN_KEY', {
    message: `In which namespace is ${resourceLabel(resource)} ${JSON.stringify(name ?? '')}? The client stands for all of them`,
    hint: 'Write `namespace/name`, give { name, namespace }, or use client.with({ namespace }).',
  })
}

/** The namespace of a list or watch; undefined is all of them. */
export function scopeOf(resource: ResourceAddress, namespace: string): string | undefined {
  return !resource.namespaced || namespace === '*' ? undefined : namespace
}

function partsOf(ref: Ref): { readonly name: string; readonly namespace: string | undefined } {
  if (typeof ref === 'string') return parseObjectName(ref)
  const { name, namespace } = 'metadata' in ref ? ref.metadata : ref
  if (typeof name === 'string' && name !== '') return { name, namespace }
  throw new BinnacleError('BIN_KEY', {
    message: 'The object that is meant has no name',
    hint: 'Give its name, `namespace/name`, { name, namespace }, or an object with metadata.name.',
  })
}

function notNamespaced(resource: ResourceAddress, namespace: string, name: string): BinnacleError {
  return new BinnacleError('BIN_KEY', {
    message: `${resourceLabel(resource)} ${JSON.stringify(name)} cannot be in namespace ${JSON.stringify(namespace)}: ${resource.kind} is not namespaced`,
    hint: 'Give the name alone.',
  })
}
