import { Latch } from '../latch.ts'
import { FIFOClosedError } from './queue.ts'

/**
 * How much of what a queue was first filled with has not come out yet.
 * Guarantees: synced once all of the first list has come out, and at once if something else than a list came first; later lists change
 * nothing about it; if the queue closes and is empty before that, those who wait are told.
 */
export class FirstPopulation {
  readonly #synced = new Latch()
  /** Whether it is known how much that is. */
  #known = false
  #left = 0

  /** How many of the first list are still to come out. */
  get left(): number {
    return this.#left
  }

  get isSynced(): boolean {
    return this.#synced.isOpen
  }

  whenSynced(signal: AbortSignal | undefined): Promise<void> {
    return this.#synced.wait(signal)
  }

  /** A list came: if it is the first thing that came, so many have to come out. */
  listed(count: () => number): void {
    if (!this.#known) this.#left = count()
    this.touched()
  }

  /** A change came. */
  touched(): void {
    this.#known = true
    this.#look()
  }

  /** So many came out. */
  out(count: number): void {
    this.#left = Math.max(0, this.#left - count)
    this.#look()
  }

  /** Nothing will come any more, and nothing is left. */
  ended(): void {
    this.#synced.fail(new FIFOClosedError())
  }

  #look(): void {
    if (this.#known && this.#left === 0) this.#synced.open()
  }
}
