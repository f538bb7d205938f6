import { BinnacleError, messageOf } from '@binnacle/core'
import { type Cell, EXCLUDED, type IndexValues, NO_INDICES, NO_VALUES, settledValues } from './cell.ts'
import { type Indexers, type IndexFunc, IndexNotFoundError } from './index-functions.ts'
import { InvertedIndex } from './inverted-index.ts'

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
  cells: InvertedIndex<string, Cell<T>>
}

/** The content of each index, by its number. */
export type IndexContents<T> = readonly InvertedIndex<string, Cell<T>>[]

/**
 * All indices of one store.
 * Guarantees: index functions run before anything is touched, so one that throws has changed nothing; putting computed values in (`fill`,
 * `take`) cannot fail. What functions give is not kept: a cell remembers lists of the index's own.
 */
export class IndexSet<T> {
  readonly #byName = new Map<string, NamedIndex<T>>()
  readonly #indices: NamedIndex<T>[] = []
  /** A list that `move` writes into, since it runs for each event. Taken out while it is in use. */
  #spare: IndexValues[] | undefined
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
  add(indexers: Indexers<T>, cells: Iterable<Cell<T>>): void {
    const added = Object.entries(indexers).map(([name, compute], i) => this.#newIndex(name, compute, i))
    const values: [Cell<T>, IndexValues[]][] = []
    for (const cell of cells) {
      values.push([cell, added.map((index) => this.#compute(index, cell.key, cell.object, undefined))])
    }
    for (const [cell, more] of values) {
      cell.values.push(...added.map((index, i) => index.cells.move(cell, NO_VALUES, more[i] ?? NO_VALUES)))
    }
    for (const index of added) {
      this.#byName.set(index.name, index)
      this.#indices.push(index)
    }
  }

  /** The values of a cell that is in no index yet. */
  noValues(): IndexValues[] {
    return this.#indices.length === 0 ? NO_INDICES : []
  }

  /** What the object's values will be in each index. Throws in the mode `throw` only. */
  valuesOf(key: string, object: T, old: Cell<T> | undefined): IndexValues[] {
    if (this.#indices.length === 0) return NO_INDICES
    return this.#indices.map((index) => this.#compute(index, key, object, old))
  }

  /** Moves the cell to where the values of its next object say. Throws in the mode `throw` only, and has moved nothing then. */
  move(cell: Cell<T>, object: T): void {
    let next: IndexValues[] | undefined
    for (const index of this.#indices) {
      const values = this.#compute(index, cell.key, object, cell)
      if (next === undefined && values !== cell.values[index.number]) next = this.#spareWith(cell.values)
      if (next) next[index.number] = values
    }
    if (next) this.#put(cell, next)
  }

  /** Indices without content, to be filled beside the present ones, and then put in their place. */
  empty(): IndexContents<T> {
    return this.#indices.map(() => new InvertedIndex())
  }

  /** Puts a cell in that carries its values and is in no index yet. */
  fill(contents: IndexContents<T>, cell: Cell<T>): void {
    for (let number = 0; number < contents.length; number++) {
      const values = cell.values[number] ?? NO_VALUES
      cell.values[number] = contents[number]?.move(cell, NO_VALUES, values) ?? values
    }
  }

  swap(contents: IndexContents<T>): void {
    for (const index of this.#indices) index.cells = contents[index.number] ?? new InvertedIndex()
  }

  /** Takes the cell out of every index. */
  take(cell: Cell<T>): void {
    for (const { number, cells } of this.#indices) cells.move(cell, cell.values[number] ?? NO_VALUES, NO_VALUES)
    cell.values = this.noValues()
  }

  /** Into the list that the cell has: a new one for each change would be young memory held by old, which is what collections cost most for. */
  #put(cell: Cell<T>, values: IndexValues[]): void {
    for (const { number, cells } of this.#indices) {
      cell.values[number] = cells.move(cell, cell.values[number] ?? NO_VALUES, values[number] ?? NO_VALUES)
    }
    this.#spare = values
  }

  #spareWith(values: readonly IndexValues[]): IndexValues[] {
    const spare = this.#spare ?? []
    this.#spare = undefined
    for (const { number } of this.#indices) spare[number] = values[number] ?? NO_VALUES
    return spare
  }

  /** What contradicts the guarantees, given all cells of the store. Property tests call it after every step. */
  broken(cells: readonly Cell<T>[]): string[] {
    return this.#indices.flatMap(({ name, number, cells: index }) => {
      const due = new Set(cells.flatMap((cell) => (cell.values[number] ?? []).map((value) => `${value} ← ${cell.key}`)))
      const found = [...index.values()].flatMap((value) =>
        [...index.get(value)].map((cell) => `${value} ← ${cell.key}`),
      )
      const wrong = found.filter((pair) => !due.delete(pair))
      return [
        ...index.broken(),
        ...wrong.map((pair) => `left over: ${pair}`),
        ...[...due].map((pair) => `missing: ${pair}`),
      ].map((sentence) => `index ${name}: ${sentence}`)
    })
  }

  #newIndex(name: string, compute: IndexFunc<T>, offset: number): NamedIndex<T> {
    if (!this.#byName.has(name)) {
      return { name, number: this.#indices.length + offset, compute, cells: new InvertedIndex() }
    }
    throw new BinnacleError('BIN_STORE', {
      message: `There is an index called ${JSON.stringify(name)} already; none of the new ones was added`,
      hint: 'Give the new index a name of its own.',
    })
  }

  #compute(index: NamedIndex<T>, key: string, object: T, old: Cell<T> | undefined): IndexValues {
    const before = old?.values[index.number]
    if (before === EXCLUDED && old && !isAnother(old.object, object)) return EXCLUDED
    try {
      return settledValues(checked(index.compute(object)), before ?? NO_VALUES)
    } catch (error) {
      return this.#failed(error, index.name, key, before)
    }
  }

  #failed(error: unknown, indexName: string, key: string, before: IndexValues | undefined): IndexValues {
    if (this.#mode === 'throw') throw refusal(error, indexName, key)
    this.#onError?.(error, indexName, key)
    if (this.#mode === 'permanent') return EXCLUDED
    return this.#mode === 'ignored' ? (before ?? NO_VALUES) : NO_VALUES
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
