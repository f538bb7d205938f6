import { abortable, runtimeOf } from '@binnacle/core'
import { Latch } from '../latch.ts'
import type { Surroundings } from '../options.ts'
import { Arrivals } from '../queue/arrivals.ts'
import { type WorkMetrics, workMetrics } from './work-metrics.ts'
import { Workers } from './workers.ts'

/**
 * Items to work on. An item that is added again waits once, however often; one that is added while it is worked on comes again when it is done; no
 * two workers have the same item. Items are compared by identity: use strings. Iterate over it, and call `done` for each item.
 */
export interface WorkQueue<T> extends AsyncIterable<T>, Disposable {
  add(item: T): void
  /** The number of items that wait; those being worked on are not counted. */
  readonly length: number
  /** Waits for an item; undefined when the queue has been shut down and is empty. Rejects with the signal's reason. */
  get(signal?: AbortSignal): Promise<T | undefined>
  /** The item has been worked on. Every item from `get` needs it. */
  done(item: T): void
  /** Takes no more items; what waits is still handed out. Ends the wait of a drain. */
  shutDown(): void
  /** Also waits until everything that waits has been handed out and is done. */
  shutDownWithDrain(signal?: AbortSignal): Promise<void>
  readonly isShuttingDown: boolean
}

export interface WorkQueueOptions extends Surroundings {
  /** Appears in metrics. @default none, and no metrics */
  readonly name?: string
}

/** `again`: worked on, and added meanwhile. */
type Place = 'waiting' | 'working' | 'again'

/**
 * Guarantees: what was added is handed out at least once after that; never to two at a time; in the order in which it was added.
 * Assumes: whoever gets an item calls `done`.
 */
export class LineOfWork<T> implements WorkQueue<T> {
  /** Every item that waits or is worked on. One map instead of client-go's two sets: each step looks an item up once. */
  readonly #places = new Map<T, Place>()
  /** How many are worked on. */
  #working = 0
  /** Those that wait, in order. */
  readonly #line = new Arrivals<T>()
  readonly #workers = new Workers<T>()
  protected readonly metrics: WorkMetrics<T>
  #shuttingDown = false
  #drained: Latch | undefined

  constructor(options: WorkQueueOptions = {}) {
    this.metrics = workMetrics<T>(options.name, runtimeOf(options))
  }

  get length(): number {
    return this.#line.length
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown
  }

  add(item: T): void {
    const place = this.#places.get(item)
    if (this.#shuttingDown || place === 'waiting' || place === 'again') return
    this.#places.set(item, place === 'working' ? 'again' : 'waiting')
    if (place === undefined) this.#line.append(item)
    this.metrics.added(item, this.length)
    if (place === undefined) this.#serve()
  }

  async get(signal?: AbortSignal): Promise<T | undefined> {
    signal?.throwIfAborted()
    if (this.#line.length > 0) return this.#next()
    return this.#shuttingDown ? undefined : this.#workers.wait(signal, (item) => this.#giveBack(item))
  }

  done(item: T): void {
    const place = this.#places.get(item)
    if (place !== 'working' && place !== 'again') return
    this.#working--
    if (place === 'again') {
      this.#places.set(item, 'waiting')
      this.#line.append(item)
    } else this.#places.delete(item)
    this.metrics.done(item, this.length)
    this.#serve()
    this.#lookDrained()
  }

  shutDown(): void {
    this.#shuttingDown = true
    this.#drained?.open()
    if (this.#line.length === 0) this.#workers.dismiss()
  }

  async shutDownWithDrain(signal?: AbortSignal): Promise<void> {
    this.#shuttingDown = true
    if (this.#line.length === 0) this.#workers.dismiss()
    this.#drained ??= new Latch()
    this.#lookDrained()
    await abortable(this.#drained.wait(), signal)
  }

  [Symbol.dispose](): void {
    this.shutDown()
    this.metrics.end()
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (let item = await this.get(); item !== undefined; item = await this.get()) yield item
  }

  /** What contradicts the guarantees, as sentences. Property tests call it after every step. */
  broken(): string[] {
    const line = [...this.#line]
    const places = [...this.#places]
    const working = places.filter(([, place]) => place !== 'waiting')
    return [
      ...line
        .filter((item) => this.#places.get(item) !== 'waiting')
        .map((item) => `${item} is in the line and does not wait`),
      ...(new Set(line).size < line.length ? ['an item waits twice'] : []),
      ...places
        .filter(([item, place]) => place === 'waiting' && !line.includes(item))
        .map(([item]) => `${item} waits and nobody will get it`),
      ...(working.length === this.#working ? [] : [`${this.#working} are said to be worked on, not ${working.length}`]),
    ]
  }

  /** Whoever waits gets what waits. */
  #serve(): void {
    while (this.#line.length > 0 && !this.#workers.isEmpty) this.#workers.offer(this.#next())
  }

  #next(): T {
    const item = this.#line.shift() as T
    this.#places.set(item, 'working')
    this.#working++
    this.metrics.taken(item, this.length)
    if (this.#shuttingDown && this.#line.length === 0) this.#workers.dismiss()
    return item
  }

  #giveBack(item: T): void {
    this.#places.set(item, 'again')
    this.done(item)
  }

  #lookDrained(): void {
    if (this.#shuttingDown && this.#line.length === 0 && this.#working === 0) this.#drained?.open()
  }
}

export const WorkQueue: { new <T>(options?: WorkQueueOptions): WorkQueue<T> } = LineOfWork
