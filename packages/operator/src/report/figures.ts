import type { Metrics } from '@binnacle/core'
import type { Health } from './health.ts'
import type { Observer, Write } from './observer.ts'
import { type ReportedCall, type ReportedEnd, type Reporter, reportingTo } from './reporter.ts'

/**
 * The figures of a running operator. Those of watches and caches are the cache's own (`reflector_…`, `informer_…`).
 * Guarantees: labels are names of kinds, handlers and outcomes only, never those of objects, so that their number is bounded.
 */
export class OperatorFigures {
  readonly #now: () => number
  readonly #figures

  constructor(metrics: Metrics, now: () => number) {
    this.#now = now
    this.#figures = figuresIn(metrics)
  }

  /** Tells the observer all that it hears itself. */
  reportingTo(observer: Observer): Reporter {
    const inner = reportingTo(observer)
    return {
      ...inner,
      ended: (call, end) => {
        this.#noteEnd(call, end)
        inner.ended(call, end)
      },
      write: (write) => {
        this.#noteWrite(write)
        inner.write?.(write)
      },
    }
  }

  /** Of the object queue, by kind. */
  readonly queue = {
    waited: (kind: string, seconds: number) => this.#figures.waited.observe(seconds, { kind }),
    worked: (kind: string, seconds: number) => this.#figures.worked.observe(seconds, { kind }),
  }

  /** A cycle failed outside of handlers. */
  failed(kind: string): void {
    this.#figures.errors.add(1, { kind })
  }

  /** What is asked for, and not told as it happens. */
  refresh({ ready, streams, queue, background, slowed }: Health): void {
    const { stale, companions, depth, slowed: slow, ready: isReady } = this.#figures
    isReady.set(ready ? 1 : 0)
    slow.set(slowed.length)
    for (const { resource, namespace = '', staleSeconds } of streams)
      stale.set(staleSeconds, { kind: resource, namespace })
    for (const [kind, { waiting, running }] of Object.entries(queue.kinds)) {
      depth.set(waiting, { kind, state: 'waiting' })
      depth.set(running, { kind, state: 'running' })
    }
    for (const [state, count] of Object.entries(background)) companions.set(count, { state })
  }

  #noteEnd({ handler, cause, begun }: ReportedCall, { outcome }: ReportedEnd): void {
    this.#figures.runs.add(1, { handler: handler.id, cause, outcome })
    this.#figures.seconds.observe(this.#now() - begun, { handler: handler.id })
  }

  #noteWrite({ object, to }: Write): void {
    this.#figures.writes.add(1, { kind: object.split(' ', 1)[0] ?? '', to })
  }
}

function figuresIn(metrics: Metrics) {
  return {
    ready: metrics.gauge('binnacle_ready', 'Whether the operator is ready: 1 or 0'),
    depth: metrics.gauge('binnacle_queue_objects', 'Objects that wait for a place or are handled', ['kind', 'state']),
    waited: metrics.histogram('binnacle_queue_wait_seconds', 'How long objects waited for a place', ['kind']),
    worked: metrics.histogram('binnacle_cycle_seconds', 'How long one look at an object took', ['kind']),
    errors: metrics.counter('binnacle_cycle_errors_total', 'Looks that failed outside of handlers', ['kind']),
    runs: metrics.counter('binnacle_handler_runs_total', 'Calls of handlers', ['handler', 'cause', 'outcome']),
    seconds: metrics.histogram('binnacle_handler_seconds', 'How long calls of handlers took', ['handler']),
    writes: metrics.counter('binnacle_writes_total', 'Patches of objects by cycles, daemons and timers', [
      'kind',
      'to',
    ]),
    stale: metrics.gauge('binnacle_stream_stale_seconds', 'Time since the server last said anything', [
      'kind',
      'namespace',
    ]),
    companions: metrics.gauge('binnacle_background_runs', 'Daemons and timers', ['state']),
    slowed: metrics.gauge('binnacle_slowed_objects', 'Objects whose handlers answer their own writes without end'),
  }
}
