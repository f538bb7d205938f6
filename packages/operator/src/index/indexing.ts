import {
  BinnacleError,
  formatObjectName,
  isPlainObject,
  type KubeObject,
  messageOf,
  objectName,
  type Runtime,
} from '@binnacle/core'
import type { Index, IndexDefinition, IndexKey } from '../declare/index-handler.ts'
import { stateMismatch } from '../select/match.ts'
import { IndexStore } from './index-store.ts'

/** What an indexing function gets, and which of it must never be unfolded. */
export type IndexView = (body: KubeObject) => object

interface Entry {
  readonly definition: IndexDefinition
  readonly store: IndexStore<IndexKey, unknown>
}

/**
 * The indices of an operator, and what fills them.
 * Guarantees: an object's values change in the same step in which the cache changes; all indices exist, empty, before anything is listed;
 * a function that throws is reported, and what it gave before stays; an index declared once and listed under two names is one.
 */
export class Indexing {
  readonly #runtime: Runtime
  readonly #entries = new Map<string, Entry>()

  constructor(definitions: ReadonlyMap<string, IndexDefinition>, runtime: Runtime) {
    this.#runtime = runtime
    const stores = new Map<IndexDefinition, IndexStore<IndexKey, unknown>>()
    for (const [name, definition] of definitions) {
      const store = stores.get(definition) ?? new IndexStore<IndexKey, unknown>()
      stores.set(definition, store)
      this.#entries.set(name, { definition, store })
    }
  }

  /** By name, as contexts carry them. */
  get views(): { readonly [name: string]: Index<IndexKey, unknown> } {
    return Object.fromEntries([...this.#entries].map(([name, { store }]) => [name, store.view]))
  }

  /** The object is there, new or changed. */
  put(definitions: ReadonlySet<IndexDefinition>, body: KubeObject, view: IndexView): void {
    for (const [name, { definition, store }] of this.#each(definitions)) {
      try {
        this.#putInto(store, definition, body, view)
      } catch (error) {
        const object = `${body.kind} ${formatObjectName(objectName(body))}`
        this.#runtime.logger.error(`Index "${name}" keeps what it had of ${object}: ${messageOf(error)}`, { error })
      }
    }
  }

  /** The object is gone. */
  drop(definitions: ReadonlySet<IndexDefinition>, uid: string): void {
    for (const [, { store }] of this.#each(definitions)) store.drop(uid)
  }

  #putInto(
    store: IndexStore<IndexKey, unknown>,
    definition: IndexDefinition,
    body: KubeObject,
    viewOf: IndexView,
  ): void {
    const view = viewOf(body)
    if (stateMismatch(definition.filters, { body, view: () => view })) return store.drop(body.metadata.uid)
    const result = definition.fn(view)
    if (result === undefined || result === null) return
    store.put(body.metadata.uid, entriesOf(result, view))
  }

  /** Each store once, under the first of its names. */
  *#each(definitions: ReadonlySet<IndexDefinition>): Iterable<readonly [string, Entry]> {
    const seen = new Set<IndexDefinition>()
    for (const [name, entry] of this.#entries) {
      if (!definitions.has(entry.definition) || seen.has(entry.definition)) continue
      seen.add(entry.definition)
      yield [name, entry]
    }
  }
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
  if (isPlainObject(result) && !Object.values(view).includes(result)) return Object.entries(result)
  return [[null, result]]
}
