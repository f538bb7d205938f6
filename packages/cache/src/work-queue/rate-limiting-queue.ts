import { type DelayingQueue, LineOfDelayedWork } from './delaying-queue.ts'
import { defaultRateLimiter, type RateLimiter } from './rate-limiters.ts'
import type { WorkQueueOptions } from './work-queue.ts'

export interface RateLimitingQueue<T> extends DelayingQueue<T> {
  /** Adds after as long as the limiter says. */
  addRateLimited(item: T): void
  /** Forgets the failures of the item; it still needs `done`. */
  forget(item: T): void
  numRequeues(item: T): number
}

class LineOfLimitedWork<T> extends LineOfDelayedWork<T> implements RateLimitingQueue<T> {
  readonly #limiter: RateLimiter<T>

  constructor(limiter?: RateLimiter<T>, options: WorkQueueOptions = {}) {
    super(options)
    this.#limiter = limiter ?? defaultRateLimiter<T>(options)
  }

  addRateLimited(item: T): void {
    if (!this.isShuttingDown) this.addAfter(item, this.#limiter.when(item))
  }

  forget(item: T): void {
    this.#limiter.forget(item)
  }

  numRequeues(item: T): number {
    return this.#limiter.numRequeues(item)
  }
}

export const RateLimitingQueue: {
  new <T>(limiter?: RateLimiter<T>, options?: WorkQueueOptions): RateLimitingQueue<T>
} = LineOfLimitedWork
