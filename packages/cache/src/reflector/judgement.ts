import { apiError, BinnacleError, type KubeObject, type Runtime, seconds, type WatchOptions } from '@binnacle/core'
import type { ReflectorOptions } from './reflector-options.ts'
import { type Lifetime, SHORT_WATCH, type Span } from './step.ts'

/** What a reflector makes of what it meets: how long a stream may live and has lived, whether an object can be stored, what to count. */

/** Seconds. */
const GOOD_WATCH = 10
const SHORTEST_WATCH_TIMEOUT = 300

export function fateOf(lasted: number, events: number): { readonly lived: Lifetime; readonly lasted: number } {
  return { lived: lifetimeOf(lasted, events), lasted }
}

/** Events tell a stream that was cut from a request that nobody answered for as long. */
function lifetimeOf(seconds: number, events: number): Lifetime {
  if (seconds >= GOOD_WATCH || (events > 0 && seconds >= SHORT_WATCH)) return 'well'
  return events > 0 || seconds >= SHORT_WATCH ? 'briefly' : 'not'
}

export function spanOf(seconds: number, events: number): Span {
  if (seconds >= SHORT_WATCH) return 'a while'
  return events > 0 ? 'a moment' : 'nothing'
}

/** How long a watch may go on, spread by chance so that many do not end together, and how long it may be silent. */
export function patienceOf(
  { minWatchTimeout, inactivityTimeout }: ReflectorOptions,
  random: () => number,
): WatchOptions {
  const shortest = Math.max(SHORTEST_WATCH_TIMEOUT, seconds(minWatchTimeout ?? 0))
  const serverTimeout = Math.floor(shortest * (1 + random()))
  return { serverTimeout, ...(inactivityTimeout !== undefined && { inactivityTimeout }) }
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
