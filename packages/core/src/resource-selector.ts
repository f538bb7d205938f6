import { BinnacleError } from './errors.ts'
import type { AnyObject, KubeObject } from './object.ts'
import type { ResourceInfo, ResourceLike } from './resource.ts'

/** What a resource must be like. All that is given must hold. */
export interface SelectorCriteria {
  /** The API group; the empty string is the core group. @default any */
  readonly group?: string
  /** @default the version that the server prefers */
  readonly version?: string
  readonly kind?: string
  readonly plural?: string
  readonly singular?: string
  /** A short name, such as `po`. */
  readonly shortcut?: string
  /** A category, such as `all`. */
  readonly category?: string
}

/** Whether to take a resource that the server has. Synchronous; asked again whenever the resources of the server change. */
export type ResourcePredicate = (resource: ResourceInfo) => boolean

/** A choice of resources wider than one name; made by `selector`, or `EVERYTHING`. */
export interface Selector<T extends KubeObject = AnyObject> {
  readonly '~selector': { readonly criteria: SelectorCriteria; readonly predicate: ResourcePredicate | undefined }
  readonly '~object'?: T
}

/** Whatever names one resource or several. */
// biome-ignore lint/suspicious/noExplicitAny: a selector of whichever type
export type ResourceLikes = ResourceLike | Selector<any>

const CRITERIA: readonly string[] = ['group', 'version', 'kind', 'plural', 'singular', 'shortcut', 'category']

/**
 * Selects resources by criteria, by a predicate over what discovery found, or by both. Each kind is taken in the version that the server
 * prefers, unless one is named.
 * Guarantees: what names no kind (a predicate, a category, a group) never takes Events, which handlers themselves bring about.
 * @example op.on.event(selector({ category: 'all' }), ({ name }) => { … })
 * op.on.event(selector(({ group }) => group.endsWith('.example.com')), ({ resource, name }) => { … })
 */
export function selector(criteria: SelectorCriteria, predicate?: ResourcePredicate): Selector
export function selector(predicate: ResourcePredicate): Selector
export function selector(first: SelectorCriteria | ResourcePredicate, second?: ResourcePredicate): Selector {
  const criteria = typeof first === 'function' ? {} : first
  const predicate = typeof first === 'function' ? first : second
  if (typeof first !== 'function') checkCriteria(criteria, predicate)
  return Object.freeze({ '~selector': Object.freeze({ criteria: Object.freeze({ ...criteria }), predicate }) })
}

/** Every resource of the cluster except Events. */
export const EVERYTHING: Selector = Object.freeze({
  '~selector': Object.freeze({ criteria: Object.freeze({}), predicate: undefined }),
})

// biome-ignore lint/suspicious/noExplicitAny: a selector of whichever type
export function isSelector(resource: unknown): resource is Selector<any> {
  return typeof resource === 'object' && resource !== null && '~selector' in resource
}

function checkCriteria(criteria: SelectorCriteria, predicate: ResourcePredicate | undefined): void {
  const given = Object.entries(criteria ?? {}).filter(([, value]) => value !== undefined)
  const unknown = given.find(([name]) => !CRITERIA.includes(name))
  if (unknown) throw unusable(`There is no criterion "${unknown[0]}"`, `There are ${CRITERIA.join(', ')}.`)
  const empty = given.find(([name, value]) => typeof value !== 'string' || (value === '' && name !== 'group'))
  if (empty) {
    throw unusable(`The ${empty[0]} of a selector is ${JSON.stringify(empty[1])}`, 'Give a name, or leave it out.')
  }
  if (given.length === 0 && predicate === undefined) {
    throw unusable('A selector without criteria says nothing', 'Use EVERYTHING for every resource of the cluster.')
  }
}

function unusable(message: string, hint: string): BinnacleError {
  return new BinnacleError('BIN_RESOURCE', { message, hint })
}
