import type { Client } from '@binnacle/client'
import {
  BinnacleError,
  deepEqual,
  type FieldKeys,
  type KubeObject,
  NotFoundError,
  type ResourceInfo,
  resource,
} from '@binnacle/core'
import { nameOf } from '../declare/handler.ts'
import { kindName, nameOfKind, type ServedKind } from '../declare/served-kind.ts'
import type { AwaitedKind } from '../report/health.ts'
import { DEFINITIONS, type Definition, definitionOf, isCustom, versionIn } from './definitions.ts'
import { type Declarations, type ResolvedKind, resolveKinds } from './resolve.ts'

/** What the operator has to do with at present. */
export interface Census {
  readonly kinds: readonly KnownKind[]
  readonly awaited: readonly AwaitedKind[]
  /** Whether kinds that come or go could make a difference. */
  readonly open: boolean
  /** What is different about kinds that were there before, in words. */
  readonly news: readonly string[]
}

export interface KnownKind {
  readonly kind: ServedKind
  /** Fields that the server can select by. */
  readonly selectable: readonly string[]
}

/** Of an operator without handlers, or before the first look. */
export const NOTHING: Census = { kinds: [], awaited: [], open: false, news: [] }

/** By name. Never rejects. */
type Ahead = ReadonlyMap<string, Promise<Definition | undefined>>
const NOTHING_AHEAD: Ahead = new Map()

/** `kopfexamples.kopf.dev`, which is also what its definition is called. */
const PLURAL_AND_GROUP = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/
const groupIn = (name: string) => name.slice(name.indexOf('.') + 1)

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/**
 * The kinds that handlers are about, as the server has them.
 * Guarantees: a kind that stays is one and the same value from census to census, with what has changed about it; if a census fails,
 * nothing has changed.
 */
export class Kinds {
  readonly #declared: Declarations
  readonly #client: Client
  readonly #known = new Map<string, Mutable<ServedKind>>()
  #resources: readonly ResourceInfo[] = []

  constructor(declared: Declarations, client: Client) {
    this.#declared = declared
    this.#client = client
  }

  /** All that the server has said to serve. */
  get resources(): readonly ResourceInfo[] {
    return this.#resources
  }

  /** Asks the server. `definitions` are those that are watched, by name; the others are asked for. */
  async take(definitions: ReadonlyMap<string, Definition> | undefined, signal: AbortSignal): Promise<Census> {
    const { changes, events, background, indices } = this.#declared
    if (changes.length + events.length + background.length + indices.size === 0) return NOTHING
    const { discovery } = this.#client
    const ahead = definitions ? NOTHING_AHEAD : this.#askAhead(signal)
    await discovery.refresh({ signal })
    const resources = withBroken(await discovery.resources({ signal }), this.#resources, discovery.broken)
    const { kinds, awaited, open } = resolveKinds(this.#declared, resources)
    const details = await Promise.all(kinds.map((kind) => this.#definitionOf(kind, definitions, ahead, signal)))
    this.#resources = resources
    const news: string[] = []
    const known = kinds.map((resolved, i) => {
      const version = versionIn(details[i], resolved.info.version)
      return { kind: this.#keep(resolved, version?.conditions ?? false, news), selectable: version?.selectable ?? [] }
    })
    const names = new Set(known.map(({ kind }) => kindName(kind)))
    for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name)
    return { kinds: known, awaited, open, news }
  }

  #keep(resolved: ResolvedKind, conditions: boolean, news: string[]): ServedKind {
    const name = nameOfKind(resolved.info)
    const fresh = servedKind(resolved, conditions)
    const former = this.#known.get(name)
    if (former) news.push(...differences(former, fresh))
    const kind = Object.assign(former ?? fresh, fresh)
    this.#known.set(name, kind)
    return kind
  }

  async #definitionOf(
    { info, handlers, events, background, indices }: ResolvedKind,
    definitions: ReadonlyMap<string, Definition> | undefined,
    ahead: Ahead,
    signal: AbortSignal,
  ): Promise<Definition | undefined> {
    const names = [...handlers, ...events, ...background, ...indices].some(({ filters }) => filters.field !== undefined)
    if (!isCustom(info) || (handlers.length + background.length === 0 && !names)) return undefined
    const name = nameOfKind(info)
    const watched = definitions?.get(name)
    if (watched) return watched
    const answer = await (ahead.get(name) ?? this.#ask(name, signal))
    signal.throwIfAborted()
    return answer
  }

  /**
   * The definitions that will be needed, as far as names tell, asked for while the server still says what it serves: a start is one answer shorter.
   */
  #askAhead(signal: AbortSignal): Ahead {
    const { changes, background } = this.#declared
    const names = new Set([...changes, ...background].map(({ resource }) => nameOf(resource)))
    const custom = [...names].filter((name) => PLURAL_AND_GROUP.test(name) && isCustom({ group: groupIn(name) }))
    return new Map(custom.map((name) => [name, this.#ask(name, signal)]))
  }

  /** Who may not read definitions does without: then an event is the only trace of a failure, and nothing is selected by the server. */
  async #ask(name: string, signal: AbortSignal): Promise<Definition | undefined> {
    try {
      const found = await this.#client.find(DEFINITIONS, name, { signal })
      return found && definitionOf(found as unknown as KubeObject)
    } catch {
      return undefined
    }
  }

  /** Whether the definition of a kind is known to be deleted, and with it all its objects. */
  async isDeleted(kind: ServedKind, signal: AbortSignal): Promise<boolean> {
    if (!isCustom(kind.info)) return false
    try {
      return (await this.#client.find(DEFINITIONS, kindName(kind), { signal })) === undefined
    } catch (error) {
      signal.throwIfAborted()
      return error instanceof NotFoundError
    }
  }
}

function differences(former: ServedKind, fresh: ServedKind): readonly string[] {
  const name = kindName(fresh)
  const { version } = fresh.info
  if (former.info.version !== version) return [`${name} is watched in version ${version} from now on.`]
  const facts = ({ info, conditions }: ServedKind) => [info.subresources, info.verbs, info.scope, conditions]
  return deepEqual(facts(former), facts(fresh)) ? [] : [`The definition of ${name} has changed, and is heeded.`]
}

/** A group that the server cannot tell about at present has not disappeared. */
function withBroken(
  found: readonly ResourceInfo[],
  former: readonly ResourceInfo[],
  broken: readonly string[],
): readonly ResourceInfo[] {
  const there = new Set(found.map((info) => `${nameOfKind(info)}/${info.version}`))
  const kept = former.filter(
    (info) => broken.includes(info.apiVersion) && !there.has(`${nameOfKind(info)}/${info.version}`),
  )
  return [...found, ...kept]
}

function servedKind({ info, ...declared }: ResolvedKind, conditions: boolean): ServedKind {
  const tracked = [...declared.handlers, ...declared.events].flatMap(({ filters }): FieldKeys[] =>
    filters.field ? [filters.field] : [],
  )
  const { group, version, kind, plural, singular, scope } = info
  const handle = resource({ group, version, kind, plural, singular, scope }) as ServedKind['resource']
  return { info, resource: handle, ...declared, conditions, tracked }
}

/** The error of a start that must not wait. */
export function notServed(awaited: readonly AwaitedKind[]): BinnacleError {
  const what = awaited.map(({ resource, why, users }) => `${resource} (${users.join(', ')}): ${why}`)
  return new BinnacleError('BIN_UNKNOWN_RESOURCE', {
    message: `The API server does not serve what is declared: ${what.join('; ')}`,
    hint: awaited.map(({ hint }) => hint).join(' '),
  })
}
