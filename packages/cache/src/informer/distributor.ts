import { messageOf, type Runtime } from '@binnacle/core'
import { type Change, isRepetition } from './change.ts'
import type { Listener } from './listener.ts'

/** Is told of each change in the very step that made it. Must not take long, and must not throw; if it does, that is logged. */
export type Subscriber<T> = (change: Change<T>) => void

/**
 * Tells everybody.
 * Guarantees: synchronous: subscribers have been called, and listeners have it in their buffers, when this returns; one who fails keeps
 * nobody else from hearing; who joins while a step is being told hears of the next step first, because the cache already has this one.
 */
export class Distributor<T> {
  readonly #runtime: Runtime
  /** Replaced, never changed, so that a step that is being told goes on with those it began with. */
  #subscribers: readonly Subscriber<T>[] = []
  #listeners: readonly Listener<T>[] = []

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  get listeners(): readonly Listener<T>[] {
    return this.#listeners
  }

  subscribe(subscriber: Subscriber<T>): Disposable {
    // Wrapped, so that one function that subscribes twice is two subscriptions.
    let active = true
    const entry: Subscriber<T> = (change) => {
      if (active) subscriber(change)
    }
    this.#subscribers = [...this.#subscribers, entry]
    return {
      [Symbol.dispose]: () => {
        active = false
        this.#subscribers = this.#subscribers.filter((other) => other !== entry)
      },
    }
  }

  add(listener: Listener<T>): void {
    this.#listeners = [...this.#listeners, listener]
  }

  remove(listener: Listener<T>): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener)
  }

  /** Whether anybody wants to be reminded of what has not changed. */
  get wantsRepetitions(): boolean {
    return this.#listeners.some((listener) => listener.schedule.isDue)
  }

  tell(changes: readonly Change<T>[]): void {
    if (changes.length === 0) return
    const [subscribers, listeners] = [this.#subscribers, this.#listeners]
    // Most steps repeat nothing, and then all hear the same list.
    const news = changes.some(isRepetition) ? changes.filter((change) => !isRepetition(change)) : changes
    for (const change of news) for (const subscriber of subscribers) this.call(subscriber, change)
    for (const listener of listeners) listener.push(listener.schedule.isDue ? changes : news)
  }

  call(subscriber: Subscriber<T>, change: Change<T>): void {
    try {
      subscriber(change)
    } catch (error) {
      const line = `A subscriber failed at ${change.type} of ${change.key}: ${messageOf(error)}`
      this.#runtime.logger.error(line, { error })
    }
  }
}
