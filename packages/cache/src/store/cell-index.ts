import { Bucket } from './bucket.ts'
import {
  type Cell,
  type CellBucket,
  EXCLUDED,
  type IndexValues,
  NO_VALUES,
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
  readonly #cells: InvertedIndex<string, Cell<T>>
  /** By the number of the cell. */
  readonly #standings: Standing<T>[] = []
  /** By the number of the cell: its place in the bucket, if it stands in one. */
  readonly #places: number[] = []

  constructor() {
    this.#cells = new InvertedIndex(({ number }, bucket, place) => {
      const standing = this.#standings[number]
      if (standing === bucket) this.#places[number] = place
      else if (standing instanceof Map) standing.set(bucket, place)
    })
  }

  get(value: string): Entries<Cell<T>> {
    return this.#cells.get(value)
  }

  values(): IterableIterator<string> {
    return this.#cells.values()
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
      ...this.#cells.broken(),
      ...wrong.map((pair) => `left over: ${pair}`),
      ...[...due].map((pair) => `missing: ${pair}`),
      ...cells.flatMap((cell) => this.#misplaced(cell)),
    ]
  }

  #moveOne(cell: Cell<T>, from: CellBucket<T>, value: string): void {
    if (from.value === value) return
    this.#cells.remove(from, this.#places[cell.number] as number)
    this.#put(cell, value)
  }

  #put(cell: Cell<T>, value: string): void {
    const bucket = this.#cells.add(value, cell)
    this.#standings[cell.number] = bucket
    this.#places[cell.number] = bucket.size - 1
  }

  #moveSeveral(cell: Cell<T>, standing: Standing<T>, values: IndexValues): void {
    const former = this.#placesOf(cell, standing)
    const next = new Map<CellBucket<T>, number>()
    for (const value of values) this.#keepOrAdd(cell, value, former, next)
    for (const [bucket, place] of former) this.#cells.remove(bucket, place)
    if (next.size > 1) this.#standings[cell.number] = next
    else this.#note(cell, next, values === EXCLUDED)
  }

  /** Of values that are given twice, the second is there already. */
  #keepOrAdd(cell: Cell<T>, value: string, former: Map<CellBucket<T>, number>, next: Map<CellBucket<T>, number>): void {
    const bucket = this.#cells.bucket(value)
    if (bucket && next.has(bucket)) return
    const place = bucket && former.get(bucket)
    if (bucket && place !== undefined) {
      next.set(bucket, place)
      former.delete(bucket)
    } else {
      const entered = this.#cells.add(value, cell)
      next.set(entered, entered.size - 1)
    }
  }

  #note(cell: Cell<T>, next: ReadonlyMap<CellBucket<T>, number>, isExcluded: boolean): void {
    const [only] = next
    this.#standings[cell.number] = only ? only[0] : isExcluded ? EXCLUDED : undefined
    this.#places[cell.number] = only ? only[1] : 0
  }

  #placesOf(cell: Cell<T>, standing: Standing<T>): Map<CellBucket<T>, number> {
    if (standing instanceof Map) return new Map(standing)
    return new Map(standing instanceof Bucket ? [[standing, this.#places[cell.number] as number]] : [])
  }

  #misplaced(cell: Cell<T>): string[] {
    const places = [...this.#placesOf(cell, this.#standings[cell.number])]
    return places
      .filter(([bucket, place]) => bucket.at(place) !== cell)
      .map(([{ value }, place]) => `not at its place: ${value} ← ${cell.key}, which should be at ${place}`)
  }
}

function valueOfBucket<T>(bucket: CellBucket<T>): string {
  return bucket.value
}
