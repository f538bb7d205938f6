/** Which occasions a fault is for. Everything that is given must hold; a list is one of several. */
import { isObject } from '../json.ts'
import type { Verb } from '../kinds/kind.ts'
import type { Occasion } from './occasion.ts'

/** A declared resource fits by its shape; as text it is `plural` or `plural.group`. */
export type ResourceName = string | { readonly group: string; readonly plural: string }

export interface FaultMatch {
  readonly verb?: Verb | readonly Verb[]
  readonly resource?: ResourceName
  /** `''` is the object itself. */
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  /** The program's name from its User-Agent. */
  readonly user?: string
  readonly fieldManager?: string
  readonly contentType?: string
  /** One line of a client: see `Firing.connection`. */
  readonly connection?: number
  /** Labels of the object that was sent, or of the event's. */
  readonly labels?: { readonly [key: string]: string }
  /** Lists and watches by their resourceVersion: none, "0", or a real one. */
  readonly since?: 'none' | 'zero' | 'version'
  /** Watches that ask for the initial state as events, or that do not. */
  readonly initialEvents?: boolean
  /** Strikes single events of watches, of this type or of any, instead of requests. */
  readonly event?: EventType | 'any'
  /** The start of the path, for what is not about objects: `/apis`, `/openapi`, `/version`. */
  readonly path?: string
  /** Any other condition. Not available from the control endpoint. */
  readonly when?: (occasion: Occasion) => boolean
}

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'

export function matches(match: FaultMatch, occasion: Occasion): boolean {
  if ((match.event === undefined) !== (occasion.moment !== 'event')) return false
  return conditions.every((holds) => holds(match, occasion)) && (match.when?.(occasion) ?? true)
}

type Condition = (match: FaultMatch, occasion: Occasion) => boolean

const same =
  (field: 'subresource' | 'namespace' | 'name' | 'user' | 'fieldManager' | 'connection'): Condition =>
  (match, occasion) =>
    match[field] === undefined || match[field] === occasion[field]

const conditions: readonly Condition[] = [
  ({ event }, occasion) => event === undefined || event === 'any' || event === occasion.event,
  ({ verb }, occasion) => verb === undefined || [verb].flat().includes(occasion.verb),
  ({ resource }, occasion) => resource === undefined || isResource(resource, occasion),
  ...(['subresource', 'namespace', 'name', 'user', 'fieldManager', 'connection'] as const).map(same),
  ({ contentType }, occasion) => contentType === undefined || occasion.contentType.startsWith(contentType),
  ({ path }, occasion) => path === undefined || occasion.path.startsWith(path),
  ({ since }, occasion) => since === undefined || since === sinceOf(occasion),
  ({ initialEvents }, { query }) =>
    initialEvents === undefined || initialEvents === (query.get('sendInitialEvents') === 'true'),
  ({ labels }, occasion) => labels === undefined || hasLabels(occasion.body, labels),
]

function isResource(wanted: ResourceName, { group, resource }: Occasion): boolean {
  if (typeof wanted !== 'string') return wanted.group === group && wanted.plural === resource
  return wanted === resource || wanted === `${resource}.${group}`
}

function sinceOf({ query }: Occasion): FaultMatch['since'] {
  const version = query.get('resourceVersion') ?? ''
  return version === '' ? 'none' : version === '0' ? 'zero' : 'version'
}

function hasLabels(body: unknown, wanted: { readonly [key: string]: string }): boolean {
  const metadata = isObject(body) ? body['metadata'] : undefined
  const labels = isObject(metadata) ? metadata['labels'] : undefined
  const own = isObject(labels) ? labels : {}
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(own, key) && own[key] === value)
}
