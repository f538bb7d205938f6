import type { Clock } from './clock.ts'
import type { Duration } from './duration.ts'
import { seconds } from './duration.ts'

interface Sleeper {
  readonly due: number
  readonly order: number
  wake(): void
}

export interface VirtualClockOptions {
  /** @default 2026-01-01T00:00:00Z */
  readonly start?: Date
  /** Lets everything that can run now run, until it waits for time again. @default a few turns of the event loop */
  readonly settle?: () => Promise<void>
}

/**
 * Time that stands still until it is moved.
 * Guarantees: sleepers wake in the order in which they fall due, those of one moment in the order in which they lay down; between
 * two moments everything that was woken has run as far as `settle` lets it; an aborted sleeper is forgotten.
 * Assumes: only one caller moves it at a time.
 */
export class VirtualClock implements Clock {
  readonly #start: number
  readonly #settle: () => Promise<void>
  readonly #sleepers = new Set<Sleeper>()
  #elapsed = 0
  #order = 0

  constructor(options: VirtualClockOptions = {}) {
    this.#start = (options.start ?? new Date('2026-01-01T00:00:00Z')).getTime()
    this.#settle = options.settle ?? turnsOfTheEventLoop
  }

  now(): Date {
    return new Date(this.#start + Math.round(this.#elapsed * 1000))
  }

  monotonic(): number {
    return this.#elapsed
  }

  sleep(duration: Duration, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const abort = () => {
        this.#sleepers.delete(sleeper)
        reject(signal?.reason)
      }
      const wake = () => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      const sleeper: Sleeper = { due: this.#elapsed + seconds(duration), order: this.#order++, wake }
      this.#sleepers.add(sleeper)
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  /** Seconds until the next sleeper falls due; undefined when nobody sleeps. */
  get untilNext(): number | undefined {
    const next = this.#next()
    return next && Math.max(0, next.due - this.#elapsed)
  }

  /** How many sleep. */
  get sleeping(): number {
    return this.#sleepers.size
  }

  /** Moves on, and lets everything that falls due happen in its order. */
  async advance(duration: Duration): Promise<void> {
    const end = this.#elapsed + seconds(duration)
    await this.#settle()
    for (let next = this.#next(); next !== undefined && next.due <= end; next = this.#next())
      await this.#moveTo(next.due)
    this.#elapsed = end
    await this.#settle()
  }

  /** To the next thing that falls due; false if nothing is. */
  async advanceToNext(): Promise<boolean> {
    await this.#settle()
    const next = this.#next()
    if (!next) return false
    await this.#moveTo(next.due)
    return true
  }

  /** Wakes all who are due now, without moving on. */
  wakeDue(): void {
    for (const sleeper of this.#ordered()) if (sleeper.due <= this.#elapsed) this.#wake(sleeper)
  }

  async #moveTo(due: number): Promise<void> {
    this.#elapsed = Math.max(this.#elapsed, due)
    this.wakeDue()
    await this.#settle()
  }

  #wake(sleeper: Sleeper): void {
    this.#sleepers.delete(sleeper)
    sleeper.wake()
  }

  #next(): Sleeper | undefined {
    let first: Sleeper | undefined
    for (const sleeper of this.#sleepers) if (first === undefined || before(sleeper, first)) first = sleeper
    return first
  }

  #ordered(): Sleeper[] {
    return [...this.#sleepers].sort((a, b) => (before(a, b) ? -1 : 1))
  }
}

function before(a: Sleeper, b: Sleeper): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order)
}

async function turnsOfTheEventLoop(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}
