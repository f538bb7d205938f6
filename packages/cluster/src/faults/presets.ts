/** Faults that come together in the world. Each names the promise of a client that it tries. */
import {
  delay,
  delayEvents,
  dropConnection,
  duplicateEvents,
  endWatch,
  expire,
  loseResponse,
  reorderEvents,
  replayEvent,
  respond,
} from './effects.ts'
import type { FaultMatch } from './match.ts'
import type { Plan } from './rule.ts'

export type PresetName =
  | 'flaky-network'
  | 'rolling-restart'
  | 'etcd-leader-change'
  | 'slow-watch'
  | 'conflict-storm'
  | 'throttled'
  | 'old-server'
  | 'adversarial'

const writes: FaultMatch = { verb: ['create', 'update', 'patch', 'apply', 'delete'] }
const sometimes = (probability: number) => ({ when: 'sometimes', probability }) as const

const presets: Readonly<Record<PresetName, readonly Plan[]>> = {
  // Reads are repeated; a write whose answer was lost is looked at before it is repeated.
  'flaky-network': [
    { match: {}, trigger: sometimes(0.05), effect: dropConnection() },
    { match: writes, trigger: sometimes(0.05), effect: loseResponse() },
    { match: { event: 'any' }, trigger: sometimes(0.02), effect: dropConnection() },
  ],
  // Watches are resumed where they were, or listed anew after a 410; refusals are waited for.
  'rolling-restart': [
    { match: {}, trigger: { when: 'window', from: 0, to: 5 }, effect: respond(503, { retryAfter: 1 }) },
    { match: { event: 'any' }, trigger: sometimes(0.05), effect: dropConnection() },
    { match: { verb: 'watch', since: 'version' }, trigger: sometimes(0.3), effect: expire() },
  ],
  // A write that was answered with an error may have happened.
  'etcd-leader-change': [
    {
      match: writes,
      trigger: sometimes(0.1),
      effect: respond(500, { message: 'etcdserver: leader changed', after: 'commit' }),
    },
    { match: writes, trigger: sometimes(0.1), effect: respond(504, { message: 'etcdserver: request timed out' }) },
  ],
  // Own writes are recognised although the cache lags behind them.
  'slow-watch': [{ match: { event: 'any' }, trigger: { when: 'always' }, effect: delayEvents('2s') }],
  // A conflict is answered by looking again, never by overwriting.
  'conflict-storm': [{ match: { verb: ['update', 'patch', 'apply'] }, trigger: sometimes(0.5), effect: respond(409) }],
  // Retry-After is honoured, and nobody starves.
  throttled: [
    { match: {}, trigger: { when: 'bucket', perSecond: 5, burst: 10 }, effect: respond(429, { retryAfter: 1 }) },
  ],
  // Initial events are not to be had: lists are paged instead.
  'old-server': [
    {
      match: { verb: 'watch', initialEvents: true },
      trigger: { when: 'always' },
      effect: respond(422, {
        message:
          'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
      }),
    },
    { match: { path: '/openapi/v3' }, trigger: { when: 'always' }, effect: respond(404) },
  ],
  // What no server should do: the cache never goes back, and nothing is handled twice.
  adversarial: [
    { match: { event: 'any' }, trigger: sometimes(0.2), effect: duplicateEvents() },
    { match: { event: 'MODIFIED' }, trigger: sometimes(0.1), effect: replayEvent() },
    { match: { event: 'any' }, trigger: sometimes(0.1), effect: reorderEvents() },
    { match: { verb: 'watch' }, trigger: sometimes(0.1), effect: endWatch() },
    { match: writes, trigger: sometimes(0.1), effect: delay('1s', { after: 'commit' }) },
  ],
}

export function presetPlans(name: PresetName): readonly Plan[] {
  const plans = Object.hasOwn(presets, name) ? presets[name] : undefined
  if (plans) return plans
  throw new TypeError(`No preset "${name}". There are: ${Object.keys(presets).join(', ')}.`)
}
