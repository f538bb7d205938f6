import { BinnacleError, messageOf } from '@binnacle/core'
import { type Cell, EXCLUDED, type IndexValues, NO_VALUES, type NumberedCells, SAME_VALUES } from './cell.ts'
import { CellIndex } from './cell-index.ts'
import { type Indexers, type IndexFunc, IndexNotFoundError } from './index-functions.ts'

export interface IndexErrorOptions {
  /**
   * What a failing index function does.
   * `throw`: to the caller of the mutation, and nothing is changed. `ignored`: the object keeps its old values in that index.
   * `temporary`: it leaves that index until its next change. `permanent`: it leaves that index for good, until it is deleted.
   * @default 'throw'
   */
  readonly indexErrors?: IndexErrorMode
  /** Is told of every failure that is not thrown. */
  readonly onIndexError?: (error: unknown, indexName: string, key: string) => void
}
export type IndexErrorMode = 'throw' | 'ignored' | 'temporary' | 'permanent'

interface NamedIndex<T> {
  readonly name: string
  readonly number: number
  readonly compute: IndexFunc<T>
  cells: CellIndex<T>
}

/** The content of each index, by its number. */
export type IndexContents<T> = readonly CellIndex<T>[]

/**
 * All indices of one store.
 * Guarantees: index functions run before anything is touched, so one that throws has changed nothing; putting computed values in cannot fail.
 * What functions give is not kept.
 */
export class IndexSet<T> {
  readonly #byName = new Map<string, NamedIndex<T>>()
  readonly #indices: NamedIndex<T>[] = []
  readonly #mode: IndexErrorMode
  readonly #onError: ((error: unknown, indexName: string, key: string) => void) | undefined

  constructor(options: IndexErrorOptions) {
    this.#mode = options.indexErrors ?? 'throw'
    this.#onError = options.onIndexError
  }

  get names(): string[] {
    return [...this.#byName.keys()]
  }

  named(name: string): NamedIndex<T> {
    const index = this.#byName.get(name)
    if (!index) throw new IndexNotFoundError(name, this.#byName.keys())
    return index
  }

  functions(): Indexers<T> {
    const functions: Record<string, IndexFunc<T>> = Object.create(null)
    for (const { name, compute } of this.#indices) functions[name] = compute
    return functions
  }

  /** More indices, filled with the cells that are there. A name that is taken, or a function that throws, adds none. */
  add(indexers: Indexers<T>, cells: Iterable<Cell<T>>, numbered: NumberedCells<T>): void {
    const added = Object.entries(indexers).map(([name, compute], i) => ({
      ...this.#newIndex(name, compute, i),
      cells: new CellIndex(numbered),
    }))
    const values: [Cell<T>, IndexValues[]][] = []
    for (const cell of cells) {
      values.push([cell, added.map((index) => this.#compute(index, cell.key, cell.object, undefined))])
    }
    for (const [cell, more] of values) {
      for (const [i, index] of added.entries()) index.cells.move(cell, more[i] ?? NO_VALUES)
    }
    for (const index of added) this.#byName.set(index.name, index)
    this.#indices.push(...added)
  }

  /** What the object's values will be in each index. Throws in the mode `throw` only. */
  valuesOf(key: string, object: T, old: Cell<T> | undefined): IndexValues[] {
    return this.#indices.map((index) => {
      const values = this.#compute(index, key, object, old)
      return values === SAME_VALUES && old ? index.cells.valuesOf(old) : values
    })
  }

  /** Moves the cell to where the values of its next object say. Throws in the mode `throw` only, and has moved nothing then. */
  move(cell: Cell<T>, object: T): void {
    // Most changes concern one index at most: a list is made for those that concern several.
    let only: CellIndex<T> | undefined
    let values = NO_VALUES
    let others: [CellIndex<T>, IndexValues][] | undefined
    for (const index of this.#indices) {
      const found = this.#compute(index, cell.key, object, cell)
      if (index.cells.hasJust(cell, found)) continue
      if (only === undefined) {
        only = index.cells
        values = found
      } else {
        others ??= []
        others.push([index.cells, found])
      }
    }
    only?.move(cell, values)
    if (others) for (const [cells, found] of others) cells.move(cell, found)
  }

  /** Indices without content, to be filled beside the present ones, and then put in their place. */
  empty(cells: NumberedCells<T>): IndexContents<T> {
    return this.#indices.map(() => new CellIndex(cells))
  }

  /** Puts a cell in that is in no index yet. */
  fill(contents: IndexContents<T>, cell: Cell<T>, values: readonly IndexValues[]): void {
    for (let number = 0; number < contents.length; number++) contents[number]?.move(cell, values[number] ?? NO_VALUES)
  }

  /** Assumes: the contents are of all indices, as `empty` made them. */
  swap(contents: IndexContents<T>): void {
    for (const index of this.#indices) index.cells = contents[index.number] as CellIndex<T>
  }

  /** Takes the cell out of every index. */
  take(cell: Cell<T>): void {
    for (const { cells } of this.#indices) cells.move(cell, NO_VALUES)
  }

  /** What contradicts the guarantees, given all cells of the store. Property tests call it after every step. */
  broken(cells: readonly Cell<T>[]): string[] {
    return this.#indices.flatMap(({ name, cells: index }) =>
      index.broken(cells).map((sentence) => `index ${name}: ${sentence}`),
    )
  }

  #newIndex(name: string, compute: IndexFunc<T>, offset: number): Omit<NamedIndex<T>, 'cells'> {
    if (!this.#byName.has(name)) {
      const number = this.#indices.length + offset
      return { name, number, compute }
    }
    throw new BinnacleError('BIN_STORE', {
      message: `There is an index called ${JSON.stringify(name)} already; none of the new ones was added`,
      hint: 'Give the new index a name of its own.',
    })
  }

  #compute(index: NamedIndex<T>, key: string, object: T, old: Cell<T> | undefined): IndexValues {
    if (old && index.cells.isExcluded(old) && !isAnother(old.object, object)) return EXCLUDED
    try {
      return checked(index.compute(object))
    } catch (error) {
      return this.#failed(error, index.name, key, old)
    }
  }

  #failed(error: unknown, indexName: string, key: string, old: Cell<T> | undefined): IndexValues {
    if (this.#mode === 'throw') throw refusal(error, indexName, key)
    this.#onError?.(error, indexName, key)
    if (this.#mode === 'permanent') return EXCLUDED
    return this.#mode === 'ignored' && old ? SAME_VALUES : NO_VALUES
  }
}

/** Code without types may give anything; whatever is not a list of values must not reach the index. */
function checked(values: readonly string[]): readonly string[] {
  if (Array.isArray(values)) return values
  throw new TypeError(`It gave ${values === null ? 'null' : typeof values} instead of a list of values`)
}

/** A namesake with a uid of its own: what was decided about the earlier object does not concern it. */
function isAnother(old: unknown, object: unknown): boolean {
  const [before, now] = [uidOf(old), uidOf(object)]
  return before !== undefined && now !== undefined && before !== now
}

function uidOf(object: unknown): string | undefined {
  return (object as { metadata?: { uid?: string } } | undefined)?.metadata?.uid
}

function refusal(error: unknown, indexName: string, key: string): BinnacleError {
  return new BinnacleError('BIN_STORE', {
    message: `Index function ${JSON.stringify(indexName)} failed for ${JSON.stringify(key)}, and nothing was changed: ${messageOf(error)}`,
    hint: "Mend the function, or choose another mode with `indexErrors`: 'ignored', 'temporary' or 'permanent'.",
    cause: error,
  })
}
