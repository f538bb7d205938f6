/**
 * The one counter behind every resourceVersion.
 * Guarantees: each committed change has a version of its own, larger than all before it, across all kinds.
 * Starts well above 1, so that nobody mistakes a version for a count.
 */
import type { Timetable } from '../timetable.ts'

export class Revision {
  #current: number
  readonly #waiting = new Set<() => void>()
  #closed = false

  constructor(start = 100) {
    this.#current = start
  }

  get current(): number {
    return this.#current
  }

  /** Goes on where another run has ended. */
  resumeAt(revision: number): void {
    this.#current = Math.max(this.#current, revision)
  }

  next(): number {
    this.#current++
    for (const look of [...this.#waiting]) look()
    return this.#current
  }

  /** The one way down: a restored backup. */
  goBack(revision: number): void {
    this.#current = revision
  }

  /** True once the counter has come so far; false if it has not within the given seconds, or never will. */
  reached(wanted: number, seconds: number, timetable: Timetable, signal: AbortSignal): Promise<boolean> {
    if (this.#current >= wanted || this.#closed) return Promise.resolve(this.#current >= wanted)
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        cancel()
        this.#waiting.delete(look)
        signal.removeEventListener('abort', abort)
        finish()
      }
      const look = () => {
        if (this.#current >= wanted || this.#closed) settle(() => resolve(this.#current >= wanted))
      }
      const abort = () => settle(() => reject(signal.reason))
      const cancel = timetable.after(seconds, () => settle(() => resolve(false)))
      this.#waiting.add(look)
      signal.addEventListener('abort', abort, { once: true })
    })
  }

  /** Nothing will be committed any more: whoever waits is told. */
  close(): void {
    this.#closed = true
    for (const look of [...this.#waiting]) look()
  }
}
