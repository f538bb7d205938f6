import { abortable } from '@binnacle/core'
import { Latch } from '../latch.ts'
import { FIFOClosedError } from './queue.ts'

/**
 * Those who pop, one after the other.
 * Guarantees: each waits for the turn of the one before it, and then until there is something; what is taken is processed to its end before
 * the next one looks; a wait that was given up takes nothing and holds up nobody; once closed, what is left can still be taken.
 */
export class Turns {
  /** Ends when the last of the turns that were asked for has ended; undefined when none runs. */
  #last: Promise<unknown> | undefined
  /** Wakes whoever waits for something to come. */
  #arrival: Latch | undefined
  #closed = false

  get isClosed(): boolean {
    return this.#closed
  }

  /** Something has come. */
  arrived(): void {
    this.#arrival?.open()
  }

  close(): void {
    this.#closed = true
    this.#arrival?.open()
  }

  /** Waits for the turn, and until `isEmpty` is false; then does the work. Rejects when closed and empty. */
  take<R>(isEmpty: () => boolean, work: () => R | Promise<R>, signal: AbortSignal | undefined): Promise<R> {
    const before = this.#last
    const mine = this.#take(before, isEmpty, work, signal)
    const ended = () => {
      if (this.#last === last) this.#last = undefined
    }
    // Who has given up lets the next one wait for those before it. What was taken is not kept until the next turn.
    const last: Promise<unknown> = mine.then(ended, () => (before ? before.then(ended) : ended()))
    this.#last = last
    return mine
  }

  async #take<R>(
    before: Promise<unknown> | undefined,
    isEmpty: () => boolean,
    work: () => R | Promise<R>,
    signal: AbortSignal | undefined,
  ): Promise<R> {
    if (before) await abortable(before, signal)
    while (isEmpty()) await this.#wait(signal)
    signal?.throwIfAborted()
    return work()
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    if (this.#closed) throw new FIFOClosedError()
    this.#arrival ??= new Latch()
    const arrival = this.#arrival
    await arrival.wait(signal)
    if (this.#arrival === arrival) this.#arrival = undefined
  }
}
