import type { Client } from '@binnacle/client'
import { abortable, type KubeObject, type List, type Resource, resource } from '@binnacle/core'
import { kindName, type ServedKind } from '../declare/served-kind.ts'
import type { IndexedGate } from '../gate/indexed.ts'
import type { AwaitedKind, ScopeHealth, StreamHealth } from '../report/health.ts'
import { DEFINITIONS, type Definition, definitionOf, lagsBehind } from './definitions.ts'
import { type Census, Kinds, type KnownKind, NOTHING, notServed } from './kinds.ts'
import { Lookout } from './lookout.ts'
import type { NamespaceScope } from './namespaces.ts'
import { Orchestrator } from './orchestrator.ts'
import { serverFilter } from './push-down.ts'
import type { Declarations } from './resolve.ts'
import { Scanner } from './scanner.ts'
import type { StreamDeps, Wish } from './stream.ts'

export interface WorldDeps extends StreamDeps {
  readonly declared: Declarations
  readonly gate: IndexedGate
  readonly namespaces: NamespaceScope
}

const NAMESPACES = resource({ group: '', version: 'v1', kind: 'Namespace', scope: 'Cluster' }) as unknown as Resource

/** Seconds between two looks at what the server serves, where something is awaited, or nobody tells; and where only an aggregated API could come. */
const ATTENTIVE = 30
const CALM = 300

/**
 * What there is, and what of it is watched: kinds and namespaces, as they come and go.
 * Guarantees: a kind that is declared but not served is awaited, said once, and watched when it appears; when a kind or a namespace is gone, its
 * objects are too; what the server refuses keeps nothing else from working.
 */
export class World {
  readonly #deps: WorldDeps
  readonly #kinds: Kinds
  readonly #orchestrator: Orchestrator
  readonly #definitions: Lookout<Definition>
  readonly #namespaces: Lookout<KubeObject>
  readonly #scanner: Scanner
  /** Names of definitions that are known to be deleted. */
  readonly #deleted = new Set<string>()
  /** Kinds whose filter the server has not understood. */
  readonly #unfiltered = new Set<string>()
  readonly #said = new Map<string, string>()
  #census: Census = NOTHING
  /** Of a pattern that is not followed. */
  #listed: readonly string[] | undefined
  #adjusting = false

  constructor(deps: WorldDeps) {
    const { client, runtime, settings, supervisor } = deps
    const { inactivityTimeout } = settings.watching
    this.#deps = deps
    this.#kinds = new Kinds(deps.declared, client)
    this.#orchestrator = new Orchestrator({
      ...deps,
      onNotServed: () => this.#ask(),
      onFilterRefused: (kind) => this.#unfilter(kind),
    })
    const common = { client, runtime, supervisor, inactivityTimeout }
    this.#definitions = new Lookout<Definition>({
      ...common,
      resource: DEFINITIONS,
      keep: definitionOf,
      consequence: `kinds that come or go are noticed every ${ATTENTIVE} s instead of at once.`,
      onChange: (change) => this.#definitionChanged(change),
    })
    this.#namespaces = new Lookout<KubeObject>({
      ...common,
      resource: NAMESPACES,
      keep: nameOnly,
      consequence: 'of the namespaces that it is to serve, only those are served that are named exactly.',
      onChange: () => this.#adjustSoon(),
    })
    this.#scanner = new Scanner({
      runtime,
      scan: (signal) => this.#scan(signal),
      lags: () => this.#lags,
      period: () => this.#period,
    })
  }

  get streams(): readonly StreamHealth[] {
    return this.#orchestrator.streams
  }

  get health(): ScopeHealth {
    const { health: definitions } = this.#definitions
    return { awaited: this.#census.awaited, definitions, namespaces: this.#namespaces.health }
  }

  /** Names of the kinds that are watched. */
  get kinds(): readonly string[] {
    return this.#census.kinds.map(({ kind }) => kindName(kind))
  }

  /** What is going on and will end by itself, in words. */
  get busy(): readonly string[] {
    const listing = this.#orchestrator.listing.map((kind) => `listing ${kind}`)
    const lookout = this.#definitions.isListing || this.#namespaces.isListing
    const looking = this.#scanner.isBusy || this.#adjusting || lookout
    return looking ? [...listing, 'looking for kinds and namespaces'] : listing
  }

  /** Starts watching, and resolves when everything that is there is listed, or refused. */
  async start(signal: AbortSignal): Promise<void> {
    const { disabled } = this.#deps.settings.scanning
    await this.#scan(signal, disabled)
    await this.#lookForNamespaces(disabled, signal)
    this.#adjust()
    if (!disabled && this.#census.open) {
      this.#definitions.start()
      void this.#deps.supervisor.start('search for kinds', (until) => this.#scanner.run(until))
    }
    await abortable(this.#orchestrator.whenSettled(), signal)
  }

  async #lookForNamespaces(disabled: boolean, signal: AbortSignal): Promise<void> {
    const { namespaces, client } = this.#deps
    if (namespaces.sort !== 'patterns') return
    if (disabled) this.#listed = (await allNames(client, signal)).filter(namespaces.matches)
    else {
      this.#namespaces.start()
      await abortable(this.#namespaces.whenAnswered(), signal)
    }
  }

  async #scan(signal: AbortSignal, refuse = false): Promise<void> {
    const watched = this.#definitions.isSynced ? this.#definitions.objects : undefined
    const byName = watched && new Map(watched.map((definition) => [definition.metadata.name, definition]))
    const census = await this.#kinds.take(byName, signal)
    if (refuse && census.awaited.length > 0) throw notServed(census.awaited)
    const names = new Set(census.kinds.map(({ kind }) => kindName(kind)))
    for (const { kind } of this.#census.kinds.filter((known) => !names.has(kindName(known.kind)))) {
      if (await this.#kinds.isDeleted(kind, signal)) this.#deleted.add(kindName(kind))
    }
    const former = this.#census
    this.#census = census
    this.#tellAwaited(census.awaited)
    if (former === NOTHING) return
    this.#tellChanges(former)
    this.#adjust()
  }

  #adjust(): void {
    this.#adjusting = false
    const names = new Set(this.kinds)
    this.#orchestrator.adjust(
      this.#census.kinds.flatMap((known) => this.#wishesOf(known)),
      (kind) => (names.has(kindName(kind)) || this.#deleted.has(kindName(kind)) ? 'deleted' : 'out of sight'),
    )
  }

  /** After all changes of this step have been told. */
  #adjustSoon(): void {
    if (this.#adjusting) return
    this.#adjusting = true
    void Promise.resolve().then(() => this.#adjust())
  }

  #wishesOf({ kind, selectable }: KnownKind): readonly Wish[] {
    const filters = this.#deps.settings.watching.serverSideFilters && !this.#unfiltered.has(kindName(kind))
    const filter = filters ? serverFilter(kind, selectable) : undefined
    const namespaces = kind.info.scope === 'Cluster' ? ['*'] : this.#names
    return namespaces.map((namespace) => ({ kind, namespace, filter }))
  }

  /** Namespaces to watch at present. */
  get #names(): readonly string[] {
    const { namespaces } = this.#deps
    if (namespaces.sort === 'cluster') return ['*']
    if (namespaces.sort === 'exact') return namespaces.names
    if (this.#listed) return this.#listed
    if (!this.#namespaces.isSynced) return namespaces.named
    return this.#namespaces.objects.map(({ metadata }) => metadata.name).filter(namespaces.matches)
  }

  #ask(): void {
    if (!this.#deps.settings.scanning.disabled && this.#census.open) this.#scanner.ask()
  }

  #unfilter(kind: ServedKind): void {
    if (this.#unfiltered.has(kindName(kind))) return
    this.#unfiltered.add(kindName(kind))
    this.#deps.runtime.logger.warn(
      `The server does not understand the selector for ${kindName(kind)}: everything is asked for, and filtered here.`,
    )
    this.#adjustSoon()
  }

  #definitionChanged(
    change: { readonly now: Definition | undefined; readonly before: Definition | undefined } | undefined,
  ): void {
    if (change?.now) this.#deleted.delete(change.now.metadata.name)
    else if (change?.before) this.#deleted.add(change.before.metadata.name)
    if (change === undefined ? this.#lags : essence(change.now) !== essence(change.before)) this.#scanner.ask()
  }

  get #lags(): boolean {
    if (!this.#definitions.isSynced) return false
    return lagsBehind(this.#definitions.objects, this.#kinds.resources, this.#deleted)
  }

  get #period(): number | undefined {
    const attentive = this.#census.awaited.length > 0 || this.#definitions.isRefused
    return attentive ? ATTENTIVE : CALM
  }

  #tellAwaited(awaited: readonly AwaitedKind[]): void {
    const { logger } = this.#deps.runtime
    for (const { resource: name, why, users, hint } of awaited) {
      if (this.#said.get(name) === why) continue
      this.#said.set(name, why)
      const what = why === 'ambiguous' ? 'is ambiguous, and left alone' : `is ${why} yet, and awaited`
      logger.warn(`${name} (${users.join(', ')}) ${what}. ${hint}`)
    }
    const names = new Set(awaited.map(({ resource: name }) => name))
    for (const name of this.#said.keys()) {
      if (names.has(name)) continue
      this.#said.delete(name)
      logger.info(`${name} is served now.`)
    }
  }

  #tellChanges(former: Census): void {
    const { logger } = this.#deps.runtime
    const before = new Set(former.kinds.map(({ kind }) => kindName(kind)))
    const now = new Set(this.kinds)
    const [come, gone] = [[...now].filter((name) => !before.has(name)), [...before].filter((name) => !now.has(name))]
    for (const line of this.#census.news) logger.info(line)
    if (come.length > 0) logger.info(`The server serves ${come.join(', ')} from now on: the operator watches it.`)
    if (gone.length > 0) logger.info(`The server serves ${gone.join(', ')} no more: its objects are forgotten.`)
  }
}

/** What makes a look at the server worth while. */
function essence(definition: Definition | undefined): string {
  return JSON.stringify([definition?.established, definition?.metadata.generation, definition?.metadata.uid])
}

/** All that is kept of a namespace. */
function nameOnly({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, uid, resourceVersion } = metadata
  return { apiVersion, kind, metadata: { name, uid, resourceVersion } as KubeObject['metadata'] }
}

async function allNames(client: Client, signal: AbortSignal): Promise<readonly string[]> {
  const { items } = (await client.list(NAMESPACES, { signal })) as List<KubeObject>
  return items.map(({ metadata }) => metadata.name)
}
