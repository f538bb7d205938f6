import type { Runtime } from '@binnacle/core'
import { Alarm } from './alarm.ts'

/** How often the figures about unfinished work are renewed, in seconds. */
const REFRESH = 0.5

/**
 * The figures of one work queue, under client-go's names.
 * Guarantees: without a name none; a timer runs only while something is worked on.
 */
export interface WorkMetrics<T> {
  added(item: T, depth: number): void
  taken(item: T, depth: number): void
  done(item: T, depth: number): void
  retried(): void
  /** Nothing is worked on any more as far as this queue knows. */
  end(): void
}

const SILENT: WorkMetrics<unknown> = { added() {}, taken() {}, done() {}, retried() {}, end() {} }

export function workMetrics<T>(name: string | undefined, runtime: Runtime): WorkMetrics<T> {
  return name === undefined ? SILENT : new NamedMetrics<T>(name, runtime)
}

class NamedMetrics<T> implements WorkMetrics<T> {
  readonly #labels: { readonly name: string }
  readonly #runtime: Runtime
  readonly #figures
  readonly #addedAt = new Map<T, number>()
  readonly #takenAt = new Map<T, number>()
  readonly #refresh: Alarm

  constructor(name: string, runtime: Runtime) {
    this.#labels = { name }
    this.#runtime = runtime
    this.#figures = figures(runtime)
    this.#refresh = new Alarm(runtime.clock, () => this.#renew())
  }

  added(item: T, depth: number): void {
    this.#figures.adds.add(1, this.#labels)
    this.#figures.depth.set(depth, this.#labels)
    if (!this.#addedAt.has(item)) this.#addedAt.set(item, this.#now())
  }

  taken(item: T, depth: number): void {
    const now = this.#now()
    this.#figures.depth.set(depth, this.#labels)
    this.#figures.queueDuration.observe(now - (this.#addedAt.get(item) ?? now), this.#labels)
    this.#addedAt.delete(item)
    this.#takenAt.set(item, now)
    this.#refresh.set(this.#refreshAt())
  }

  done(item: T, depth: number): void {
    const begun = this.#takenAt.get(item)
    this.#figures.depth.set(depth, this.#labels)
    if (begun === undefined) return
    this.#figures.workDuration.observe(this.#now() - begun, this.#labels)
    this.#takenAt.delete(item)
    if (this.#takenAt.size === 0) this.#renew()
  }

  retried(): void {
    this.#figures.retries.add(1, this.#labels)
  }

  end(): void {
    this.#takenAt.clear()
    this.#renew()
  }

  #now(): number {
    return this.#runtime.clock.monotonic()
  }

  #refreshAt(): number {
    this.#next ??= this.#now() + REFRESH
    return this.#next
  }
  #next: number | undefined

  #renew(): void {
    const now = this.#now()
    const ages = Array.from(this.#takenAt.values(), (begun) => now - begun)
    this.#figures.unfinished.set(
      ages.reduce((sum, age) => sum + age, 0),
      this.#labels,
    )
    this.#figures.longest.set(Math.max(0, ...ages), this.#labels)
    this.#next = undefined
    this.#refresh.set(this.#takenAt.size === 0 ? undefined : this.#refreshAt())
  }
}

function figures({ metrics }: Runtime) {
  const name = ['name']
  return {
    depth: metrics.gauge('workqueue_depth', 'Items that wait', name),
    adds: metrics.counter('workqueue_adds_total', 'Items that were added', name),
    queueDuration: metrics.histogram('workqueue_queue_duration_seconds', 'How long items waited', name),
    workDuration: metrics.histogram('workqueue_work_duration_seconds', 'How long items were worked on', name),
    unfinished: metrics.gauge('workqueue_unfinished_work_seconds', 'Time that unfinished work has taken so far', name),
    longest: metrics.gauge('workqueue_longest_running_processor_seconds', 'The longest of it', name),
    retries: metrics.counter('workqueue_retries_total', 'Items that were added for later', name),
  }
}
