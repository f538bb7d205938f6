/**
 * Where a fault can strike: one request, its answer, or one event of a watch, in the words that matchers use.
 * Guarantees: read from the request alone, so that also requests which no kind answers can be matched.
 */
import { isObject, parseJson, textOf } from '../json.ts'
import type { Verb } from '../kinds/kind.ts'

/** The moment in the life of a request. `answer` is after the commit and before the first byte of the answer. */
export type Moment = 'arrival' | 'answer' | 'event'

/** What is read of a request. */
interface Arriving {
  readonly method: string
  readonly url: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
  readonly connection?: number
}

export interface Occasion {
  /** Counted from 1 over the life of the cluster; events carry that of their watch. */
  readonly request: number
  readonly moment: Moment
  readonly verb: Verb
  /** With its query. */
  readonly path: string
  readonly group: string
  readonly version: string
  /** The plural; empty for what is not about objects, such as discovery. */
  readonly resource: string
  readonly subresource: string
  /** Of an event: that of its object. */
  readonly namespace: string
  readonly name: string
  /** The program's name from its User-Agent. */
  readonly user: string
  readonly userAgent: string
  readonly fieldManager: string
  readonly contentType: string
  /** The line that the request came by: one for each socket, one for each in-process transport. */
  readonly connection: number
  readonly query: URLSearchParams
  /** Of an event: its type. */
  readonly event: string | undefined
  /** What was sent, or the object of the event; parsed when first asked for. */
  readonly body: unknown
}

const verbs = { POST: 'create', PUT: 'update', PATCH: 'patch' } as const

interface PathWords {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

const nothing: PathWords = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' }

export function arrivalOf(request: Arriving, number: number): Occasion {
  const [path = '', search = ''] = split(request.url)
  const query = new URLSearchParams(search)
  const words = pathWords(path)
  const userAgent = request.headers.get('user-agent') ?? ''
  const contentType = request.headers.get('content-type') ?? ''
  const body = lazily(() => parsed(request.body))
  const named = words.name === '' && request.method === 'POST' ? nameIn(body) : words.name
  return {
    ...words,
    request: number,
    moment: 'arrival',
    verb: verbOf(request.method, words, query, contentType),
    path: request.url,
    name: named,
    user: userAgent.split('/')[0]?.trim() || 'anonymous',
    userAgent,
    fieldManager: query.get('fieldManager') ?? '',
    contentType,
    connection: request.connection ?? 0,
    query,
    event: undefined,
    get body() {
      return body()
    },
  }
}

/** One line of a watch, as an occasion of its own. */
export function eventOf(watch: Occasion, line: Uint8Array): Occasion {
  const event = lazily(() => parsed(line))
  const object = () => {
    const whole = event()
    return isObject(whole) && isObject(whole['object']) ? whole['object'] : {}
  }
  const metadata = () => {
    const found = object()['metadata']
    return isObject(found) ? found : {}
  }
  // Inherited, not copied: a copy would parse the body of the watch, and do so for each event.
  return Object.create(watch, {
    moment: { value: 'event' },
    event: { value: typeOf(line) },
    namespace: { get: () => String(metadata()['namespace'] ?? '') },
    name: { get: () => String(metadata()['name'] ?? '') },
    body: { get: object },
  })
}

/** Without parsing the object behind it. */
function typeOf(line: Uint8Array): string {
  return /^\{"type":"([A-Z]+)"/.exec(textOf(line.subarray(0, 64)))?.[1] ?? ''
}

function split(url: string): readonly string[] {
  const at = url.indexOf('?')
  return at === -1 ? [url] : [url.slice(0, at), url.slice(at + 1)]
}

function pathWords(path: string): PathWords {
  const parts = path.split('/').filter((part) => part !== '')
  const words = parts.map(decoded)
  const [root, first = '', second = '', ...rest] = words
  if (root === 'api' && second !== '') return objectWords('', first, [second, ...rest])
  if (root === 'apis' && rest.length > 0) return objectWords(first, second, rest)
  return nothing
}

function objectWords(group: string, version: string, rest: readonly string[]): PathWords {
  const [first = '', second = '', third = '', fourth = '', ...tail] = rest[0] === 'watch' ? rest.slice(1) : rest
  const inside = first === 'namespaces' && third !== '' && third !== 'status' && third !== 'finalize'
  return inside
    ? { group, version, namespace: second, resource: third, name: fourth, subresource: tail.join('/') }
    : {
        group,
        version,
        namespace: '',
        resource: first,
        name: second,
        subresource: [third, fourth, ...tail].filter(Boolean).join('/'),
      }
}

function verbOf(method: string, words: PathWords, query: URLSearchParams, contentType: string): Verb {
  if (method === 'DELETE') return words.name === '' ? 'deletecollection' : 'delete'
  if (method === 'PATCH' && contentType.startsWith('application/apply-patch')) return 'apply'
  if (Object.hasOwn(verbs, method)) return verbs[method as keyof typeof verbs]
  if (words.resource === '' || words.name !== '') return 'get'
  const watches = query.get('watch')
  return watches === null || watches === 'false' || watches === '0' ? 'list' : 'watch'
}

function nameIn(body: () => unknown): string {
  const sent = body()
  const metadata = isObject(sent) ? sent['metadata'] : undefined
  return isObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : ''
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function parsed(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  const text = textOf(bytes)
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
