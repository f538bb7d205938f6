import type { ResourceVersion } from '@binnacle/core'
import type { Failure } from './failure.ts'

/**
 * What a reflector does next, given what has just happened. Pure: no request, no clock, no chance.
 * Guarantees: a version that the server has forgotten leads to a list, and nothing that a list cannot tell is lost; every way of failing
 * over and over waits longer each time, but after a stream that was cut later than at once no longer than it had lasted; a server that
 * streams no lists is found out, and asked for pages from then on.
 */
export type State = Pace & Ability & (ListState | WatchState)

export interface ListState {
  readonly at: 'list'
  /** Streamed by a watch, or in pages. */
  readonly by: 'stream' | 'pages'
  /** The newest version that was seen, so that the list does not go back in time. */
  readonly known?: ResourceVersion | undefined
  /** The server knows nothing of that version: take whatever is most recent. */
  readonly mostRecent: boolean
}
export interface WatchState {
  readonly at: 'watch'
  readonly from: ResourceVersion
}
interface Pace {
  /** In a row, with less than the calm time between them. */
  readonly failures: number
  /** How many times in that row it went on without a wait, because a cut or a 410 says nothing bad about the server. */
  readonly excused: number
  readonly failedAt: number
}
interface Ability {
  /** Whether streamed lists are worth trying on this server. */
  readonly canStream: boolean
  /** Streams in a row that ended before the list was complete. */
  readonly cutStreams: number
}

export type Input =
  /** The list is complete, at that version. */
  | { readonly got: 'list'; readonly version: ResourceVersion }
  /** The stream has ended as streams do. */
  | { readonly got: 'end'; readonly version: ResourceVersion; readonly after: Span }
  | Failed
  /** Nothing came for too long on a streamed list: whoever answers does not know such lists. */
  | { readonly got: 'silence' }
  /** The store could not repeat its content. */
  | { readonly got: 'resync-failure'; readonly version: ResourceVersion }

/** A request failed. */
interface Failed {
  readonly got: 'failure'
  readonly version?: ResourceVersion | undefined
  readonly failure: Failure
  readonly lived: Lifetime
  /** Seconds from the request to its failure. */
  readonly lasted: number
}

/** Seconds. What ends earlier has ended at once. */
export const SHORT_WATCH = 1

/** Of a stream that has ended: within a second and without a single event; within a second all the same; or later. */
export type Span = 'nothing' | 'a moment' | 'a while'

/** Of a stream: it was never answered; it may have been; or it lasted so long, or brought so much, that its end says nothing bad about the server. */
export type Lifetime = 'not' | 'briefly' | 'well'

export interface Decision {
  readonly state: State
  readonly wait?: Wait
}

/** Before the next request. `attempt` counts from 0 and makes the wait grow; the limits are in seconds. */
export interface Wait {
  readonly attempt: number
  readonly atLeast: number
  readonly atMost: number
}

export function initialState(canStream: boolean): State {
  return {
    at: 'list',
    by: canStream ? 'stream' : 'pages',
    mostRecent: false,
    canStream,
    cutStreams: 0,
    failures: 0,
    excused: 0,
    failedAt: Number.NEGATIVE_INFINITY,
  }
}

/** `now`: seconds of a clock that only grows. `calm`: seconds without a failure after which earlier ones are forgotten. */
export function step(state: State, input: Input, now: number, calm: number): Decision {
  const rested = now - state.failedAt > calm ? { ...state, failures: 0, excused: 0 } : state
  return rested.at === 'list' ? whileListing(rested, input, now) : whileWatching(rested, input, now)
}

function whileListing(state: State & ListState, input: Input, now: number): Decision {
  switch (input.got) {
    case 'list':
      return { state: { ...kept(state), cutStreams: 0, at: 'watch', from: input.version } }
    case 'silence':
      return { state: { ...state, canStream: false, by: 'pages' } }
    case 'end':
      // Cut once, it may have been an accident; cut twice, somebody between us and the server does not like long answers.
      return later({ ...state, cutStreams: state.cutStreams + 1, by: state.cutStreams > 0 ? 'pages' : state.by }, now)
    case 'failure':
      return listFailed(state, input.failure, now)
    case 'resync-failure':
      return { state }
  }
}

function listFailed(state: State & ListState, failure: Failure, now: number): Decision {
  switch (failure.kind) {
    case 'expired':
    case 'too-large':
      return state.mostRecent ? later(state, now) : { state: { ...state, mostRecent: true } }
    case 'throttled':
    case 'unreachable':
    case 'fatal':
      return later(state, now, failure.retryAfter)
    default:
      if (state.by === 'pages') return later({ ...state, by: usual(state) }, now, failure.retryAfter)
      return { state: { ...state, by: 'pages', canStream: state.canStream && failure.kind !== 'unsupported' } }
  }
}

function whileWatching(state: State & WatchState, input: Input, now: number): Decision {
  switch (input.got) {
    case 'list':
      return { state: { ...state, from: input.version } }
    case 'end':
      return watchEnded({ ...state, from: input.version }, input.after, now)
    case 'failure':
      return watchFailed({ ...state, from: input.version ?? state.from }, input, now)
    case 'resync-failure':
      return later(relist(state, input.version), now)
    case 'silence':
      return { state }
  }
}

/** A clean end is normal. One at once is a broken proxy and would make us spin; if not a single event gets through it, only lists do. */
function watchEnded(state: State & WatchState, after: Span, now: number): Decision {
  if (after === 'nothing') return later(relist(state, state.from), now)
  return after === 'a moment' ? soon(state, now) : { state }
}

function watchFailed(state: State & WatchState, { failure, lived, lasted }: Failed, now: number): Decision {
  switch (failure.kind) {
    case 'expired':
      return soon(relist(state, state.from), now)
    case 'too-large':
      return soon({ ...relist(state, undefined), mostRecent: true }, now)
    case 'throttled':
    case 'passing':
    case 'fatal':
      return later(state, now, failure.retryAfter)
    case 'unreachable':
      if (lived === 'well') return { state }
      if (lived === 'not') return later(state, now)
      return lasted < SHORT_WATCH ? soon(state, now) : soon(state, now, lasted)
    default:
      return later(relist(state, state.from), now, failure.retryAfter)
  }
}

function relist(state: State, known: ResourceVersion | undefined): State & ListState {
  return { ...kept(state), at: 'list', by: usual(state), known, mostRecent: false }
}

function usual(state: State): 'stream' | 'pages' {
  return state.canStream ? 'stream' : 'pages'
}

function kept({ failures, excused, failedAt, canStream, cutStreams }: State): Pace & Ability {
  return { failures, excused, failedAt, canStream, cutStreams }
}

/** After a wait. */
function later(state: State, now: number, atLeast = 0, atMost = Number.POSITIVE_INFINITY): Decision {
  return {
    state: { ...state, failures: state.failures + 1, failedAt: now },
    wait: { attempt: state.failures, atLeast, atMost },
  }
}

/** At once if there was no such trouble for a long time, else after a wait. A cut and the 410 that follows it are one trouble: two are excused. */
function soon(state: State, now: number, atMost?: number): Decision {
  if (state.excused >= 2) return later(state, now, 0, atMost)
  return { state: { ...state, excused: state.excused + 1, failedAt: now } }
}
