import type { Clock } from '@binnacle/core'
import { InterruptibleSleep } from '../interruptible-sleep.ts'

interface Alarm {
  readonly key: string
  readonly due: number
}

/** Entries without an alarm that are left lying: to sweep for fewer is not worth it. */
const FEW = 64

/**
 * Wake-ups by key. Of several for one key, the earliest counts.
 * Guarantees: one sleep at the clock however many alarms there are; rings in the order in which they fall due; none rings after `run` has ended;
 * what is kept is in proportion to the alarms that are set, not to those that ever were.
 */
export class Alarms {
  readonly #clock: Clock
  readonly #ring: (key: string) => void
  /** By due time, the latest first, so that the next one is popped from the end. */
  #sorted: Alarm[] = []
  readonly #dueOf = new Map<string, number>()
  readonly #sleep: InterruptibleSleep

  constructor(clock: Clock, ring: (key: string) => void) {
    this.#clock = clock
    this.#sleep = new InterruptibleSleep(clock)
    this.#ring = ring
  }

  get size(): number {
    return this.#dueOf.size
  }

  /** Entries in memory, with those whose alarm was cleared. */
  get kept(): number {
    return this.#sorted.length
  }

  set(key: string, seconds: number): void {
    const due = this.#clock.monotonic() + seconds
    const present = this.#dueOf.get(key)
    if (present !== undefined && present <= due) return
    this.#dueOf.set(key, due)
    this.#sorted.splice(this.#placeOf(due), 0, { key, due })
    if (this.#sorted.at(-1)?.due === due) this.#sleep.interrupt()
  }

  clear(key: string): void {
    if (this.#dueOf.delete(key) && this.#sorted.length > 2 * this.#dueOf.size + FEW) this.#sweep()
  }

  /** Rings until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const end = () => this.#sleep.interrupt()
    signal.addEventListener('abort', end, { once: true })
    while (!signal.aborted) {
      this.#ringDue()
      if (!signal.aborted) await this.#sleep.until(this.#sorted.at(-1)?.due)
    }
    signal.removeEventListener('abort', end)
  }

  #ringDue(): void {
    const now = this.#clock.monotonic()
    for (let next = this.#sorted.at(-1); next !== undefined && next.due <= now; next = this.#sorted.at(-1)) {
      this.#sorted.pop()
      // An alarm that was cleared, or set anew for an earlier time, has left its entry behind.
      if (this.#dueOf.get(next.key) !== next.due) continue
      this.#dueOf.delete(next.key)
      this.#ring(next.key)
    }
  }

  /** Lets go of entries whose alarm was cleared, or set anew for an earlier time. */
  #sweep(): void {
    this.#sorted = this.#sorted.filter(({ key, due }) => this.#dueOf.get(key) === due)
  }

  /** The first place whose alarm falls due earlier: later ones stand before it. */
  #placeOf(due: number): number {
    let low = 0
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#sorted[middle]?.due ?? 0) > due) low = middle + 1
      else high = middle
    }
    return low
  }
}
