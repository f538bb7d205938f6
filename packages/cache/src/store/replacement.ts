import type { ResourceVersion } from '@binnacle/core'
import type { Cell, IndexValues } from './cell.ts'

/**
 * The new content of a store while it is prepared, object by object.
 * Guarantees: the store is as it was until `commit`, which is one short step: keys and index values have been computed by then. If the store was
 * changed meanwhile, `commit` computes them once more.
 */
export interface Replacement<T> {
  /** Of two with one key the last stays. Throws if an index function does, in the mode `throw`. */
  add(key: string, object: T): void
  has(key: string): boolean
  /** Whether the store has been changed since. */
  readonly isStale: boolean
  /** What has been added, by key. */
  entries(): Iterable<readonly [string, T]>
  commit(resourceVersion: ResourceVersion): void
}

/** The parts of a store that a replacement works on. */
export interface ReplacedStore<T> {
  /** Changes whenever the store or its indices do. */
  revision(): number
  cell(key: string): Cell<T> | undefined
  valuesOf(key: string, object: T, old: Cell<T> | undefined): readonly IndexValues[]
  /** Puts new cells in, in place of the old ones that have their keys; all others go. */
  swap(cells: Map<string, Cell<T>>): void
}

export class CellReplacement<T> implements Replacement<T> {
  readonly #store: ReplacedStore<T>
  readonly #cells = new Map<string, Cell<T>>()
  readonly #revision: number
  readonly #note: (version: ResourceVersion) => void

  constructor(store: ReplacedStore<T>, note: (version: ResourceVersion) => void) {
    this.#store = store
    this.#revision = store.revision()
    this.#note = note
  }

  add(key: string, object: T): void {
    this.#cells.set(key, { key, object, values: this.#store.valuesOf(key, object, this.#store.cell(key)) })
  }

  has(key: string): boolean {
    return this.#cells.has(key)
  }

  get isStale(): boolean {
    return this.#store.revision() !== this.#revision
  }

  *entries(): Iterable<readonly [string, T]> {
    for (const { key, object } of this.#cells.values()) yield [key, object]
  }

  commit(resourceVersion: ResourceVersion): void {
    if (this.isStale) {
      for (const cell of this.#cells.values()) {
        cell.values = this.#store.valuesOf(cell.key, cell.object, this.#store.cell(cell.key))
      }
    }
    this.#store.swap(this.#cells)
    this.#note(resourceVersion)
  }
}
