import { BinnacleError } from './errors.ts'
import type { ResourceInfo } from './resource.ts'

/**
 * The grammar of resource names: `plural`, `plural.group`, `plural.version.group`, `group/version/plural`, `version/plural`; the plural
 * may also be a kind, a singular or a short name. Pure.
 * Guarantees: a plural wins over a singular, that over a kind, that over a short name; of several groups that have it, the first
 * counts, which is the core group, then the order of the server; without a version it is the preferred one.
 */

/** One way to read a name. Undefined: any. */
interface Reading {
  readonly name: string
  readonly group?: string
  readonly version?: string
}

const VERSION = /^v\d+((alpha|beta)\d+)?$/

export function findResource(name: string, resources: readonly ResourceInfo[]): ResourceInfo | undefined {
  return resourcesNamed(name, resources)[0]
}

/** All that the name may mean, the likeliest first: more than one if several groups have it under the same sort of name. */
export function resourcesNamed(name: string, resources: readonly ResourceInfo[]): readonly ResourceInfo[] {
  for (const reading of readingsOf(name)) {
    const found = match(reading, resources)
    if (found.length > 0) return found
  }
  return []
}

/** `foos.v1.example.com` may be version v1 of example.com, or the group v1.example.com: the likelier first. */
function readingsOf(name: string): readonly Reading[] {
  if (name.includes('/')) return [slashed(name)]
  const [plural = '', ...rest] = name.split('.')
  if (plural === '') throw unreadable(name)
  if (rest.length === 0) return [{ name: plural }]
  const group = rest.join('.')
  const [version = '', ...domain] = rest
  if (!VERSION.test(version)) return [{ name: plural, group }]
  return [
    { name: plural, version, group: domain.join('.') },
    { name: plural, group },
  ]
}

function slashed(text: string): Reading {
  const parts = text.split('/')
  const [name, version, group = ''] = parts.reverse()
  if (parts.length > 3 || !name || !version) throw unreadable(text)
  return { name, version, group }
}

function match(reading: Reading, resources: readonly ResourceInfo[]): readonly ResourceInfo[] {
  const candidates = resources.filter((resource) => fits(reading, resource))
  const lower = reading.name.toLowerCase()
  const sorts: readonly ((resource: ResourceInfo) => boolean)[] = [
    ({ plural }) => plural === lower,
    ({ singular }) => singular === lower,
    ({ kind }) => kind.toLowerCase() === lower,
    ({ shortNames }) => shortNames.includes(lower),
  ]
  for (const isCalled of sorts) {
    const found = candidates.filter(isCalled)
    if (found.length > 0) return found
  }
  return []
}

function fits({ group, version }: Reading, resource: ResourceInfo): boolean {
  if (group !== undefined && resource.group !== group) return false
  return version === undefined ? resource.preferred : resource.version === version
}

function unreadable(name: string): BinnacleError {
  return new BinnacleError('BIN_RESOURCE', {
    message: `${JSON.stringify(name)} is not the name of a resource`,
    hint: 'Write `plural`, `plural.group`, `plural.version.group`, `group/version/plural` or `version/plural`, such as deployments.apps.',
  })
}

/** Names that a mistyped one may have meant; at most three. */
export function similarNames(name: string, resources: readonly ResourceInfo[]): readonly string[] {
  const wanted = name.split(/[./]/).map((part) => part.toLowerCase())
  const similar = resources
    .filter(({ plural, preferred }) => preferred && wanted.some((part) => isNear(part, plural)))
    .map(({ plural, group }) => (group === '' ? plural : `${plural}.${group}`))
  return [...new Set(similar)].slice(0, 3)
}

function isNear(a: string, b: string): boolean {
  return a.length > 2 && (b.startsWith(a) || (Math.abs(a.length - b.length) <= 2 && distance(a, b) <= 2))
}

/** Insertions, deletions and replacements that turn one word into another. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
