import type { Clock } from './clock.ts'
import type { Duration } from './duration.ts'
import { seconds } from './duration.ts'
import { BinnacleError } from './errors.ts'
import { sleepBy } from './sleep.ts'

/** Time is kept in whole microseconds: sums of fractions of seconds would miss each other by a hair. */
const PER_SECOND = 1_000_000
/** Who sleeps for no time so often at one moment will never let time pass. */
const MOST_ROUNDS_IN_A_MOMENT = 10_000

interface Sleeper {
  /** Microseconds. */
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
 * two moments everything that was woken has run as far as `settle` lets it; an aborted sleeper is forgotten; a sleep that is longer
 * than nothing takes at least a microsecond, so that whoever waits for a deadline reaches it.
 * Assumes: only one caller moves it at a time.
 */
export class VirtualClock implements Clock {
  readonly #start: number
  readonly #settle: () => Promise<void>
  readonly #sleepers = new Set<Sleeper>()
  /** Microseconds. */
  #elapsed = 0
  #order = 0

  constructor(options: VirtualClockOptions = {}) {
    this.#start = (options.start ?? new Date('2026-01-01T00:00:00Z')).getTime()
    this.#settle = options.settle ?? turnsOfTheEventLoop
  }

  now(): Date {
    return new Date(this.#start + Math.round(this.#elapsed / 1000))
  }

  monotonic(): number {
    return this.#elapsed / PER_SECOND
  }

  sleep(duration: Duration, signal?: AbortSignal): Promise<void> {
    return sleepBy(this, duration, signal)
  }

  after(duration: Duration, call: () => void): () => void {
    const sleeper: Sleeper = { due: this.#elapsed + microseconds(duration), order: this.#order++, wake: call }
    this.#sleepers.add(sleeper)
    return () => void this.#sleepers.delete(sleeper)
  }

  /** Seconds until the next sleeper falls due; undefined when nobody sleeps. */
  get untilNext(): number | undefined {
    const next = this.#next()
    return next && Math.max(0, next.due - this.#elapsed) / PER_SECOND
  }

  /** How many sleep. */
  get sleeping(): number {
    return this.#sleepers.size
  }

  /** Moves on, and lets everything that falls due happen in its order. */
  async advance(duration: Duration): Promise<void> {
    const end = this.#elapsed + microseconds(duration)
    await this.#settle()
    let rounds = 0
    for (let next = this.#next(); next !== undefined && next.due <= end; next = this.#next()) {
      rounds = next.due <= this.#elapsed ? rounds + 1 : 0
      if (rounds > MOST_ROUNDS_IN_A_MOMENT) throw restless(this.now())
      await this.#moveTo(next.due)
    }
    this.#elapsed = end
    await this.#settle()
  }

  /** To the next thing that falls due; false if nothing is. */
  async advanceToNext(): Promise<boolean> {
    await this.#settle()
    return await this.moveToNext()
  }

  /** As `advanceToNext`, for whoever knows that everything is at rest already, and need not let it settle before. */
  async moveToNext(): Promise<boolean> {
    const next = this.#next()
    if (!next) return false
    await this.#moveTo(next.due)
    return true
  }

  /**
   * Moves on by itself, from one thing that falls due to the next, whenever everything waits for time; until aborted, and stands still
   * then. Nobody else may move it meanwhile. Rejects with what does not come to rest.
   */
  async moveByItself(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#settle()
      const next = signal.aborted ? undefined : this.#next()
      if (next) await this.#moveTo(next.due)
      else await turnOfTheEventLoop()
    }
  }

  /** Wakes all who are due now, without moving on. */
  wakeDue(): void {
    const due = [...this.#sleepers].filter((sleeper) => sleeper.due <= this.#elapsed)
    for (const sleeper of due.sort((a, b) => (before(a, b) ? -1 : 1))) this.#wake(sleeper)
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
}

function microseconds(duration: Duration): number {
  const length = seconds(duration)
  return length === 0 ? 0 : Math.max(1, Math.round(length * PER_SECOND))
}

function restless(now: Date): BinnacleError {
  return new BinnacleError('BIN_NOT_SETTLED', {
    message: `Virtual time cannot go on from ${now.toISOString()}: something sleeps for no time, again and again`,
    hint: 'Look for a loop that waits for 0 seconds, or for a deadline that has passed.',
  })
}

function before(a: Sleeper, b: Sleeper): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order)
}

function turnOfTheEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

async function turnsOfTheEventLoop(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await turnOfTheEventLoop()
}
