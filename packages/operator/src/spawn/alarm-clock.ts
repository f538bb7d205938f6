import { aborted, type Clock } from '@binnacle/core'

interface Alarm {
  /** Seconds on the monotonic clock. */
  readonly due: number
  readonly order: number
  ring: (() => void) | undefined
}

/** A reason of its own is cheaper than the error that the platform would make. */
const OVER = 'over'

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
  #rearm: () => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
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
    const alarm: Alarm = { due: this.now() + Math.max(0, seconds), order: this.#order++, ring }
    this.#push(alarm)
    if (this.#heap[0] === alarm) this.#rearm()
    return () => this.#clear(alarm)
  }

  /** Rings until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#untilNext(signal)
      if (!signal.aborted) this.#ringDue()
    }
  }

  async #untilNext(signal: AbortSignal): Promise<void> {
    const sleep = new AbortController()
    const end = () => sleep.abort(OVER)
    const rearmed = new Promise<void>((resolve) => {
      this.#rearm = resolve
    })
    signal.addEventListener('abort', end, { once: true })
    const next = this.#heap[0]
    const waits = [rearmed, aborted(sleep.signal)]
    if (next) waits.push(this.#clock.sleep(Math.max(0, next.due - this.now()), sleep.signal).catch(() => {}))
    await Promise.race(waits)
    signal.removeEventListener('abort', end)
    sleep.abort(OVER)
  }

  #ringDue(): void {
    const now = this.now()
    const due: Alarm[] = []
    for (let next = this.#heap[0]; next !== undefined && next.due <= now; next = this.#heap[0]) {
      this.#pop()
      due.push(next)
    }
    for (const alarm of due) this.#ring(alarm)
  }

  #ring(alarm: Alarm): void {
    const { ring } = alarm
    if (!ring) return void this.#cleared--
    alarm.ring = undefined
    ring()
  }

  #clear(alarm: Alarm): void {
    if (!alarm.ring) return
    alarm.ring = undefined
    this.#cleared++
    if (this.#cleared * 2 > this.#heap.length && this.#cleared > 64) this.#sweep()
  }

  #sweep(): void {
    // A sorted list is a heap.
    this.#heap = this.#heap.filter(({ ring }) => ring !== undefined).sort((a, b) => (isBefore(a, b) ? -1 : 1))
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
