import { aborted, type Clock } from '@binnacle/core'
import { Alarms } from './alarms.ts'

export interface ObjectQueueOptions {
  /** Objects that are looked at side by side. */
  readonly limit: number
  readonly clock: Clock
  /** Looks at one object. Never rejects. */
  readonly cycle: (key: string) => Promise<void>
}

/**
 * Every reason to look at an object becomes its key here: a change, a wake-up, a retry. Nothing else starts a cycle.
 * Guarantees: one cycle at a time for each key; a key that comes while its cycle runs is looked at once more afterwards, however often it
 * came; after `drain` has resolved no cycle runs.
 */
export class ObjectQueue {
  readonly #options: ObjectQueueOptions
  readonly #alarms: Alarms
  /** In the order of arrival. */
  readonly #waiting = new Set<string>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #again = new Set<string>()
  #open = true

  constructor(options: ObjectQueueOptions) {
    this.#options = options
    this.#alarms = new Alarms(options.clock, (key) => this.add(key))
  }

  /** Keys that wait for a place, or are looked at now. Those that sleep until an alarm do not count. */
  get busy(): readonly string[] {
    return [...this.#waiting, ...this.#running.keys()]
  }

  add(key: string): void {
    if (!this.#open) return
    if (this.#running.has(key)) this.#again.add(key)
    else this.#waiting.add(key)
    this.#startNext()
  }

  /** Adds the key later; an earlier alarm of it stays. */
  addAfter(key: string, seconds: number): void {
    if (seconds <= 0) this.add(key)
    else if (this.#open) this.#alarms.set(key, seconds)
  }

  /** The key is gone: nothing that was asked for it before matters. */
  forget(key: string): void {
    this.#alarms.clear(key)
    this.#waiting.delete(key)
    this.#again.delete(key)
  }

  /** Rings alarms until the signal aborts. */
  run(signal: AbortSignal): Promise<void> {
    return this.#alarms.run(signal)
  }

  /** Takes nothing more and starts nothing more; resolves when what runs has ended, or `impatient` aborts. */
  async drain(impatient: AbortSignal): Promise<void> {
    this.#open = false
    this.#waiting.clear()
    this.#again.clear()
    await Promise.race([Promise.all(this.#running.values()), aborted(impatient)])
  }

  #startNext(): void {
    for (const key of this.#waiting) {
      if (this.#running.size >= this.#options.limit) return
      this.#waiting.delete(key)
      this.#running.set(key, this.#run(key))
    }
  }

  async #run(key: string): Promise<void> {
    // The changes of one step of the cache come one by one: the cycle begins after the last of them.
    await Promise.resolve()
    this.#again.delete(key)
    await this.#options.cycle(key)
    this.#running.delete(key)
    if (this.#again.delete(key)) this.#waiting.add(key)
    this.#startNext()
  }
}
