/**
 * Paths and methods of the API: who is asked for, and what is to be done.
 * Guarantees: the split between a Status and a plain text 404 is that of the original: text for paths, groups and custom groups
 * that nobody serves, a Status inside of built-in groups.
 */
import { type Kind, type KindVersion, type Subresource, subresourceOf, type Verb } from '../kinds/kind.ts'
import type { Kinds, Served } from '../kinds/kinds.ts'
import { methodNotAllowed, needsNode, notFound, PageNotFound, unknownResource, verbNotSupported } from './status.ts'

/** A request for objects, resolved. */
export interface Target {
  readonly kind: Kind
  readonly version: KindVersion
  readonly verb: Verb
  /** Empty for cluster-scoped kinds, and for all namespaces. */
  readonly namespace: string
  /** Empty for a collection. */
  readonly name: string
  readonly subresource: Subresource | undefined
}

export interface ApiPath {
  readonly group: string
  readonly version: string
  readonly rest: readonly string[]
}

/** The group, the version and the rest of /api/v1/… and /apis/GROUP/VERSION/…; undefined for any other path. */
export function apiPath(path: string): ApiPath | undefined {
  const segments = path.split('/').filter((segment) => segment !== '')
  const [root, first, second, ...rest] = segments.map(decode)
  if (root === 'api' && first !== undefined) {
    return { group: '', version: first, rest: second === undefined ? [] : [second, ...rest] }
  }
  if (root === 'apis' && first !== undefined && second !== undefined) return { group: first, version: second, rest }
  return undefined
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new PageNotFound()
  }
}

interface Words {
  readonly namespace: string
  readonly plural: string
  readonly name: string
  readonly subresource: string
  readonly legacyWatch: boolean
}

const namespaceParts = new Set(['status', 'finalize'])

function wordsOf(rest: readonly string[]): Words {
  const legacyWatch = rest[0] === 'watch' && rest.length > 1
  const [first = '', second = '', third = '', ...tail] = legacyWatch ? rest.slice(1) : rest
  if (first === 'namespaces' && third !== '' && !namespaceParts.has(third)) {
    return { namespace: second, plural: third, name: tail[0] ?? '', subresource: tail.slice(1).join('/'), legacyWatch }
  }
  const subresource = [third, ...tail].filter((segment) => segment !== '').join('/')
  return { namespace: '', plural: first, name: second, subresource, legacyWatch }
}

export function route(kinds: Kinds, path: ApiPath, method: string, query: URLSearchParams): Target {
  const words = wordsOf(path.rest)
  const served = kinds.find(path.group, path.version, words.plural)
  const missing = () => (kinds.isBuiltInGroup(path.group) ? unknownResource() : new PageNotFound())
  if (!served) throw missing()
  checkScope(served.kind, words, method, missing)
  const verb = verbOf(method, words, query)
  const subresource = words.subresource === '' ? undefined : findSubresource(served, words, verb)
  if (verb === undefined) throw methodNotAllowed()
  if (!subresource && !served.kind.verbs.includes(verb)) throw methodNotAllowed()
  return { ...served, verb, namespace: words.namespace, name: words.name, subresource }
}

function checkScope(kind: Kind, words: Words, method: string, missing: () => Error): void {
  if (!kind.namespaced && words.namespace !== '') throw missing()
  if (!kind.namespaced || words.namespace !== '') return
  if (words.name !== '') throw missing()
  if (method !== 'GET') throw kind.builtIn ? methodNotAllowed() : new PageNotFound()
}

function verbOf(method: string, words: Words, query: URLSearchParams): Verb | undefined {
  const named = words.name !== ''
  switch (method) {
    case 'GET':
      if (words.legacyWatch) return 'watch'
      return named ? 'get' : isTrue(query.get('watch')) ? 'watch' : 'list'
    case 'POST':
      return named && words.subresource === '' ? undefined : 'create'
    case 'PUT':
      return named ? 'update' : undefined
    case 'PATCH':
      return named ? 'patch' : undefined
    case 'DELETE':
      return named ? 'delete' : 'deletecollection'
    default:
      return undefined
  }
}

/** As Kubernetes reads a boolean of a query: everything but "false", "0" and absence is true. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== 'false' && value !== '0'
}

function findSubresource(served: Served, words: Words, verb: Verb | undefined): Subresource {
  const { kind, version } = served
  const found = subresourceOf(version, words.subresource)
  if (!found) throw kind.builtIn ? unknownResource() : notFound(kind, words.name)
  if (verb === undefined || !found.verbs.includes(verb)) {
    throw kind.builtIn || verb === undefined ? methodNotAllowed() : verbNotSupported(kind, verb)
  }
  if (!answered.has(found.name)) throw needsNode(kind, found.name)
  return found
}

/** Subresources that mean the object itself, or that need nobody; the others need a node behind them. */
const answered = new Set([
  ...['status', 'scale', 'finalize', 'approval', 'ephemeralcontainers', 'resize'],
  ...['binding', 'eviction', 'log', 'token'],
])
