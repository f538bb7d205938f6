import { abortable, type KubeObject, type ResourceVersion } from '@binnacle/core'
import { type DeletedFinalStateUnknown, deletionHandlingMetaNamespaceKeyFunc, type KeyFunc } from '../keys.ts'
import { Latch } from '../latch.ts'
import type { Surroundings } from '../options.ts'
import type { TransformFunc } from '../store/store.ts'
import { Arrivals } from './arrivals.ts'
import type { Delta } from './delta.ts'
import { type ControllerQueue, FIFOClosedError, type PopBatchOptions, type PopProcessFunc } from './queue.ts'

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

export interface InOrderFIFOOptions<T> extends Surroundings {
  /** Decides which changes may share a batch. @default namespace/name, also of tombstones */
  readonly keyFunc?: KeyFunc<T | DeletedFinalStateUnknown<T>>
  /** Applied once to each object that comes in. When it throws, nothing was queued. @default none */
  readonly transform?: TransformFunc<T>
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
  readonly #waiting = new Arrivals<InOrderDelta<T>>()
  readonly #synced = new Latch()
  /** Whether the first population is known; bookmarks and resyncs do not count. */
  #populated = false
  /** How many of the first population have not been processed yet. */
  #initial = 0
  #closed = false
  /** Wakes whoever waits for the next change. */
  #arrival: Latch | undefined
  /** Ends when the process function that runs now has ended. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: InOrderFIFOOptions<T> = {}) {
    this.#keyFunc = options.keyFunc ?? (deletionHandlingMetaNamespaceKeyFunc as KeyFunc<unknown>)
    this.#transform = options.transform
  }

  get length(): number {
    return this.#waiting.length
  }

  get isClosed(): boolean {
    return this.#closed
  }

  add(object: T): void {
    this.#change({ type: 'Added', object: this.#transformed(object) })
  }

  update(object: T): void {
    this.#change({ type: 'Updated', object: this.#transformed(object) })
  }

  delete(object: T | DeletedFinalStateUnknown<T>): void {
    this.#change({ type: 'Deleted', object })
  }

  replace(objects: readonly T[], resourceVersion: ResourceVersion): void {
    const all = this.#transform ? objects.map(this.#transform) : objects
    this.#append({ type: 'ReplacedAll', resourceVersion, objects: all })
    if (!this.#populated) this.#initial = this.#waiting.length
    this.#populate()
  }

  resync(): void {
    this.#append({ type: 'SyncAll' })
  }

  bookmark(resourceVersion: ResourceVersion): void {
    this.#append({ type: 'Bookmark', resourceVersion })
  }

  async pop(process: PopProcessFunc<InOrderDelta<T>>, signal?: AbortSignal): Promise<InOrderDelta<T>> {
    const popped = await this.#next(1, ([item], initial) => process(item as InOrderDelta<T>, initial), signal)
    return popped[0] as InOrderDelta<T>
  }

  async popBatch(process: PopProcessFunc<readonly InOrderDelta<T>[]>, options: PopBatchOptions = {}): Promise<void> {
    await this.#next(options.limit ?? BATCH, process, options.signal)
  }

  hasSynced(): boolean {
    return this.#synced.isOpen
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#synced.wait(signal)
  }

  close(): void {
    this.#closed = true
    this.#arrival?.open()
    if (this.#waiting.length === 0) this.#synced.fail(new FIFOClosedError())
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #transformed(object: T): T {
    return this.#transform ? this.#transform(object) : object
  }

  #change(delta: Delta<T>): void {
    this.#append(delta)
    this.#populate()
  }

  #append(delta: InOrderDelta<T>): void {
    this.#waiting.append(delta)
    this.#arrival?.open()
  }

  #populate(): void {
    this.#populated = true
    this.#noteSynced()
  }

  #noteSynced(): void {
    if (this.#populated && this.#initial === 0) this.#synced.open()
    else if (this.#closed && this.#waiting.length === 0) this.#synced.fail(new FIFOClosedError())
  }

  /** One pop after the other: each waits for the turn of the one before it. */
  async #next(
    limit: number,
    process: PopProcessFunc<readonly InOrderDelta<T>[]>,
    signal: AbortSignal | undefined,
  ): Promise<readonly InOrderDelta<T>[]> {
    const before = this.#turn
    const mine = this.#take(before, limit, process, signal)
    this.#turn = mine.catch(() => {})
    return mine
  }

  async #take(
    before: Promise<unknown>,
    limit: number,
    process: PopProcessFunc<readonly InOrderDelta<T>[]>,
    signal: AbortSignal | undefined,
  ): Promise<readonly InOrderDelta<T>[]> {
    await abortable(before, signal)
    while (this.#waiting.length === 0) await this.#arrived(signal)
    signal?.throwIfAborted()
    const initial = this.#initial > 0
    const batch = this.#waiting.take(this.#batchSize(limit))
    try {
      const processing = process(batch, initial)
      if (processing) await processing
    } finally {
      if (initial) this.#initial -= batch.length
      this.#noteSynced()
    }
    return batch
  }

  async #arrived(signal: AbortSignal | undefined): Promise<void> {
    if (this.#closed) throw new FIFOClosedError()
    this.#arrival ??= new Latch()
    const arrival = this.#arrival
    await arrival.wait(signal)
    if (this.#arrival === arrival) this.#arrival = undefined
  }

  /** How many of the first items go together: of different keys, about one object each, and not past the end of the initial list. */
  #batchSize(limit: number): number {
    const most = Math.min(limit, this.#waiting.length, this.#initial > 0 ? this.#initial : Number.POSITIVE_INFINITY)
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
