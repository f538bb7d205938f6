import { aborted, type Clock } from '@binnacle/core'
import { Alarms } from './alarms.ts'
import { type Lane, type Taken, WaitingLine } from './waiting-line.ts'

export interface ObjectQueueOptions {
  /** Objects that are looked at side by side. */
  readonly limit: number
  /** Objects of one group that are looked at side by side. @default as many as of all */
  readonly groupLimit?: (group: string) => number
  /** Which group a key is of: objects of one kind are one group. @default one group for all */
  readonly groupOf?: (key: string) => string
  readonly clock: Clock
  /** Looks at one object. Never rejects. */
  readonly cycle: (key: string) => Promise<void>
  /** Is told what happens, for figures. */
  readonly observer?: QueueObserver
}

/** Hears for how long keys have waited and were looked at, in seconds. */
export interface QueueObserver {
  waited(group: string, seconds: number): void
  worked(group: string, seconds: number): void
}

/** How full a queue is. */
export interface QueueFigures {
  readonly waiting: number
  readonly running: number
  readonly limit: number
  /** Seconds for which the one that waits longest has waited. */
  readonly longestWait: number
  /** Seconds for which the longest cycle has been going on. */
  readonly longestCycle: number
  /** By group. */
  readonly groups: { readonly [group: string]: { readonly waiting: number; readonly running: number } }
}

/**
 * Every reason to look at an object becomes its key here: a change, a wake-up, a retry. Nothing else starts a cycle.
 * Guarantees: one cycle at a time for each key, and never more than the limits of all and of its group; a key that comes while its cycle runs
 * is looked at once more afterwards, however often it came; a cycle takes the place of the alarms that were set before it; fresh changes go before the backlog, and nobody waits for ever; while paused,
 * and after `drain` has begun, no cycle starts; after `drain` has resolved none runs.
 */
export class ObjectQueue {
  readonly #options: ObjectQueueOptions
  readonly #alarms: Alarms
  readonly #waiting = new WaitingLine()
  readonly #running = new Map<string, { readonly group: string; readonly since: number; readonly end: Promise<void> }>()
  /** By group, of all groups that there have been. */
  readonly #runningOf = new Map<string, number>()
  readonly #again = new Map<string, Lane>()
  #open = true
  #paused = false

  constructor(options: ObjectQueueOptions) {
    this.#options = options
    this.#alarms = new Alarms(options.clock, (key) => this.add(key, 'due'))
  }

  /** Keys that wait for a place, or are looked at now. Those that sleep until an alarm do not count, nor do those that wait in a pause. */
  get busy(): readonly string[] {
    return [...(this.#paused ? [] : this.#waiting.keys()), ...this.#running.keys()]
  }

  get figures(): QueueFigures {
    const now = this.#now
    const [first] = this.#running.values()
    return {
      waiting: this.#waiting.size,
      running: this.#running.size,
      limit: this.#options.limit,
      longestWait: now - (this.#waiting.oldest ?? now),
      longestCycle: now - (first?.since ?? now),
      groups: Object.fromEntries(
        Array.from(this.#runningOf, ([group, running]) => [group, this.#depthOf(group, running)]),
      ),
    }
  }

  add(key: string, lane: Lane = 'fresh'): void {
    if (!this.#open) return
    if (this.#running.has(key)) this.#again.set(key, better(this.#again.get(key), lane))
    else this.#line(key, lane)
    this.#startNext()
  }

  /** Adds the key later; an earlier alarm of it stays. */
  addAfter(key: string, seconds: number): void {
    if (seconds <= 0) this.add(key, 'due')
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

  /** Starts nothing until `resume`; resolves when what runs has ended, or `impatient` aborts. What waits goes on waiting. */
  async pause(impatient: AbortSignal): Promise<void> {
    this.#paused = true
    await this.#rest(impatient)
  }

  resume(): void {
    this.#paused = false
    this.#startNext()
  }

  /** Takes nothing more and starts nothing more; resolves when what runs has ended, or `impatient` aborts. */
  async drain(impatient: AbortSignal): Promise<void> {
    this.#open = false
    this.#waiting.clear()
    this.#again.clear()
    await this.#rest(impatient)
  }

  async #rest(impatient: AbortSignal): Promise<void> {
    await Promise.race([Promise.all(Array.from(this.#running.values(), ({ end }) => end)), aborted(impatient)])
  }

  get #now(): number {
    return this.#options.clock.monotonic()
  }

  #line(key: string, lane: Lane): void {
    const { groupOf } = this.#options
    const group = groupOf?.(key) ?? ''
    this.#waiting.add(key, group, lane, this.#now)
    if (!this.#runningOf.has(group)) this.#runningOf.set(group, 0)
  }

  #startNext(): void {
    const { limit, groupLimit } = this.#options
    const hasRoom = (group: string) => (this.#runningOf.get(group) ?? 0) < (groupLimit?.(group) ?? limit)
    while (!this.#paused && this.#running.size < limit) {
      const next = this.#waiting.take(hasRoom)
      if (!next) return
      this.#start(next)
    }
  }

  #start({ key, group, since }: Taken): void {
    const now = this.#now
    this.#running.set(key, { group, since: now, end: this.#run(key, group, now) })
    this.#runningOf.set(group, (this.#runningOf.get(group) ?? 0) + 1)
    this.#options.observer?.waited(group, now - since)
  }

  async #run(key: string, group: string, since: number): Promise<void> {
    // The changes of one step of the cache come one by one: the cycle begins after the last of them.
    await Promise.resolve()
    this.#again.delete(key)
    // What this cycle finds decides when the next one is due: an alarm from before it would only have the object looked at once more.
    this.#alarms.clear(key)
    await this.#options.cycle(key)
    this.#running.delete(key)
    this.#runningOf.set(group, (this.#runningOf.get(group) ?? 1) - 1)
    this.#options.observer?.worked(group, this.#now - since)
    const again = this.#again.get(key)
    this.#again.delete(key)
    if (again) this.#line(key, again)
    this.#startNext()
  }

  #depthOf(group: string, running: number) {
    return { waiting: this.#waiting.sizeOf(group), running }
  }
}

/** Of two reasons, the one that goes first. */
function better(one: Lane | undefined, other: Lane): Lane {
  if (one === 'fresh' || other === 'fresh') return 'fresh'
  return one === 'due' || other === 'due' ? 'due' : 'backlog'
}
