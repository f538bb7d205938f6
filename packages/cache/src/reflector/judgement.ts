import { apiError, BinnacleError, type KubeObject, type Runtime } from '@binnacle/core'
import type { ReflectorOptions } from './reflector-options.ts'
import { type Lifetime, SHORT_WATCH, type Span } from './step.ts'

/** What a reflector makes of what it meets: how long a stream lived, whether an object can be stored, what to count. */

/** Seconds. */
const GOOD_WATCH = 10

/** Events tell a stream that was cut from a request that nobody answered for as long. */
export function lifetimeOf(seconds: number, events: number): Lifetime {
  if (seconds >= GOOD_WATCH || (events > 0 && seconds >= SHORT_WATCH)) return 'well'
  return events > 0 || seconds >= SHORT_WATCH ? 'briefly' : 'not'
}

export function spanOf(seconds: number, events: number): Span {
  if (seconds >= SHORT_WATCH) return 'a while'
  return events > 0 ? 'a moment' : 'nothing'
}

export function whatIsWrong(object: KubeObject, expected: ReflectorOptions['expectedType']): string | undefined {
  if (typeof object?.metadata?.name !== 'string' || object.metadata.name === '') return 'has no metadata.name'
  // Items of a list often carry neither: they are known to be of the list's kind.
  if (!expected || object.kind === undefined || object.kind === '') return undefined
  if (object.kind === expected.kind && object.apiVersion === expected.apiVersion) return undefined
  return `is ${object.apiVersion} ${object.kind} instead of ${expected.apiVersion} ${expected.kind}`
}

export function streamError(status: Parameters<typeof apiError>[0], name: string) {
  return apiError(status, { request: { method: 'GET', path: `(watch of ${name})` } })
}

export function figures({ metrics }: Runtime) {
  return {
    lists: metrics.counter('reflector_lists_total', 'Lists that were begun', ['name']),
    watches: metrics.counter('reflector_watches_total', 'Watches that were begun', ['name']),
    failures: metrics.counter('reflector_failures_total', 'Lists and watches that failed', ['name', 'kind']),
    listDuration: metrics.histogram('reflector_list_duration_seconds', 'How long lists took', ['name']),
    listItems: metrics.histogram(
      'reflector_items_per_list',
      'Objects in a list',
      ['name'],
      [0, 10, 100, 1e3, 1e4, 1e5],
    ),
  }
}

export function alreadyRunning(name: string): BinnacleError {
  return new BinnacleError('BIN_STATE', {
    message: `${name} is running already`,
    hint: 'One reflector feeds one store by one watch: make another one.',
  })
}
