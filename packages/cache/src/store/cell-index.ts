import { Bucket } from './bucket.ts'
import {
  type Cell,
  type CellBucket,
  EXCLUDED,
  type IndexValues,
  NO_VALUES,
  type NumberedCells,
  SAME_VALUES,
  type Standing,
} from './cell.ts'
import { type Entries, InvertedIndex } from './inverted-index.ts'

/**
 * Which cells have a value in one index of a store, and where each of them stands.
 * Guarantees: nothing here throws; a cell whose values have not changed is not touched; a change costs the values of its own cell only,
 * however many others share them.
 */
export class CellIndex<T> {
  readonly #cells: NumberedCells<T>
  readonly #numbers: InvertedIndex<string, number>
  /** By the number of the cell. */
  readonly #standings: Standing[] = []
  /** By the number of the cell: its place in the bucket, if it stands in one. */
  readonly #places: number[] = []

  constructor(cells: NumberedCells<T>) {
    this.#cells = cells
    this.#numbers = new InvertedIndex((number, bucket, place) => {
      const standing = this.#standings[number]
      if (standing === bucket) this.#places[number] = place
      else if (standing instanceof Map) standing.set(bucket, place)
    })
  }

  get(value: string): Entries<Cell<T>> {
    return new CellsOf(this.#cells, this.#numbers.get(value))
  }

  values(): IterableIterator<string> {
    return this.#numbers.values()
  }

  isExcluded(cell: Cell<T>): boolean {
    return this.#standings[cell.number] === EXCLUDED
  }

  valuesOf(cell: Cell<T>): IndexValues {
    const standing = this.#standings[cell.number]
    if (standing instanceof Bucket) return [standing.value]
    return standing instanceof Map ? Array.from(standing.keys(), valueOfBucket) : (standing ?? NO_VALUES)
  }

  /** Whether the cell stands under just these values. False may be wrong, if there are several. */
  hasJust(cell: Cell<T>, values: IndexValues): boolean {
    const standing = this.#standings[cell.number]
    if (standing instanceof Bucket) return values.length === 1 ? values[0] === standing.value : values === SAME_VALUES
    if (values === SAME_VALUES) return true
    return values.length === 0 && (values === EXCLUDED) === (standing === EXCLUDED) && !(standing instanceof Map)
  }

  /** Takes the cell to where it belongs from now on. */
  move(cell: Cell<T>, values: IndexValues): void {
    const standing = this.#standings[cell.number]
    const value = values[0]
    if (standing instanceof Bucket && values.length === 1 && value !== undefined) this.#moveOne(cell, standing, value)
    else if (standing === undefined && values.length === 1 && value !== undefined) this.#put(cell, value)
    else this.#moveSeveral(cell, standing, values)
  }

  /** What contradicts the guarantees, given all cells of the store. Property tests call it after every step. */
  broken(cells: readonly Cell<T>[]): string[] {
    const due = new Set(cells.flatMap((cell) => this.valuesOf(cell).map((value) => `${value} ← ${cell.key}`)))
    const found = [...this.values()].flatMap((value) => [...this.get(value)].map((cell) => `${value} ← ${cell.key}`))
    const wrong = found.filter((pair) => !due.delete(pair))
    return [
      ...this.#numbers.broken(),
      ...wrong.map((pair) => `left over: ${pair}`),
      ...[...due].map((pair) => `missing: ${pair}`),
      ...cells.flatMap((cell) => this.#misplaced(cell)),
    ]
  }

  #moveOne(cell: Cell<T>, from: CellBucket, value: string): void {
    if (from.value === value) return
    this.#numbers.remove(from, this.#places[cell.number] as number)
    this.#put(cell, value)
  }

  #put(cell: Cell<T>, value: string): void {
    const bucket = this.#numbers.add(value, cell.number)
    this.#standings[cell.number] = bucket
    this.#places[cell.number] = bucket.size - 1
  }

  #moveSeveral(cell: Cell<T>, standing: Standing, values: IndexValues): void {
    const former = this.#placesOf(cell, standing)
    const next = new Map<CellBucket, number>()
    for (const value of values) this.#keepOrAdd(cell, value, former, next)
    for (const [bucket, place] of former) this.#numbers.remove(bucket, place)
    if (next.size > 1) this.#standings[cell.number] = next
    else this.#note(cell, next, values === EXCLUDED)
  }

  /** Of values that are given twice, the second is there already. */
  #keepOrAdd(cell: Cell<T>, value: string, former: Map<CellBucket, number>, next: Map<CellBucket, number>): void {
    const bucket = this.#numbers.bucket(value)
    if (bucket && next.has(bucket)) return
    const place = bucket && former.get(bucket)
    if (bucket && place !== undefined) {
      next.set(bucket, place)
      former.delete(bucket)
    } else {
      const entered = this.#numbers.add(value, cell.number)
      next.set(entered, entered.size - 1)
    }
  }

  #note(cell: Cell<T>, next: ReadonlyMap<CellBucket, number>, isExcluded: boolean): void {
    const [only] = next
    this.#standings[cell.number] = only ? only[0] : isExcluded ? EXCLUDED : undefined
    this.#places[cell.number] = only ? only[1] : 0
  }

  #placesOf(cell: Cell<T>, standing: Standing): Map<CellBucket, number> {
    if (standing instanceof Map) return new Map(standing)
    return new Map(standing instanceof Bucket ? [[standing, this.#places[cell.number] as number]] : [])
  }

  #misplaced(cell: Cell<T>): string[] {
    const places = [...this.#placesOf(cell, this.#standings[cell.number])]
    return places
      .filter(([bucket, place]) => bucket.at(place) !== cell.number)
      .map(([{ value }, place]) => `not at its place: ${value} ← ${cell.key}, which should be at ${place}`)
  }
}

function valueOfBucket(bucket: CellBucket): string {
  return bucket.value
}

/** Cells by their numbers. */
class CellsOf<T> implements Entries<Cell<T>> {
  readonly #cells: NumberedCells<T>
  readonly #numbers: Entries<number>

  constructor(cells: NumberedCells<T>, numbers: Entries<number>) {
    this.#cells = cells
    this.#numbers = numbers
  }

  get size(): number {
    return this.#numbers.size
  }

  map<R>(of: (cell: Cell<T>) => R): R[] {
    return this.#numbers.map((number) => of(this.#cells.at(number)))
  }

  *[Symbol.iterator](): Iterator<Cell<T>> {
    for (const number of this.#numbers) yield this.#cells.at(number)
  }
}
