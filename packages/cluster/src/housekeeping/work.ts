/**
 * Work that follows from changes, done after them: one task at a time, between other work, never within somebody's request.
 * Guarantees: tasks run in the order in which they came; a key that waits already is not queued again; no timers.
 */
import { StorageFailure } from '../storage/storage-failure.ts'

export class Work {
  readonly #waiting = new Map<string, () => void>()
  #running = false
  #stopped = false

  /** Nothing waits and nothing runs. */
  get idle(): boolean {
    return !this.#running && this.#waiting.size === 0
  }

  add(key: string, task: () => void): void {
    if (this.#stopped || this.#waiting.has(key)) return
    this.#waiting.set(key, task)
    if (!this.#running) void this.#run()
  }

  stop(): void {
    this.#stopped = true
    this.#waiting.clear()
  }

  async #run(): Promise<void> {
    this.#running = true
    await Promise.resolve()
    for (const [key, task] of this.#waiting) {
      this.#waiting.delete(key)
      attempt(task)
      await Promise.resolve()
    }
    this.#running = false
  }
}

/** What cannot be kept on disk is not done. It stays due: the next change, or the next start, finds it again. */
function attempt(task: () => void): void {
  try {
    task()
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error
  }
}
