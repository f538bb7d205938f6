import { Latch } from '../latch.ts'
import type { Change } from './change.ts'
import { ChangeBuffer } from './change-buffer.ts'
import type { Listener } from './listener.ts'
import type { ResyncSchedule } from './resync.ts'

/**
 * Changes as an iteration: one listener that is asked instead of called.
 * Guarantees: it hears of everything from its creation on, not only from the first `next`; it ends when it is left, when its signal aborts,
 * and, after what waits has been read, when the informer stops.
 */
export class ChangeStream<T> implements Listener<T>, AsyncIterableIterator<Change<T>> {
  readonly schedule: ResyncSchedule
  readonly #buffer: ChangeBuffer<T>
  readonly #remove: () => void
  readonly #signal: AbortSignal | undefined
  #arrival: Latch | undefined
  #ended = false

  constructor(given: {
    readonly schedule: ResyncSchedule
    readonly limit: number
    readonly signal: AbortSignal | undefined
    readonly remove: (stream: ChangeStream<T>) => void
  }) {
    this.schedule = given.schedule
    this.#buffer = new ChangeBuffer(given.limit)
    this.#signal = given.signal
    this.#remove = () => given.remove(this)
    if (this.#signal?.aborted) this.#end()
    else this.#signal?.addEventListener('abort', this.#end, { once: true })
  }

  push(changes: readonly Change<T>[]): void {
    if (this.#ended) return
    this.#buffer.pushAll(changes)
    this.#arrival?.open()
  }

  endInitialList(): void {}

  async stop(): Promise<void> {
    this.#ended = true
    this.#signal?.removeEventListener('abort', this.#end)
    this.#arrival?.open()
  }

  async next(): Promise<IteratorResult<Change<T>, undefined>> {
    for (;;) {
      const change = this.#buffer.take()
      if (change) return { done: false, value: change }
      if (this.#ended) return { done: true, value: undefined }
      this.#arrival ??= new Latch()
      const arrival = this.#arrival
      await arrival.wait()
      if (this.#arrival === arrival) this.#arrival = undefined
    }
  }

  async return(): Promise<IteratorResult<Change<T>, undefined>> {
    this.#end()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  readonly #end = (): void => {
    this.#buffer.clear()
    this.#remove()
    void this.stop()
  }
}
