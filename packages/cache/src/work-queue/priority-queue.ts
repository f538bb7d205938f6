import { abortable, type Clock, type Duration, runtimeOf } from '@binnacle/core'
import { Latch } from '../latch.ts'
import { Alarm } from './alarm.ts'
import { BinaryHeap, type HeapEntry } from './binary-heap.ts'
import { secondsLeft } from './delaying-queue.ts'
import { itemExponentialFailureRateLimiter, type RateLimiter } from './rate-limiters.ts'
import type { RateLimitingQueue } from './rate-limiting-queue.ts'
import { type WorkMetrics, workMetrics } from './work-metrics.ts'
import type { WorkQueueOptions } from './work-queue.ts'
import { Workers } from './workers.ts'

export interface AddOptions {
  /** @default at once */
  readonly after?: Duration
  /** Wait as long as the limiter says; with `after`, the shorter of both. @default false */
  readonly rateLimited?: boolean
  /** @default 0 */
  readonly priority?: number
}

/** The highest number first; equal ones in the order of arrival. `shutDown` drops what waits; `shutDownWithDrain` hands it out first. */
export interface PriorityQueue<T> extends RateLimitingQueue<T> {
  addWithOptions(options: AddOptions, ...items: readonly T[]): void
  getWithPriority(signal?: AbortSignal): Promise<{ readonly item: T; readonly priority: number } | undefined>
}

interface Entry<T> extends HeapEntry {
  readonly item: T
  priority: number
  /** Second of the clock at which it may be handed out; undefined: now. */
  readyAt: number | undefined
  /** Its place among those of its priority. */
  order: number
}

interface Work<T> {
  readonly item: T
  readonly priority: number
}

/**
 * Guarantees: of what may be handed out, the highest priority comes first, and within one the earliest; an item that is added again keeps the
 * higher of both priorities and the earlier of both times; raised, it goes to the end of its new level; one that is worked on is handed to
 * nobody else, and what was added meanwhile queues up behind its level when it is done, so that a busy item cannot starve its neighbours.
 * Does not guarantee: that a low priority is ever reached while higher ones keep coming.
 */
class PrioritisedWork<T> implements PriorityQueue<T> {
  readonly #limiter: RateLimiter<T>
  readonly #clock: Clock
  readonly #metrics: WorkMetrics<T>
  readonly #entries = new Map<T, Entry<T>>()
  readonly #ready = new BinaryHeap<Entry<T>>(
    (a, b) => a.priority > b.priority || (a.priority === b.priority && a.order < b.order),
  )
  readonly #waiting = new BinaryHeap<Entry<T>>((a, b) => {
    const [first, second] = [a.readyAt ?? 0, b.readyAt ?? 0]
    return first < second || (first === second && a.order < b.order)
  })
  readonly #processing = new Set<T>()
  readonly #workers = new Workers<Work<T>>()
  readonly #alarm: Alarm
  #order = 0
  #shuttingDown = false
  #drained: Latch | undefined

  constructor(limiter?: RateLimiter<T>, options: WorkQueueOptions = {}) {
    const runtime = runtimeOf(options)
    const { random } = runtime
    this.#limiter = limiter ?? itemExponentialFailureRateLimiter<T>('5ms', '1000s', { jitter: 0.1, random })
    this.#clock = runtime.clock
    this.#metrics = workMetrics<T>(options.name, runtime)
    this.#alarm = new Alarm(this.#clock, () => this.#ripen())
  }

  get length(): number {
    return this.#ready.size
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown
  }

  add(item: T): void {
    this.addWithOptions({}, item)
  }

  addAfter(item: T, delay: Duration): void {
    this.addWithOptions({ after: delay }, item)
  }

  addRateLimited(item: T): void {
    this.addWithOptions({ rateLimited: true }, item)
  }

  addWithOptions(options: AddOptions, ...items: readonly T[]): void {
    if (this.#shuttingDown) return
    for (const item of new Set(items)) this.#add(item, options.priority ?? 0, this.#wait(item, options))
    this.#alarm.set(this.#waiting.peek()?.readyAt)
    this.#serve()
  }

  forget(item: T): void {
    this.#limiter.forget(item)
  }

  numRequeues(item: T): number {
    return this.#limiter.numRequeues(item)
  }

  async get(signal?: AbortSignal): Promise<T | undefined> {
    return (await this.getWithPriority(signal))?.item
  }

  async getWithPriority(signal?: AbortSignal): Promise<Work<T> | undefined> {
    signal?.throwIfAborted()
    if (this.#ready.size > 0) return this.#next()
    return this.#shuttingDown ? undefined : this.#workers.wait(signal, (work) => this.#giveBack(work))
  }

  done(item: T): void {
    if (!this.#processing.delete(item)) return
    const again = this.#entries.get(item)
    if (again && again.readyAt === undefined) this.#makeReady(again)
    this.#metrics.done(item, this.length)
    this.#serve()
    this.#lookDrained()
  }

  shutDown(): void {
    this.#shutDown()
    this.#ready.clear()
    this.#entries.clear()
    this.#drained?.open()
    this.#workers.dismiss()
  }

  async shutDownWithDrain(signal?: AbortSignal): Promise<void> {
    this.#shutDown()
    if (this.#ready.size === 0) this.#workers.dismiss()
    this.#drained ??= new Latch()
    this.#lookDrained()
    await abortable(this.#drained.wait(), signal)
  }

  [Symbol.dispose](): void {
    this.shutDown()
    this.#metrics.end()
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (let work = await this.getWithPriority(); work; work = await this.getWithPriority()) yield work.item
  }

  /** What contradicts the guarantees, as sentences. Property tests call it after every step. */
  broken(): string[] {
    const held = [...this.#ready].filter(({ item }) => this.#processing.has(item))
    const lost = [...this.#entries.values()].filter(
      (entry) => !this.#ready.has(entry) && !this.#waiting.has(entry) && !this.#processing.has(entry.item),
    )
    return [
      ...this.#ready.broken(),
      ...this.#waiting.broken(),
      ...held.map(({ item }) => `${item} could be handed out while it is worked on`),
      ...lost.map(({ item }) => `${item} was added and nobody will get it`),
    ]
  }

  /** Seconds to wait, or undefined. */
  #wait(item: T, { after, rateLimited }: AddOptions): number | undefined {
    const waits = [
      ...(after === undefined ? [] : [secondsLeft(after)]),
      ...(rateLimited ? [this.#limiter.when(item)] : []),
    ]
    if (waits.length === 0) return undefined
    this.#metrics.retried()
    const shortest = Math.min(...waits)
    return shortest > 0 ? shortest : undefined
  }

  #add(item: T, priority: number, wait: number | undefined): void {
    const readyAt = wait === undefined ? undefined : this.#clock.monotonic() + wait
    const entry = this.#entries.get(item)
    if (entry) return this.#again(entry, priority, readyAt)
    const added: Entry<T> = { item, priority, readyAt, order: this.#order++, place: -1 }
    this.#entries.set(item, added)
    this.#line(added)
  }

  #again(entry: Entry<T>, priority: number, readyAt: number | undefined): void {
    const sooner = entry.readyAt !== undefined && (readyAt === undefined || readyAt < entry.readyAt)
    if (priority <= entry.priority && !sooner) return
    const wasReady = this.#ready.has(entry)
    this.#ready.remove(entry)
    this.#waiting.remove(entry)
    if (priority > entry.priority || readyAt === undefined) entry.order = this.#order++
    entry.priority = Math.max(priority, entry.priority)
    if (sooner) entry.readyAt = readyAt
    if (wasReady) this.#ready.push(entry)
    else this.#line(entry)
  }

  /** Where it waits: for its time, for whoever works on it now, or for anybody. */
  #line(entry: Entry<T>): void {
    if (entry.readyAt !== undefined) this.#waiting.push(entry)
    else if (!this.#processing.has(entry.item)) {
      this.#ready.push(entry)
      this.#metrics.added(entry.item, this.length)
    }
  }

  #makeReady(entry: Entry<T>): void {
    entry.readyAt = undefined
    entry.order = this.#order++
    this.#line(entry)
  }

  #ripen(): void {
    const now = this.#clock.monotonic()
    for (let next = this.#waiting.peek(); next && (next.readyAt ?? 0) <= now; next = this.#waiting.peek()) {
      this.#waiting.pop()
      this.#makeReady(next)
    }
    this.#alarm.set(this.#waiting.peek()?.readyAt)
    this.#serve()
  }

  #serve(): void {
    while (this.#ready.size > 0 && !this.#workers.isEmpty) this.#workers.offer(this.#next())
  }

  #next(): Work<T> {
    const { item, priority } = this.#ready.pop() as Entry<T>
    this.#entries.delete(item)
    this.#processing.add(item)
    this.#metrics.taken(item, this.length)
    if (this.#shuttingDown && this.#ready.size === 0) this.#workers.dismiss()
    return { item, priority }
  }

  #giveBack({ item, priority }: Work<T>): void {
    if (!this.#shuttingDown) this.#add(item, priority, undefined)
    this.done(item)
  }

  #shutDown(): void {
    this.#shuttingDown = true
    this.#alarm.set(undefined)
    for (const { item } of this.#waiting) this.#entries.delete(item)
    this.#waiting.clear()
  }

  #lookDrained(): void {
    if (this.#shuttingDown && this.#ready.size === 0 && this.#processing.size === 0) this.#drained?.open()
  }
}

export const PriorityQueue: {
  new <T>(limiter?: RateLimiter<T>, options?: WorkQueueOptions): PriorityQueue<T>
} = PrioritisedWork
