/**
 * Everything that is due later, behind a single sleep of the clock, so that a virtual clock sees one waiter and not a thousand.
 * Guarantees: what is due runs in the order of its times; nothing runs after stop; when nothing is due, nothing sleeps.
 */
import type { Clock } from './clock.ts'

interface Entry {
  readonly at: number
  readonly run: () => void
}

interface Beat {
  readonly members: Set<() => void>
  cancel: () => void
}

export class Timetable {
  readonly #beats = new Map<number, Beat>()
  readonly #clock: Clock
  /** Sorted by time, equal times in the order of arrival. */
  readonly #entries: Entry[] = []
  #sleep: { readonly until: number; readonly abort: AbortController } | undefined
  #stopped = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Runs it once after so many seconds, unless the returned function is called before. */
  after(seconds: number, run: () => void): () => void {
    const entry = { at: this.#clock.monotonic() + seconds, run }
    const later = this.#entries.findIndex((other) => other.at > entry.at)
    this.#entries.splice(later === -1 ? this.#entries.length : later, 0, entry)
    this.#arm()
    return () => this.#cancel(entry)
  }

  /** Runs it again and again, together with everything of the same interval; the first of them starts the beat, the last ends it. */
  every(seconds: number, run: () => void): () => void {
    const beat = this.#beats.get(seconds) ?? this.#newBeat(seconds)
    beat.members.add(run)
    return () => {
      beat.members.delete(run)
      if (beat.members.size > 0 || this.#beats.get(seconds) !== beat) return
      this.#beats.delete(seconds)
      beat.cancel()
    }
  }

  #newBeat(seconds: number): Beat {
    const tick = () => {
      beat.cancel = this.after(seconds, tick)
      for (const run of [...beat.members]) run()
    }
    const beat: Beat = { members: new Set(), cancel: this.after(seconds, tick) }
    this.#beats.set(seconds, beat)
    return beat
  }

  /** Whether something should have run by now. */
  get due(): boolean {
    const first = this.#entries[0]
    return first !== undefined && first.at <= this.#clock.monotonic()
  }

  stop(): void {
    this.#stopped = true
    this.#entries.length = 0
    this.#sleep?.abort.abort()
  }

  #cancel(entry: Entry): void {
    const at = this.#entries.indexOf(entry)
    if (at === -1) return
    this.#entries.splice(at, 1)
    this.#arm()
  }

  #arm(): void {
    const first = this.#entries[0]
    if (this.#stopped || first?.at === this.#sleep?.until) return
    this.#sleep?.abort.abort()
    this.#sleep = first && { until: first.at, abort: new AbortController() }
    if (this.#sleep) this.#run(this.#sleep.until, this.#sleep.abort.signal)
  }

  async #run(until: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#clock.sleep(Math.max(0, until - this.#clock.monotonic()), signal)
    } catch {
      return // Another time came first, or the end.
    }
    if (signal.aborted) return
    this.#sleep = undefined
    this.#runDue()
    this.#arm()
  }

  #runDue(): void {
    const now = this.#clock.monotonic()
    while (this.#entries[0] && this.#entries[0].at <= now + 1e-6) this.#entries.shift()?.run()
  }
}
