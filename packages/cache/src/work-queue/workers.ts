import { abortable } from '@binnacle/core'

/**
 * Those who wait for work.
 * Guarantees: first come, first served; who gives up is forgotten and loses nothing, because work is offered only to who waits.
 */
export class Workers<T> {
  readonly #waiting = new Set<(work: T | undefined) => void>()

  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  /** Hands it to the first; false if nobody waits. */
  offer(work: T): boolean {
    for (const worker of this.#waiting) {
      this.#waiting.delete(worker)
      worker(work)
      return true
    }
    return false
  }

  /** There is no more work. */
  dismiss(): void {
    for (const worker of this.#waiting) worker(undefined)
    this.#waiting.clear()
  }

  /** Waits for work. `giveBack` takes what was handed over in the very moment in which the wait was given up. */
  async wait(signal: AbortSignal | undefined, giveBack: (work: T) => void): Promise<T | undefined> {
    signal?.throwIfAborted()
    let given: T | undefined
    let worker: (work: T | undefined) => void = () => {}
    const handed = new Promise<T | undefined>((resolve) => {
      worker = (work) => {
        given = work
        resolve(work)
      }
      this.#waiting.add(worker)
    })
    try {
      return await abortable(handed, signal)
    } catch (error) {
      this.#waiting.delete(worker)
      if (given !== undefined) giveBack(given)
      throw error
    }
  }
}
