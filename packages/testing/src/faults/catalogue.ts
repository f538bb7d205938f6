import {
  type Cluster,
  delay,
  delayEvents,
  dropConnection,
  duplicateEvents,
  type Effect,
  effect,
  endWatch,
  expire,
  type FaultMatch,
  failWatch,
  garble,
  giantLine,
  hideInitialEnd,
  loseResponse,
  refuseConnection,
  reorderEvents,
  repeatBookmark,
  replayEvent,
  respond,
  stall,
  truncate,
  unknownEvent,
  warn,
} from '@binnacle/cluster'
import { BinnacleError } from '@binnacle/core'
import type { Place } from './place.ts'

/** Something that happens to operators in clusters. */
export interface CatalogueFault {
  readonly name: string
  readonly place: Place
  /** Which of the places; all if it is left out. */
  readonly only?: FaultMatch
  readonly effect?: Effect
  /** The process of the operator dies there. */
  readonly kills?: true
  /** The process of the operator is asked to end there, and does; another one takes its place. */
  readonly terminates?: true
  /** For so many seconds nothing gets through between the operator and the cluster. */
  readonly parts?: number
  /** From there on, and not once. */
  readonly lasting?: true
  /** What else happens to the cluster. */
  readonly act?: (cluster: Cluster) => void
  /** A handler that was under way may run once more: what it did was not acknowledged. */
  readonly mayRepeat?: true
  /** It keeps a write or its answer back for longer than an operator that is asked to end waits. */
  readonly withholds?: true
}

const busy = respond(503, { retryAfter: '2s' })

/** What the server knew half a minute ago, as one that lags behind tells it to who is content with any state. */
const past = effect({ kind: 'answer from the past', secondsAgo: 30 })

/** A process that has died, or has to forget what it did: at-least-once is all that can be promised then. */
const doubtful = { mayRepeat: true } as const

/** Who lives on waits for the answer, and repeats nothing; who has to end meanwhile leaves his write in doubt. */
const withheld = { withholds: true } as const

export const CATALOGUE: readonly CatalogueFault[] = [
  { name: 'crash-after-write', place: 'written', kills: true, ...doubtful },
  { name: 'crash-before-response', place: 'write', kills: true, effect: warn('killed'), ...doubtful },
  { name: 'crash-after-handler', place: 'run', kills: true, ...doubtful },
  { name: 'crash-on-event', place: 'event', kills: true, ...doubtful },
  { name: 'terminated-after-write', place: 'written', terminates: true },
  { name: 'terminated-on-event', place: 'event', terminates: true },
  { name: 'partition-at-write', place: 'write', effect: warn('parted'), parts: 90, ...withheld },
  { name: 'partition-on-event', place: 'event', effect: warn('parted'), parts: 90, ...withheld },

  { name: 'lose-response', place: 'write', effect: loseResponse() },
  { name: 'timeout-after-commit', place: 'write', effect: respond(504, { after: 'commit' }) },
  {
    name: 'leader-change-after-commit',
    place: 'write',
    effect: respond(500, { after: 'commit', message: 'etcdserver: leader changed' }),
  },
  { name: 'garbled-response', place: 'write', effect: garble() },
  { name: 'truncated-response', place: 'write', effect: truncate(10) },
  { name: 'stalled-response', place: 'write', effect: stall({ after: 'commit' }), ...withheld },
  { name: 'slow-response', place: 'write', effect: delay('20s', { after: 'commit' }), ...withheld },

  { name: 'conflict', place: 'write', effect: respond(409) },
  { name: 'invalid', place: 'write', effect: respond(422) },
  // Refused for good: how far the handlers have come cannot be written down, so they run again once it can.
  { name: 'too-large', place: 'write', effect: respond(413), ...doubtful },
  { name: 'unauthorized', place: 'write', effect: respond(401) },
  { name: 'forbidden', place: 'write', effect: respond(403) },
  { name: 'too-many-requests', place: 'write', effect: respond(429) },
  { name: 'too-many-requests-retry-after', place: 'write', effect: respond(429, { retryAfter: '5s' }) },
  { name: 'internal-error', place: 'write', effect: respond(500) },
  { name: 'bad-gateway', place: 'write', effect: respond(502, { as: 'html' }) },
  { name: 'unavailable', place: 'write', effect: busy },
  { name: 'reset-before-commit', place: 'write', effect: dropConnection() },
  { name: 'refused', place: 'write', effect: refuseConnection() },
  { name: 'half-open', place: 'write', effect: stall(), ...withheld },
  { name: 'slow-request', place: 'write', effect: delay('20s'), ...withheld },
  {
    name: 'server-restart',
    place: 'write',
    effect: warn('restarting'),
    act: ({ actor }) => void actor.restart(),
  },

  { name: 'watch-ends', place: 'event', effect: endWatch() },
  { name: 'watch-reset', place: 'event', effect: dropConnection() },
  { name: 'watch-expired', place: 'event', effect: expire() },
  { name: 'watch-error', place: 'event', effect: failWatch(500) },
  { name: 'watch-forgets', place: 'event', effect: dropConnection(), act: ({ actor }) => actor.compact() },
  { name: 'watch-silent', place: 'event', effect: stall() },
  { name: 'event-twice', place: 'event', effect: duplicateEvents() },
  { name: 'event-late', place: 'event', effect: delayEvents('30s') },
  { name: 'event-replayed', place: 'event', effect: replayEvent() },
  { name: 'events-reordered', place: 'event', effect: reorderEvents() },
  { name: 'event-garbled', place: 'event', effect: garble() },
  { name: 'event-unknown', place: 'event', effect: unknownEvent() },
  { name: 'event-giant', place: 'event', effect: giantLine(1_000_000) },
  { name: 'bookmark-storm', place: 'event', only: { event: 'BOOKMARK' }, effect: repeatBookmark(20) },

  { name: 'read-refused', place: 'read', effect: respond(500) },
  { name: 'read-throttled', place: 'read', effect: respond(429, { retryAfter: '1s' }) },
  { name: 'read-forbidden', place: 'read', effect: respond(403) },
  { name: 'list-not-served', place: 'read', only: { verb: 'list' }, effect: respond(404) },
  { name: 'list-expired', place: 'read', only: { verb: 'list' }, effect: expire({ as: 'answer' }) },
  { name: 'read-slow', place: 'read', effect: delay('20s') },
  { name: 'read-reset', place: 'read', effect: dropConnection({ afterBytes: 100 }) },
  { name: 'read-garbled', place: 'read', effect: garble() },
  { name: 'watch-refused', place: 'watch', effect: respond(503) },
  { name: 'watch-forbidden', place: 'watch', effect: respond(403) },
  { name: 'watch-not-served', place: 'watch', effect: respond(404) },
  { name: 'watch-stale', place: 'watch', only: { since: 'zero' }, effect: past },
  { name: 'watch-throttled', place: 'watch', effect: respond(429) },
  { name: 'watch-half-open', place: 'watch', effect: stall() },
  { name: 'watch-too-old', place: 'watch', effect: expire({ as: 'answer' }) },
  { name: 'no-initial-events', place: 'watch', only: { initialEvents: true }, effect: respond(422), lasting: true },
  { name: 'initial-events-never-end', place: 'watch', only: { initialEvents: true }, effect: hideInitialEnd() },
]

const byName: ReadonlyMap<string, CatalogueFault> = new Map(CATALOGUE.map((fault) => [fault.name, fault]))

export function catalogueFault(name: string): CatalogueFault {
  const found = byName.get(name)
  if (found) return found
  throw new BinnacleError('BIN_EXPECTATION', {
    message: `No fault is called "${name}"`,
    hint: `There are: ${[...byName.keys()].join(', ')}.`,
  })
}
