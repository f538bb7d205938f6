import type { KubeObject, ResourceVersion } from '@binnacle/core'
import { DeletedFinalStateUnknown, deletionHandlingMetaNamespaceKeyFunc, type KeyFunc, keyOf } from '../keys.ts'
import type { TransformFunc } from '../store/store.ts'
import { type Delta, type DeltaList, type Deltas, type DeltaType, deltaList, tombstone } from './delta.ts'
import { FirstPopulation } from './first-population.ts'
import { type KeyListerGetter, type PopProcessFunc, type Queue, RequeueError } from './queue.ts'
import { Turns } from './turns.ts'

/**
 * Each change at most once, with all that has happened to an object in one piece, deletions included. Two deletions in a row become one;
 * nothing else is compressed.
 */
export interface DeltaFIFO<T> extends Queue<T | DeletedFinalStateUnknown<T>, Deltas<T>> {
  /** The key of an object, of a tombstone, or of the newest of some deltas. Throws KeyError for deltas that are empty. */
  keyOf(item: T | DeletedFinalStateUnknown<T> | Deltas<T>): string
}

export interface DeltaFIFOOptions<T> {
  /** @default namespace/name */
  readonly keyFunc?: KeyFunc<T>
  /** Decides what `delete` ignores, which tombstones `replace` makes, and what `resync` repeats. @default nothing is known */
  readonly knownObjects?: KeyListerGetter<T>
  /** Call objects of `replace` Replaced instead of Sync. @default true */
  readonly emitDeltaTypeReplaced?: boolean
  /** Applied once to each object that comes in. When it throws, nothing was queued. @default none */
  readonly transform?: TransformFunc<T>
}

/**
 * Guarantees: a key keeps its place in the line while deltas are added to it; what was known or waits and is missing from a new list comes out
 * as a tombstone, once; a resync never puts an older state behind a newer one, because keys that wait are left out.
 * Does not guarantee: any order between the changes of different objects.
 */
class DeltasByKey<T> implements DeltaFIFO<T> {
  readonly #keyFunc: KeyFunc<T>
  readonly #known: KeyListerGetter<T> | undefined
  readonly #listed: DeltaType
  readonly #transform: TransformFunc<T> | undefined
  /** Never an empty list. A Map iterates in order of insertion, so it is the line too, and no second structure can fall out of step. */
  readonly #pending = new Map<string, DeltaList<T>>()
  /** Kept from pop to pop: a new iterator would first have to walk past all that was taken before. */
  #cursor: Iterator<string> | undefined
  readonly #turns = new Turns()
  readonly #first = new FirstPopulation()

  constructor(options: DeltaFIFOOptions<T> = {}) {
    this.#keyFunc = options.keyFunc ?? (deletionHandlingMetaNamespaceKeyFunc as KeyFunc<unknown>)
    this.#known = options.knownObjects
    this.#listed = (options.emitDeltaTypeReplaced ?? true) ? 'Replaced' : 'Sync'
    this.#transform = options.transform
  }

  get size(): number {
    return this.#pending.size
  }

  get isClosed(): boolean {
    return this.#turns.isClosed
  }

  keyOf(item: T | DeletedFinalStateUnknown<T> | Deltas<T>): string {
    if (item instanceof DeletedFinalStateUnknown) return item.key
    if (!Array.isArray(item)) return keyOf(this.#keyFunc, item as T)
    return keyOf(() => this.keyOf(newestOf<T>(item as unknown as Deltas<T>)), item)
  }

  add(object: T | DeletedFinalStateUnknown<T>): void {
    this.#change('Added', object)
  }

  update(object: T | DeletedFinalStateUnknown<T>): void {
    this.#change('Updated', object)
  }

  delete(object: T | DeletedFinalStateUnknown<T>): void {
    const key = this.keyOf(object)
    this.#first.touched()
    if (!this.#pending.has(key) && this.#known?.getByKey(key) === undefined) return
    this.#join(key, { type: 'Deleted', object: this.#transformed(object) })
  }

  addIfNotPresent(deltas: Deltas<T>): void {
    this.#putBack(this.keyOf(deltas), deltas)
    this.#first.touched()
  }

  replace(objects: readonly (T | DeletedFinalStateUnknown<T>)[], _resourceVersion: ResourceVersion): void {
    const listed = objects.map((object) => ({ key: this.keyOf(object), object: this.#transformed(object) }))
    const keys = new Set(listed.map(({ key }) => key))
    for (const { key, object } of listed) this.#join(key, { type: this.#listed, object })
    const vanished = [...this.#pending.keys()].filter((key) => !keys.has(key))
    let deletions = 0
    for (const key of vanished) if (this.#vanish(key)) deletions++
    for (const key of this.#known?.listKeys() ?? []) {
      if (keys.has(key) || this.#pending.has(key)) continue
      this.#join(key, tombstone(key, this.#known?.getByKey(key)))
      deletions++
    }
    this.#first.listed(() => keys.size + deletions)
  }

  resync(): void {
    for (const key of this.#known?.listKeys() ?? []) {
      if (this.#pending.has(key)) continue
      const object = this.#known?.getByKey(key)
      if (object !== undefined) this.#join(key, { type: 'Sync', object })
    }
  }

  list(): Deltas<T>[] {
    return Array.from(this.#pending.values(), copyOf)
  }

  /** In the order of the line. */
  listKeys(): string[] {
    return [...this.#pending.keys()]
  }

  get(object: T | DeletedFinalStateUnknown<T>): Deltas<T> | undefined {
    return this.getByKey(this.keyOf(object))
  }

  getByKey(key: string): Deltas<T> | undefined {
    const deltas = this.#pending.get(key)
    return deltas && copyOf(deltas)
  }

  has(key: string): boolean {
    return this.#pending.has(key)
  }

  *[Symbol.iterator](): Iterator<Deltas<T>> {
    for (const deltas of this.#pending.values()) yield copyOf(deltas)
  }

  pop(process: PopProcessFunc<Deltas<T>>, signal?: AbortSignal): Promise<Deltas<T>> {
    return this.#turns.take(
      () => this.#pending.size === 0,
      () => this.#process(process),
      signal,
    )
  }

  hasSynced(): boolean {
    return this.#first.isSynced
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#first.whenSynced(signal)
  }

  close(): void {
    this.#turns.close()
    if (this.#pending.size === 0) this.#first.ended()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /** What contradicts the guarantees, as sentences. Property tests call it after every step. */
  broken(): string[] {
    return [...this.#pending].filter(([, deltas]) => deltas.length === 0).map(([key]) => `${key} waits without deltas`)
  }

  #change(type: DeltaType, object: T | DeletedFinalStateUnknown<T>): void {
    const key = this.keyOf(object)
    this.#join(key, { type, object: this.#transformed(object) })
    this.#first.touched()
  }

  #join(key: string, delta: Delta<T>): void {
    const deltas = this.#pending.get(key)
    if (deltas) deltas.note(delta)
    else this.#pending.set(key, deltaList([delta]))
    this.#turns.arrived()
  }

  /** A key that waits is missing from a new list. False if its deletion waits already. */
  #vanish(key: string): boolean {
    const newest = this.#pending.get(key)?.newest()
    if (!newest || newest.type === 'Deleted') return false
    this.#join(key, tombstone(key, newest.object))
    return true
  }

  /** A tombstone carries an object that was transformed when it came. */
  #transformed(object: T | DeletedFinalStateUnknown<T>): T | DeletedFinalStateUnknown<T> {
    return this.#transform && !(object instanceof DeletedFinalStateUnknown) ? this.#transform(object) : object
  }

  #putBack(key: string, deltas: Deltas<T>): void {
    if (this.#pending.has(key)) return
    this.#pending.set(key, deltaList(deltas))
    this.#turns.arrived()
  }

  #nextKey(): string {
    this.#cursor ??= this.#pending.keys()
    const next = this.#cursor.next()
    if (!next.done) return next.value
    this.#cursor = undefined
    return this.#nextKey()
  }

  async #process(process: PopProcessFunc<Deltas<T>>): Promise<Deltas<T>> {
    const key = this.#nextKey()
    const deltas = this.#pending.get(key) as DeltaList<T>
    this.#pending.delete(key)
    try {
      const processing = process(deltas, this.#first.left > 0)
      if (processing) await processing
    } catch (error) {
      if (!(error instanceof RequeueError)) throw error
      this.#putBack(key, deltas)
      if (error.cause !== undefined) throw error.cause
    } finally {
      this.#first.out(1)
      if (this.isClosed && this.#pending.size === 0) this.#first.ended()
    }
    return deltas
  }
}

function newestOf<T>(deltas: Deltas<T>): T | DeletedFinalStateUnknown<T> {
  const newest = deltas[deltas.length - 1]
  if (newest) return newest.object
  throw new RangeError('A list of deltas without a single one has no key')
}

function copyOf<T>(deltas: DeltaList<T>): Deltas<T> {
  return deltaList(deltas)
}

export const DeltaFIFO: {
  new <T extends KubeObject>(options?: DeltaFIFOOptions<T>): DeltaFIFO<T>
  new <T>(options: DeltaFIFOOptions<T> & { readonly keyFunc: KeyFunc<T> }): DeltaFIFO<T>
} = DeltasByKey
