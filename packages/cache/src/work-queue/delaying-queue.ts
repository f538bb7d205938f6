import { type Clock, type Duration, seconds, systemClock } from '@binnacle/core'
import { Alarm } from './alarm.ts'
import { BinaryHeap, type HeapEntry } from './binary-heap.ts'
import { LineOfWork, type WorkQueue, type WorkQueueOptions } from './work-queue.ts'

export interface DelayingQueue<T> extends WorkQueue<T> {
  /** Adds after the delay, at once if it is zero or negative; of several delays of one item the earliest end counts. */
  addAfter(item: T, delay: Duration): void
}

interface Delayed<T> extends HeapEntry {
  readonly item: T
  /** Seconds of the clock. */
  at: number
  readonly order: number
}

/**
 * Guarantees: an item comes once its time has come, and once for all delays that it had; those of one moment in the order in which they were
 * added; one timer for all of them, and none after the shutdown, which forgets whatever still had to wait.
 */
export class LineOfDelayedWork<T> extends LineOfWork<T> implements DelayingQueue<T> {
  readonly #clock: Clock
  readonly #delayed = new Map<T, Delayed<T>>()
  readonly #byTime = new BinaryHeap<Delayed<T>>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order))
  readonly #alarm: Alarm
  #order = 0

  constructor(options: WorkQueueOptions = {}) {
    super(options)
    this.#clock = options.clock ?? systemClock
    this.#alarm = new Alarm(this.#clock, () => this.#ripen())
  }

  addAfter(item: T, delay: Duration): void {
    if (this.isShuttingDown) return
    this.metrics.retried()
    const wait = secondsLeft(delay)
    if (wait <= 0) return this.add(item)
    this.#delay(item, this.#clock.monotonic() + wait)
    this.#alarm.set(this.#byTime.peek()?.at)
  }

  override shutDown(): void {
    this.#forgetDelayed()
    super.shutDown()
  }

  override shutDownWithDrain(signal?: AbortSignal): Promise<void> {
    this.#forgetDelayed()
    return super.shutDownWithDrain(signal)
  }

  #delay(item: T, at: number): void {
    const delayed = this.#delayed.get(item)
    if (!delayed) {
      const added: Delayed<T> = { item, at, order: this.#order++, place: -1 }
      this.#delayed.set(item, added)
      this.#byTime.push(added)
    } else if (at < delayed.at) {
      delayed.at = at
      this.#byTime.moved(delayed)
    }
  }

  #ripen(): void {
    const now = this.#clock.monotonic()
    for (let next = this.#byTime.peek(); next && next.at <= now; next = this.#byTime.peek()) {
      this.#byTime.pop()
      this.#delayed.delete(next.item)
      this.add(next.item)
    }
    this.#alarm.set(this.#byTime.peek()?.at)
  }

  #forgetDelayed(): void {
    this.#alarm.set(undefined)
    this.#byTime.clear()
    this.#delayed.clear()
  }
}

/** What is left until a time may be less than nothing: that is now, as in client-go, and no mistake. */
export function secondsLeft(delay: Duration): number {
  return typeof delay === 'number' && delay < 0 ? 0 : seconds(delay)
}

export const DelayingQueue: { new <T>(options?: WorkQueueOptions): DelayingQueue<T> } = LineOfDelayedWork
