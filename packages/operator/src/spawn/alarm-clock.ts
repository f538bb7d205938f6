import type { Clock } from '@binnacle/core'
import { InterruptibleSleep } from '../interruptible-sleep.ts'

/** What is to ring once. Whoever has many of them makes them of its own sort, so that each is one object. */
export abstract class Alarm {
  /** Seconds on the monotonic clock. */
  due = 0
  /** Of two that fall due at one moment, the one that was set first rings first. */
  order = 0
  /** Whether it is to ring. */
  isSet = false

  abstract ring(): void
}

class Callback extends Alarm {
  #call: (() => void) | undefined

  constructor(call: () => void) {
    super()
    this.#call = call
  }

  ring(): void {
    this.#call?.()
  }

  letGo(): void {
    this.#call = undefined
  }
}

/**
 * Calls back after a while, for everybody who runs in the background.
 * Guarantees: one sleep at the clock however many alarms there are; they ring in the order in which they fall due, those of one moment in
 * the order in which they were set; one that was cleared does not ring, and what it held is let go at once; none rings after `run` has ended.
 */
export class AlarmClock {
  readonly #clock: Clock
  /** A binary heap, the next one first. Cleared alarms stay in it until they are many. */
  #heap: Alarm[] = []
  #cleared = 0
  #order = 0
  readonly #sleep: InterruptibleSleep

  constructor(clock: Clock) {
    this.#clock = clock
    this.#sleep = new InterruptibleSleep(clock)
  }

  /** Alarms that will ring. */
  get size(): number {
    return this.#heap.length - this.#cleared
  }

  /** Seconds on the monotonic clock. */
  now(): number {
    return this.#clock.monotonic()
  }

  /** Rings once after so many seconds, in a later turn. Returns what clears it. */
  after(seconds: number, ring: () => void): () => void {
    const alarm = new Callback(ring)
    this.set(alarm, seconds)
    return () => {
      this.clear(alarm)
      alarm.letGo()
    }
  }

  /** Rings once after so many seconds, in a later turn. Assumes: it was never set before, or has rung since. */
  set(alarm: Alarm, seconds: number): void {
    alarm.due = this.now() + Math.max(0, seconds)
    alarm.order = this.#order++
    alarm.isSet = true
    this.#push(alarm)
    if (this.#heap[0] === alarm) this.#sleep.interrupt()
  }

  /** It does not ring. What it holds is for its owner to let go of: it may be kept for a while. */
  clear(alarm: Alarm): void {
    if (!alarm.isSet) return
    alarm.isSet = false
    this.#cleared++
    if (this.#cleared * 2 > this.#heap.length && this.#cleared > 64) this.#sweep()
  }

  /** Rings until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const end = () => this.#sleep.interrupt()
    signal.addEventListener('abort', end, { once: true })
    while (!signal.aborted) {
      await this.#sleep.until(this.#heap[0]?.due)
      if (!signal.aborted) this.#ringDue()
    }
    signal.removeEventListener('abort', end)
  }

  /** Those that are set meanwhile ring in a later turn, also if they are due at once. */
  #ringDue(): void {
    const now = this.now()
    const end = this.#order
    for (let next = this.#heap[0]; next && next.due <= now && next.order < end; next = this.#heap[0]) {
      this.#pop()
      if (next.isSet) this.#ring(next)
      else this.#cleared--
    }
  }

  #ring(alarm: Alarm): void {
    alarm.isSet = false
    alarm.ring()
  }

  #sweep(): void {
    // A sorted list is a heap.
    this.#heap = this.#heap.filter(({ isSet }) => isSet).sort((a, b) => (isBefore(a, b) ? -1 : 1))
    this.#cleared = 0
  }

  #push(alarm: Alarm): void {
    const heap = this.#heap
    let at = heap.push(alarm) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = heap[above]
      if (!parent || !isBefore(alarm, parent)) break
      heap[at] = parent
      at = above
    }
    heap[at] = alarm
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last && heap.length > 0) sink(heap, last)
  }
}

/** Puts an alarm in the place of the first, and lets it sink to where it belongs. */
function sink(heap: Alarm[], alarm: Alarm): void {
  let at = 0
  for (;;) {
    const left = heap[2 * at + 1]
    const right = heap[2 * at + 2]
    const smaller = right && left && isBefore(right, left) ? right : left
    if (!smaller || !isBefore(smaller, alarm)) break
    heap[at] = smaller
    at = smaller === left ? 2 * at + 1 : 2 * at + 2
  }
  heap[at] = alarm
}

function isBefore(a: Alarm, b: Alarm): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order)
}
