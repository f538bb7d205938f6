/**
 * What a request wants, in the words of permissions: a verb and a resource, or a verb and a path.
 * Guarantees: read from method, path and query alone, before anybody asks whether such a kind exists; so that who may not look
 * does not learn what is there.
 */
import { forbiddenAccess, type StatusError } from '../http/status.ts'
import type { User } from './user.ts'

export interface Attributes {
  readonly verb: string
  /** True: the fields below it count; false: the path does. */
  readonly resourceRequest: boolean
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly path: string
}

export const resourceAttributes = (given: Partial<Attributes>): Attributes => ({
  ...{ verb: '', group: '', resource: '', subresource: '', namespace: '', name: '', path: '' },
  ...given,
  resourceRequest: true,
})

export const pathAttributes = (verb: string, path: string): Attributes => ({
  ...resourceAttributes({ verb, path }),
  resourceRequest: false,
})

const verbs: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
])

const namespaceParts = new Set(['status', 'finalize'])

export function attributesOf(method: string, path: string, query: URLSearchParams): Attributes {
  const plain = pathAttributes(method.toLowerCase(), path)
  const [root, ...rest] = path
    .replace(/^\/+|\/+$/g, '')
    .split('/')
    .map(decoded)
  if (root === 'api' && rest.length >= 2) return resourceRequest('', rest.slice(1), method, query)
  if (root === 'apis' && rest.length >= 3) return resourceRequest(rest[0] ?? '', rest.slice(2), method, query)
  return plain
}

function resourceRequest(group: string, rest: readonly string[], method: string, query: URLSearchParams): Attributes {
  const prefixed = rest.length > 1 && (rest[0] === 'watch' || rest[0] === 'proxy') ? rest[0] : undefined
  const { namespace, parts } = scoped(prefixed === undefined ? rest : rest.slice(1))
  const [resource = '', named = '', subresource = ''] = parts
  const verb = prefixed ?? verbs.get(method) ?? ''
  const name = named === '' && verb === 'get' ? nameIn(query.get('fieldSelector')) : named
  const actual = named === '' ? collectionVerb(verb, query) : verb
  const part = prefixed === 'proxy' ? '' : subresource
  return resourceAttributes({ verb: actual, group, resource, subresource: part, namespace, name })
}

function scoped(rest: readonly string[]): { readonly namespace: string; readonly parts: readonly string[] } {
  const [first, second, third] = rest
  if (first !== 'namespaces' || second === undefined) return { namespace: '', parts: rest }
  const inside = third !== undefined && !namespaceParts.has(third)
  return { namespace: second, parts: inside ? rest.slice(2) : rest }
}

function collectionVerb(verb: string, query: URLSearchParams): string {
  if (verb === 'delete') return 'deletecollection'
  if (verb !== 'get') return verb
  const watch = query.get('watch')
  return watch !== null && watch.toLowerCase() !== 'false' && watch !== '0' ? 'watch' : 'list'
}

/** A list that can only ever show one object counts as a request for that object. */
function nameIn(selector: string | null): string {
  for (const term of (selector ?? '').split(',')) {
    const [, name] = /^metadata\.name==?([^=!]+)$/.exec(term.trim()) ?? []
    if (name !== undefined && name !== '.' && name !== '..' && !/[/%]/.test(name)) return name
  }
  return ''
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The refusal, word by word as the original writes it. */
export function forbidden(user: User, attributes: Attributes, reason: string): StatusError {
  const words = sentence(user, attributes).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
  return forbiddenAccess(attributes, reason === '' ? words : `${words}: ${reason}`)
}

function sentence(user: User, attributes: Attributes): string {
  const { verb, group, resource, subresource, namespace, path } = attributes
  const who = `User ${quoted(user.name)} cannot ${verb}`
  if (!attributes.resourceRequest) return `${who} path ${quoted(path)}`
  const what = `resource ${quoted(subresource === '' ? resource : `${resource}/${subresource}`)}`
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quoted(namespace)}`
  return `${who} ${what} in API group ${quoted(group)} ${where}`
}

/** As Go quotes a string. */
export const quoted = (text: string) => JSON.stringify(text)
