import type { ResourceVersion } from '@binnacle/core'
import { type Cell, type IndexValues, NumberedCells } from './cell.ts'
import type { IndexContents } from './index-set.ts'
import { CellsByName } from './names.ts'

/**
 * The new content of a store while it is prepared, object by object.
 * Guarantees: the store is as it was until `commit`, which is one short step, however large the content is: cells and indices are ready by then.
 * If the store was changed meanwhile, or two objects had one key, `commit` makes them once more.
 */
export interface Replacement<T> {
  /** Of two with one key the last stays. Throws if an index function does, in the mode `throw`. */
  add(key: string, object: T): void
  has(key: string): boolean
  /** How many objects have been added, those with one key counted once. */
  readonly size: number
  /** Whether the store has been changed since. */
  readonly isStale: boolean
  /** What has been added, by key. */
  entries(): Iterable<readonly [string, T]>
  commit(resourceVersion: ResourceVersion): void
}

/** All that a store holds. */
export interface StoreContent<T> {
  readonly cells: Map<string, Cell<T>>
  readonly numbered: NumberedCells<T>
  readonly indices: IndexContents<T>
  readonly names: CellsByName<T>
}

/** The parts of a store that a replacement works on. */
export interface ReplacedStore<T> {
  /** Changes whenever the store or its indices do. */
  revision(): number
  cell(key: string): Cell<T> | undefined
  valuesOf(key: string, object: T, old: Cell<T> | undefined): IndexValues[]
  emptyIndices(numbered: NumberedCells<T>): IndexContents<T>
  fill(indices: IndexContents<T>, cell: Cell<T>, values: readonly IndexValues[]): void
  /** Puts the new content in place of the old one. */
  swap(content: StoreContent<T>): void
}

export class CellReplacement<T> implements Replacement<T> {
  readonly #store: ReplacedStore<T>
  readonly #cells = new Map<string, Cell<T>>()
  readonly #revision: number
  readonly #note: (version: ResourceVersion) => void
  #indices: IndexContents<T>
  #names = new CellsByName<T>()
  #numbered = new NumberedCells<T>()
  #hasDuplicates = false

  constructor(store: ReplacedStore<T>, note: (version: ResourceVersion) => void) {
    this.#store = store
    this.#revision = store.revision()
    this.#indices = store.emptyIndices(this.#numbered)
    this.#note = note
  }

  add(key: string, object: T): void {
    const values = this.#store.valuesOf(key, object, this.#store.cell(key))
    const cell = this.#numbered.make(key, object)
    const { size } = this.#cells
    this.#cells.set(key, cell)
    this.#hasDuplicates ||= this.#cells.size === size
    this.#place(cell, values)
  }

  has(key: string): boolean {
    return this.#cells.has(key)
  }

  get size(): number {
    return this.#cells.size
  }

  get isStale(): boolean {
    return this.#store.revision() !== this.#revision
  }

  *entries(): Iterable<readonly [string, T]> {
    for (const { key, object } of this.#cells.values()) yield [key, object]
  }

  commit(resourceVersion: ResourceVersion): void {
    if (this.isStale || this.#hasDuplicates) this.#anew()
    this.#store.swap({
      cells: this.#cells,
      numbered: this.#numbered,
      indices: this.#indices,
      names: this.#names,
    })
    this.#note(resourceVersion)
  }

  #anew(): void {
    // All values first: an index function may throw, and then the store is as it was.
    const numbered = new NumberedCells<T>()
    const made = Array.from(this.#cells.values(), ({ key, object }) => ({
      cell: numbered.make(key, object),
      values: this.#store.valuesOf(key, object, this.#store.cell(key)),
    }))
    this.#indices = this.#store.emptyIndices(numbered)
    this.#names = new CellsByName()
    this.#numbered = numbered
    for (const { cell, values } of made) {
      this.#cells.set(cell.key, cell)
      this.#place(cell, values)
    }
  }

  #place(cell: Cell<T>, values: readonly IndexValues[]): void {
    this.#store.fill(this.#indices, cell, values)
    this.#names.add(cell)
  }
}
