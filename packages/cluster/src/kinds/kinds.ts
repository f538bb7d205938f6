/**
 * Which kinds are served now: the built-in ones for ever, the custom ones as definitions come and go.
 * Guarantees: a lookup sees a definition's change at once; iteration is in the order of discovery.
 */
import { builtInKinds } from './built-in.ts'
import { groupVersion, type Kind, type KindVersion, servedVersion } from './kind.ts'

export interface Served {
  readonly kind: Kind
  readonly version: KindVersion
}

const builtInGroups = new Set(builtInKinds.map((kind) => kind.group))

export class Kinds {
  /** By group/plural. */
  readonly #kinds = new Map<string, Kind>(builtInKinds.map((kind) => [`${kind.group}/${kind.plural}`, kind]))
  #generation = 0

  /** Grows with every change: a cache of something derived compares it. */
  get generation(): number {
    return this.#generation
  }

  all(): Iterable<Kind> {
    return this.#kinds.values()
  }

  isBuiltInGroup(group: string): boolean {
    return builtInGroups.has(group)
  }

  get(group: string, plural: string): Kind | undefined {
    return this.#kinds.get(`${group}/${plural}`)
  }

  find(group: string, version: string, plural: string): Served | undefined {
    const kind = this.get(group, plural)
    const found = kind && servedVersion(kind, version)
    return kind && found && { kind, version: found }
  }

  /** By the words of a manifest or an owner reference. */
  byKind(apiVersion: string, name: string): Served | undefined {
    for (const kind of this.#kinds.values()) {
      if (kind.kind !== name) continue
      const version = kind.versions.find((v) => groupVersion(kind.group, v.name) === apiVersion)
      if (version) return { kind, version }
    }
    return undefined
  }

  hasGroup(group: string): boolean {
    return [...this.#kinds.values()].some((kind) => kind.group === group)
  }

  set(kind: Kind): void {
    this.#kinds.set(`${kind.group}/${kind.plural}`, kind)
    this.#generation++
  }

  delete(group: string, plural: string): void {
    if (this.#kinds.delete(`${group}/${plural}`)) this.#generation++
  }
}
