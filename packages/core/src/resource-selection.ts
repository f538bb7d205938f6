import type { ResourceInfo } from './resource.ts'
import { resourcesNamed } from './resource-name.ts'
import { EVERYTHING, isSelector, type ResourceLikes, type Selector } from './resource-selector.ts'

/**
 * Which resources of a server a handler is about. Pure.
 * Guarantees: one that names a kind is about one resource, that of the core group if it has one; if other groups share the name, it is
 * about none of them, because nobody can tell which was meant.
 */
export interface Selected {
  readonly resources: readonly ResourceInfo[]
  /** What it might have meant, where that cannot be told. */
  readonly ambiguous: readonly ResourceInfo[]
}

export function selectResources(selected: ResourceLikes, resources: readonly ResourceInfo[]): Selected {
  if (typeof selected === 'string') return only(resourcesNamed(selected, resources))
  if (!isSelector(selected)) return only(resources.filter((resource) => isSame(selected, resource)))
  const found = resources.filter((resource) => matches(selected, resource))
  return isSpecific(selected) ? only(found) : { resources: found.filter(isNoEvent), ambiguous: [] }
}

/** Whether it is meant to be about one resource, so that none, or several, are a reason to say so. */
export function isSpecific(selected: ResourceLikes): boolean {
  if (!isSelector(selected)) return true
  const { kind, plural, singular, shortcut } = selected['~selector'].criteria
  return [kind, plural, singular, shortcut].some((name) => name !== undefined)
}

/** How a resource, or a choice of them, is called in messages. */
export function describeResource(selected: ResourceLikes): string {
  if (typeof selected === 'string') return selected
  if (!isSelector(selected)) return selected.group === '' ? selected.plural : `${selected.plural}.${selected.group}`
  if (selected === EVERYTHING) return 'everything'
  const { criteria, predicate } = selected['~selector']
  const named = Object.entries(criteria).filter(([, value]) => value !== undefined)
  const words = named.map(([name, value]) => `${name} ${value === '' ? '""' : value}`)
  return [...words, ...(predicate ? [`chosen by ${predicate.name || 'a function'}`] : [])].join(', ')
}

function only(found: readonly ResourceInfo[]): Selected {
  const core = found.filter(({ group }) => group === '')
  const [first, ...others] = core.length > 0 ? core : found
  if (first === undefined) return { resources: [], ambiguous: [] }
  return others.length === 0 ? { resources: [first], ambiguous: [] } : { resources: [], ambiguous: [first, ...others] }
}

function isSame(declared: { group: string; version: string; plural: string }, resource: ResourceInfo): boolean {
  const { group, version, plural } = declared
  return resource.group === group && resource.version === version && resource.plural === plural
}

function matches({ '~selector': { criteria, predicate } }: Selector, resource: ResourceInfo): boolean {
  const { group, version, kind, plural, singular, shortcut, category } = criteria
  const isOr = (wanted: string | undefined, value: string) => wanted === undefined || wanted === value
  const isIn = (wanted: string | undefined, values: readonly string[]) =>
    wanted === undefined || values.includes(wanted)
  return (
    isOr(group, resource.group) &&
    (version === undefined ? resource.preferred : resource.version === version) &&
    isOr(kind, resource.kind) &&
    isOr(plural, resource.plural) &&
    isOr(singular, resource.singular) &&
    isIn(shortcut, resource.shortNames) &&
    isIn(category, resource.categories) &&
    (predicate === undefined || Boolean(predicate(resource)))
  )
}

function isNoEvent({ group, plural }: ResourceInfo): boolean {
  return plural !== 'events' || (group !== '' && group !== 'events.k8s.io')
}
