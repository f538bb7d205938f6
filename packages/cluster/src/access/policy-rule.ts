/** A rule of a role: what it allows, and what it covers of another rule. Pure. */
import { isObject, type Json, type JsonObject } from '../json.ts'
import { field } from '../object.ts'
import { type Attributes, quoted } from './attributes.ts'

export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

const texts = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((item: Json) => typeof item === 'string') : []

/** The rules of a stored role, whatever somebody wrote there. */
export function rulesIn(value: Json | undefined): readonly PolicyRule[] {
  if (!Array.isArray(value)) return []
  return value.filter(isObject).map((rule: JsonObject) => ({
    verbs: texts(field(rule, 'verbs')),
    apiGroups: texts(field(rule, 'apiGroups')),
    resources: texts(field(rule, 'resources')),
    resourceNames: texts(field(rule, 'resourceNames')),
    nonResourceURLs: texts(field(rule, 'nonResourceURLs')),
  }))
}

export function allows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!hasOrAll(rule.verbs, attributes.verb)) return false
  if (!attributes.resourceRequest) return rule.nonResourceURLs.some((url) => urlMatches(url, attributes.path))
  return (
    hasOrAll(rule.apiGroups, attributes.group) &&
    allowsResource(rule.resources, attributes) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(attributes.name))
  )
}

const hasOrAll = (set: readonly string[], item: string) => set.includes('*') || set.includes(item)

function allowsResource(resources: readonly string[], { resource, subresource }: Attributes): boolean {
  if (subresource === '') return hasOrAll(resources, resource)
  return hasOrAll(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`)
}

function urlMatches(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true
  return pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, ''))
}

/** What of the wanted rules the held ones do not cover, in pieces of one verb, one group, one resource and one name. */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return wanted.flatMap(pieces).filter((piece) => !held.some((rule) => covers(rule, piece)))
}

const nothing: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] }

function pieces(rule: PolicyRule): readonly PolicyRule[] {
  const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name])
  const resources = rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        names.map((resourceNames) => ({
          ...nothing,
          ...{ verbs: [verb], apiGroups: [group], resources: [resource], resourceNames },
        })),
      ),
    ),
  )
  const urls = rule.nonResourceURLs.flatMap((url) =>
    rule.verbs.map((verb) => ({ ...nothing, verbs: [verb], nonResourceURLs: [url] })),
  )
  return [...resources, ...urls]
}

function covers(held: PolicyRule, piece: PolicyRule): boolean {
  const all = (set: readonly string[], wanted: readonly string[]) =>
    set.includes('*') || wanted.every((item) => set.includes(item))
  return (
    all(held.verbs, piece.verbs) &&
    all(held.apiGroups, piece.apiGroups) &&
    piece.resources.every((resource) => coversResource(held.resources, resource)) &&
    piece.nonResourceURLs.every((url) => held.nonResourceURLs.some((own) => urlMatches(own, url))) &&
    (held.resourceNames.length === 0 ||
      (piece.resourceNames.length > 0 && piece.resourceNames.every((name) => held.resourceNames.includes(name))))
  )
}

function coversResource(held: readonly string[], resource: string): boolean {
  if (hasOrAll(held, resource)) return true
  const slash = resource.indexOf('/')
  return slash !== -1 && held.includes(`*/${resource.slice(slash + 1)}`)
}

/** Pieces that differ by verb only become one rule again, for people to read; each on a line, sorted. */
export function described(missing: readonly PolicyRule[]): string {
  const simple = new Map<string, PolicyRule>()
  const lines: string[] = []
  for (const rule of missing) {
    const key = [rule.apiGroups[0], rule.resources[0], rule.resourceNames.length, rule.resourceNames[0]].join('\n')
    const known = simple.get(key)
    if (rule.nonResourceURLs.length > 0) lines.push(shown(rule))
    else simple.set(key, known ? { ...known, verbs: [...known.verbs, ...rule.verbs] } : rule)
  }
  lines.push(...[...simple.values()].map(shown))
  return [...new Set(lines)].sort().join('\n')
}

export const quotedList = (items: readonly string[]) => `[${items.map(quoted).join(' ')}]`

function shown(rule: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ]
  const filled = parts.filter(([, items]) => items.length > 0)
  return `{${filled.map(([name, items]) => `${name}:${quotedList(items)}`).join(', ')}}`
}
