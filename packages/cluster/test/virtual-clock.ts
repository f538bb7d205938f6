import type { Clock } from '../src/clock.ts'

/** Time that stands still until a test moves it. */
export class VirtualClock implements Clock {
  #now = 0
  readonly #start: number
  readonly #sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()

  constructor(start = '2026-01-01T00:00:00Z') {
    this.#start = Date.parse(start)
  }

  now(): Date {
    return new Date(this.#start + this.#now * 1000)
  }

  monotonic(): number {
    return this.#now
  }

  get sleeping(): number {
    return this.#sleepers.size
  }

  sleep(seconds: number | string, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const sleeper = { at: this.#now + Number(seconds), wake: resolve }
      this.#sleepers.add(sleeper)
      signal?.addEventListener('abort', () => {
        this.#sleepers.delete(sleeper)
        reject(signal.reason)
      })
    })
  }

  /** Moves on, from one thing that is due to the next. */
  async advance(seconds: number): Promise<void> {
    const until = this.#now + seconds
    await settled()
    for (let next = this.#next(until); next; next = this.#next(until)) {
      this.#now = Math.max(this.#now, next.at)
      this.#sleepers.delete(next)
      next.wake()
      await settled()
    }
    this.#now = until
  }

  #next(until: number) {
    const due = [...this.#sleepers].filter((sleeper) => sleeper.at <= until)
    return due.sort((a, b) => a.at - b.at)[0]
  }
}

/** Lets everything happen that needs no time. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
