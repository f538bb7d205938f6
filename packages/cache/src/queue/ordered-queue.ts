import type { KubeObject, ResourceVersion } from '@binnacle/core'
import { DeletedFinalStateUnknown, deletionHandlingMetaNamespaceKeyFunc, type KeyFunc, keyOf } from '../keys.ts'
import type { TransformFunc } from '../store/store.ts'
import { Arrivals } from './arrivals.ts'
import type { Delta } from './delta.ts'
import { FirstPopulation } from './first-population.ts'
import { repetition, replacement } from './known-world.ts'
import type { ControllerQueue, KeyListerGetter, PopBatchOptions, PopProcessFunc } from './queue.ts'
import { Turns } from './turns.ts'

/** What comes out of an InOrderFIFO: a change of one object, or something that concerns all. */
export type InOrderDelta<T> =
  | Delta<T>
  | { readonly type: 'ReplacedAll'; readonly resourceVersion: ResourceVersion; readonly objects: readonly T[] }
  | { readonly type: 'SyncAll' }
  | { readonly type: 'Bookmark'; readonly resourceVersion: ResourceVersion }

/**
 * Every change in the order in which it came, over all keys; a list replaces the known world in one step. The default of
 * informers: their handlers see only states that existed on the server.
 */
export interface InOrderFIFO<T> extends ControllerQueue<readonly InOrderDelta<T>[]>, Disposable {
  add(object: T): void
  update(object: T): void
  delete(object: T | DeletedFinalStateUnknown<T>): void
  replace(objects: readonly T[], resourceVersion: ResourceVersion): void
  resync(): void
  bookmark(resourceVersion: ResourceVersion): void
  /** Waits for a change, takes it, and has it processed. Resolves to it; rejects when closed and empty. */
  pop(process: PopProcessFunc<InOrderDelta<T>>, signal?: AbortSignal): Promise<InOrderDelta<T>>
  /** Up to `limit` changes of different keys in one call; initial and later ones are never mixed. */
  popBatch(process: PopProcessFunc<readonly InOrderDelta<T>[]>, options?: PopBatchOptions): Promise<void>
}

export interface InOrderFIFOOptions<T> {
  /** Decides which changes may share a batch. @default namespace/name, also of tombstones */
  readonly keyFunc?: KeyFunc<T | DeletedFinalStateUnknown<T>>
  /** Applied once to each object that comes in. When it throws, nothing was queued. @default none */
  readonly transform?: TransformFunc<T>
  /**
   * What the consumer knows. With it a list comes out as the changes that it means, object by object: tombstones first, then `Replaced`; a resync as
   * one `Sync` for each object; bookmarks not at all. @default none: a list, a resync and a bookmark are one item each
   */
  readonly knownObjects?: KeyListerGetter<T>
}

const BATCH = 1000

/**
 * Guarantees: nothing is merged, dropped or reordered; a process function has ended before the next one starts, even if several pop;
 * what was popped is not held any longer; a process function that fails makes `pop` reject, and its item does not come back.
 * Does not guarantee: a bound on its length. Whoever feeds it waits for whoever empties it, or does not.
 */
class OrderedQueue<T> implements InOrderFIFO<T> {
  readonly #keyFunc: KeyFunc<T | DeletedFinalStateUnknown<T>>
  readonly #transform: TransformFunc<T> | undefined
  readonly #known: KeyListerGetter<T> | undefined
  readonly #waiting = new Arrivals<InOrderDelta<T>>()
  readonly #turns = new Turns()
  readonly #first = new FirstPopulation()

  constructor(options: InOrderFIFOOptions<T> = {}) {
    this.#keyFunc = options.keyFunc ?? (deletionHandlingMetaNamespaceKeyFunc as KeyFunc<unknown>)
    this.#transform = options.transform
    this.#known = options.knownObjects
  }

  get length(): number {
    return this.#waiting.length
  }

  get isClosed(): boolean {
    return this.#turns.isClosed
  }

  add(object: T): void {
    this.#change({ type: 'Added', object: this.#transformed(object) })
  }

  update(object: T): void {
    this.#change({ type: 'Updated', object: this.#transformed(object) })
  }

  delete(object: T | DeletedFinalStateUnknown<T>): void {
    const known = object instanceof DeletedFinalStateUnknown
    this.#change({ type: 'Deleted', object: known ? object : this.#transformed(object) })
  }

  replace(objects: readonly T[], resourceVersion: ResourceVersion): void {
    const all = this.#transform ? objects.map(this.#transform) : objects
    if (this.#known) for (const delta of replacement(all, this.#world(this.#known))) this.#append(delta)
    else this.#append({ type: 'ReplacedAll', resourceVersion, objects: all })
    this.#first.listed(() => this.#waiting.length)
  }

  resync(): void {
    if (this.#known) for (const delta of repetition(this.#world(this.#known))) this.#append(delta)
    else this.#append({ type: 'SyncAll' })
  }

  bookmark(resourceVersion: ResourceVersion): void {
    if (!this.#known) this.#append({ type: 'Bookmark', resourceVersion })
  }

  async pop(process: PopProcessFunc<InOrderDelta<T>>, signal?: AbortSignal): Promise<InOrderDelta<T>> {
    const popped = await this.#take(1, ([item], initial) => process(item as InOrderDelta<T>, initial), signal)
    return popped[0] as InOrderDelta<T>
  }

  async popBatch(process: PopProcessFunc<readonly InOrderDelta<T>[]>, options: PopBatchOptions = {}): Promise<void> {
    await this.#take(options.limit ?? BATCH, process, options.signal)
  }

  hasSynced(): boolean {
    return this.#first.isSynced
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#first.whenSynced(signal)
  }

  close(): void {
    this.#turns.close()
    if (this.#waiting.length === 0) this.#first.ended()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #transformed(object: T): T {
    return this.#transform ? this.#transform(object) : object
  }

  #change(delta: Delta<T>): void {
    this.#append(delta)
    this.#first.touched()
  }

  #append(delta: InOrderDelta<T>): void {
    this.#waiting.append(delta)
    this.#turns.arrived()
  }

  /** With known objects nothing waits that concerns more than one of them. */
  #world(known: KeyListerGetter<T>) {
    const waiting = this.#waiting as Iterable<InOrderDelta<T>> as Iterable<Delta<T>>
    const keyFunc = (object: T | DeletedFinalStateUnknown<T>) => keyOf(this.#keyFunc, object)
    return { waiting, known, keyFunc }
  }

  #take(
    limit: number,
    process: PopProcessFunc<readonly InOrderDelta<T>[]>,
    signal: AbortSignal | undefined,
  ): Promise<readonly InOrderDelta<T>[]> {
    return this.#turns.take(
      () => this.#waiting.length === 0,
      () => this.#process(limit, process),
      signal,
    )
  }

  async #process(
    limit: number,
    process: PopProcessFunc<readonly InOrderDelta<T>[]>,
  ): Promise<readonly InOrderDelta<T>[]> {
    const batch = this.#waiting.take(this.#batchSize(limit))
    const initial = this.#first.left > 0
    try {
      const processing = process(batch, initial)
      if (processing) await processing
    } finally {
      if (initial) this.#first.out(batch.length)
      if (this.isClosed && this.#waiting.length === 0) this.#first.ended()
    }
    return batch
  }

  /** How many of the first items go together: of different keys, about one object each, and not past the end of the initial list. */
  #batchSize(limit: number): number {
    const most = Math.min(
      limit,
      this.#waiting.length,
      this.#first.left > 0 ? this.#first.left : Number.POSITIVE_INFINITY,
    )
    if (most === 1) return 1
    const keys = new Set<string>()
    let size = 0
    for (; size < most; size++) {
      const delta = this.#waiting.peek(size)
      if (!delta || !isAboutOne(delta)) break
      const key = this.#keyOf(delta)
      // An object without a key cannot be told from others: it still has to come out, but nothing may follow it in one piece.
      if (key === undefined) return size + 1
      if (keys.has(key)) break
      keys.add(key)
    }
    return Math.max(1, size)
  }

  #keyOf(delta: Delta<T>): string | undefined {
    try {
      return this.#keyFunc(delta.object)
    } catch {
      return undefined
    }
  }
}

function isAboutOne<T>(delta: InOrderDelta<T>): delta is Delta<T> {
  return delta.type !== 'ReplacedAll' && delta.type !== 'SyncAll' && delta.type !== 'Bookmark'
}

export const InOrderFIFO: {
  new <T extends KubeObject>(options?: InOrderFIFOOptions<T>): InOrderFIFO<T>
  new <T>(
    options: InOrderFIFOOptions<T> & { readonly keyFunc: KeyFunc<T | DeletedFinalStateUnknown<T>> },
  ): InOrderFIFO<T>
} = OrderedQueue
