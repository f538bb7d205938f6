/**
 * The one counter behind every resourceVersion.
 * Guarantees: each committed change has a version of its own, larger than all before it, across all kinds.
 * Starts well above 1, so that nobody mistakes a version for a count.
 */
import type { Clock } from '../clock.ts'

export class Revision {
  #current: number
  readonly #waiting = new Set<() => void>()

  constructor(start = 100) {
    this.#current = start
  }

  get current(): number {
    return this.#current
  }

  next(): number {
    this.#current++
    for (const wake of this.#waiting) wake()
    return this.#current
  }

  /** True once the counter has come so far; false if it has not within the given seconds. */
  async reached(wanted: number, seconds: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
    if (this.#current >= wanted) return true
    const done = new AbortController()
    const wake = () => {
      if (this.#current >= wanted) done.abort()
    }
    this.#waiting.add(wake)
    try {
      await clock.sleep(seconds, AbortSignal.any([done.signal, signal]))
    } catch {
      signal.throwIfAborted()
    } finally {
      this.#waiting.delete(wake)
    }
    return this.#current >= wanted
  }
}
