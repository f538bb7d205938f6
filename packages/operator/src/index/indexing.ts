import {
  BinnacleError,
  explain,
  formatObjectName,
  isPlainObject,
  type KubeObject,
  type Logger,
  objectName,
  type Runtime,
} from '@binnacle/core'
import type { Index, IndexDefinition, IndexKey } from '../declare/index-handler.ts'
import type { Attempts, Verdict } from '../progress/progress.ts'
import { stateMismatch } from '../select/match.ts'
import { IndexStore } from './index-store.ts'

/** What an indexing function gets, made anew for each call. */
export type IndexView = (body: KubeObject) => object

/** A definition under its name, as much as decides about its failures. */
export type NamedIndex = IndexDefinition & { readonly id: string }

/** What a failure of an indexing function comes to. */
export interface IndexJudgement {
  readonly outcome: string
  readonly verdict?: Verdict | undefined
  readonly error?: unknown
  /** An error of ours: its message is enough, without a stack. */
  readonly expected: boolean
}

export interface IndexingDeps {
  readonly runtime: Runtime
  /** The rules for errors that all handlers share. */
  readonly judge: (index: NamedIndex, attempts: Attempts, error: unknown) => IndexJudgement
  /** Calls back later; returns what ends that. */
  readonly after: (seconds: number, ring: () => void) => () => void
}

/** An object that an index has excluded after a failure. */
interface Exclusion extends Attempts {
  /** On the monotonic clock; undefined for ever. */
  readonly until: number | undefined
  /** Its newest state, for when the exclusion is over. Undefined for ever: nothing is kept of what will not be indexed. */
  newest: { readonly body: KubeObject; readonly view: IndexView } | undefined
  /** Ends the wait for the end of the exclusion. */
  readonly clear: () => void
}

interface Entry {
  readonly index: NamedIndex
  readonly store: IndexStore<IndexKey, unknown>
  /** By uid. Only of objects that have failed and not succeeded since. */
  readonly excluded: Map<string, Exclusion>
}

/** Seconds at least between two attempts that nothing but the delay separates: an error without one must not keep everybody busy. */
const SHORTEST_DELAY = 1

/**
 * The indices of an operator, and what fills them.
 * Guarantees: an object's values change in the same step in which the cache changes; all indices exist, empty, before anything is listed;
 * a function that throws is dealt with by its error mode: what it gave before stays, or the object is excluded for a while or for ever; a
 * temporary exclusion ends by itself; a success leaves no trace of former failures; an index listed under two names is one.
 */
export class Indexing {
  readonly #deps: IndexingDeps
  readonly #known = new Map<IndexDefinition, Entry>()

  constructor(definitions: ReadonlyMap<string, IndexDefinition>, deps: IndexingDeps) {
    this.#deps = deps
    const views: [string, Index<IndexKey, unknown>][] = []
    for (const [name, definition] of definitions) {
      const entry = this.#known.get(definition) ?? {
        index: { ...definition, id: name },
        store: new IndexStore<IndexKey, unknown>(),
        excluded: new Map(),
      }
      this.#known.set(definition, entry)
      views.push([name, entry.store.view])
    }
    this.views = Object.fromEntries(views)
  }

  /** By name, as contexts carry them. */
  readonly views: { readonly [name: string]: Index<IndexKey, unknown> }

  /** Objects that some index has excluded, for a while or for ever. */
  get excluded(): number {
    return [...this.#known.values()].reduce((sum, { excluded }) => sum + excluded.size, 0)
  }

  /** The object is there, new or changed. */
  put(definitions: ReadonlySet<IndexDefinition>, body: KubeObject, view: IndexView): void {
    for (const entry of this.#each(definitions)) this.#put(entry, body, view)
  }

  /** The object is gone. */
  drop(definitions: ReadonlySet<IndexDefinition>, uid: string): void {
    for (const { store, excluded } of this.#each(definitions)) {
      store.drop(uid)
      excluded.get(uid)?.clear()
      excluded.delete(uid)
    }
  }

  #put(entry: Entry, body: KubeObject, view: IndexView): void {
    const exclusion = entry.excluded.get(body.metadata.uid)
    if (exclusion?.newest) exclusion.newest = { body, view }
    if (!exclusion || this.#isOver(exclusion)) this.#index(entry, body, view, exclusion)
  }

  #isOver({ until }: Exclusion): boolean {
    return until !== undefined && this.#deps.runtime.clock.monotonic() >= until
  }

  #index(entry: Entry, body: KubeObject, view: IndexView, former: Exclusion | undefined): void {
    const { runtime } = this.#deps
    const { uid } = body.metadata
    const attempts: Attempts = former ?? { started: runtime.clock.now().toISOString(), retries: 0 }
    former?.clear()
    try {
      this.#fill(entry, body, view(body), attempts)
      entry.excluded.delete(uid)
    } catch (error) {
      this.#failed(entry, body, view, attempts, error)
    }
  }

  #fill({ index, store }: Entry, body: KubeObject, view: object, { started, retries }: Attempts): void {
    const { uid } = body.metadata
    if (stateMismatch(index.filters, { body, view: () => view })) return store.drop(uid)
    const since = new Date(started)
    const runtime = (this.#deps.runtime.clock.now().getTime() - since.getTime()) / 1000
    const result = index.fn(Object.assign(view, { param: index.param, retry: retries, started: since, runtime }))
    if (result === undefined || result === null) return
    store.put(uid, entriesOf(result, view))
  }

  #failed(entry: Entry, body: KubeObject, view: IndexView, attempts: Attempts, error: unknown): void {
    const { index, store, excluded } = entry
    const { uid } = body.metadata
    const judgement = this.#deps.judge(index, attempts, error)
    tell(this.#deps.runtime.logger, index, body, judgement)
    if (judgement.outcome === 'ignored') return void excluded.delete(uid)
    store.drop(uid)
    const { verdict } = judgement
    const again = verdict?.kind === 'again' ? verdict.delay : undefined
    excluded.set(uid, this.#exclusion(entry, attempts, again, again === undefined ? undefined : { body, view }, uid))
  }

  #exclusion(
    entry: Entry,
    attempts: Attempts,
    delay: number | undefined,
    newest: Exclusion['newest'],
    uid: string,
  ): Exclusion {
    const { started, retries } = attempts
    const failed = { started, retries: retries + 1, newest }
    if (delay === undefined) return { ...failed, until: undefined, clear: () => {} }
    const until = this.#deps.runtime.clock.monotonic() + delay
    return { ...failed, until, clear: this.#deps.after(Math.max(delay, SHORTEST_DELAY), () => this.#again(entry, uid)) }
  }

  /** The exclusion is over, and nothing else has happened to the object meanwhile. */
  #again(entry: Entry, uid: string): void {
    const exclusion = entry.excluded.get(uid)
    if (exclusion?.newest) this.#index(entry, exclusion.newest.body, exclusion.newest.view, exclusion)
  }

  /** Each index once, under the first of its names. */
  *#each(definitions: ReadonlySet<IndexDefinition>): Iterable<Entry> {
    for (const definition of definitions) {
      const entry = this.#known.get(definition)
      if (entry) yield entry
    }
  }
}

/** One line for each failure. An error of ours needs no stack; one that nobody expected does. */
function tell(logger: Logger, { id }: NamedIndex, body: KubeObject, judgement: IndexJudgement): void {
  const object = `${body.kind} ${formatObjectName(objectName(body))}`
  const { outcome, verdict, error, expected } = judgement
  const fields = expected ? {} : { error }
  if (outcome === 'ignored') logger.error(`Index "${id}" keeps what it had of ${object}: ${explain(error)}`, fields)
  else if (verdict?.kind === 'again')
    logger.warn(`Index "${id}" excludes ${object} for ${verdict.delay} s: ${explain(error)}`, fields)
  else logger.error(`Index "${id}" excludes ${object} for good: ${explain(error)}`, fields)
}

/**
 * What an indexing function returned, as keys and values: a plain object or a Map is merged by key, everything else is one value under
 * null. What the context itself handed over is never unfolded, although it looks like a plain object.
 */
function entriesOf(result: unknown, view: object): Iterable<readonly [IndexKey, unknown]> {
  if (result instanceof Promise) {
    result.catch(() => {}) // Nobody waits for it: what it throws later must not end the process.
    throw new BinnacleError('BIN_DECLARATION', {
      message: 'an indexing function returned a promise',
      hint: 'Indices change in one step with the cache: do the slow work in a handler and index its outcome.',
    })
  }
  if (result instanceof Map && Object.getPrototypeOf(result) === Map.prototype) return result
  if (isPlainObject(result) && !isHandedOver(result, view)) return Object.entries(result)
  return [[null, result]]
}

function isHandedOver(result: object, view: object): boolean {
  // A part that is made when it is asked for has not been asked for while it is not a value yet.
  return Object.values(Object.getOwnPropertyDescriptors(view)).some(({ value }) => value === result)
}
