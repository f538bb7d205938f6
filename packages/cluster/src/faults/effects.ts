/**
 * What can go wrong, as data: a plan of faults can be printed, sent and repeated.
 * Durations are numbers of seconds, or text such as '500ms', '10s', '2m'.
 */
import { type Duration, secondsOf } from './duration.ts'

/** `commit`: after the write has happened and before its answer: whoever asked cannot know. */
export interface AfterCommit {
  readonly after?: 'commit'
}

export type Effect = { readonly '~effect': EffectKind['kind'] } & EffectKind

export type EffectKind =
  | ({
      readonly kind: 'respond'
      readonly code: number
      readonly reason?: string
      readonly message?: string
      readonly retryAfter?: number
      readonly as?: 'status' | 'text' | 'html'
    } & AfterCommit)
  | ({ readonly kind: 'delay'; readonly seconds: number } & AfterCommit)
  | { readonly kind: 'lose response' }
  | { readonly kind: 'drop connection'; readonly afterBytes?: number }
  | { readonly kind: 'refuse connection' }
  | ({ readonly kind: 'stall' } & AfterCommit)
  | { readonly kind: 'truncate'; readonly bytes: number }
  | { readonly kind: 'garble' }
  | { readonly kind: 'slow down'; readonly bytesPerSecond: number }
  | { readonly kind: 'warn'; readonly text: string }
  | { readonly kind: 'mislabel'; readonly contentType: string }
  | { readonly kind: 'answer from the past'; readonly revision?: number; readonly secondsAgo?: number }
  | { readonly kind: 'end watch' }
  | { readonly kind: 'expire'; readonly as?: 'answer' | 'event' }
  | { readonly kind: 'fail watch'; readonly code: number; readonly message?: string }
  | { readonly kind: 'drop events'; readonly count: number }
  | { readonly kind: 'duplicate events' }
  | { readonly kind: 'delay events'; readonly seconds: number }
  | { readonly kind: 'hold events' }
  | { readonly kind: 'reorder events' }
  | { readonly kind: 'replay event' }
  | { readonly kind: 'repeat bookmark'; readonly count: number }
  | { readonly kind: 'hide initial end' }
  | { readonly kind: 'unknown event' }
  | { readonly kind: 'giant line'; readonly bytes: number }

export function effect(of: EffectKind): Effect {
  return { '~effect': of.kind, ...of }
}

export type RefusalCode = 400 | 401 | 403 | 404 | 409 | 410 | 413 | 415 | 422 | 429 | 500 | 502 | 503 | 504

export interface RespondOptions extends AfterCommit {
  /** @default the one that Kubernetes gives for the code */
  readonly reason?: string
  readonly message?: string
  readonly retryAfter?: Duration
  /** A Status, as the API server answers; or what stands before it: a line of text, a page of a load balancer. @default 'status' */
  readonly as?: 'status' | 'text' | 'html'
}

/** A refusal instead of an answer. */
export function respond(code: RefusalCode, options: RespondOptions = {}): Effect {
  const { retryAfter, ...rest } = options
  return effect({
    kind: 'respond',
    code,
    ...rest,
    ...(retryAfter === undefined ? {} : { retryAfter: secondsOf(retryAfter) }),
  })
}

/** The request is handled later, or its answer comes later. */
export const delay = (duration: Duration, options: AfterCommit = {}): Effect =>
  effect({ kind: 'delay', seconds: secondsOf(duration), ...options })

/** The write happens, the answer does not arrive. */
export const loseResponse = (): Effect => effect({ kind: 'lose response' })

/** The connection breaks: before anything has happened, or, with `afterBytes`, in the middle of the answer. */
export const dropConnection = (options: { readonly afterBytes?: number } = {}): Effect =>
  effect({ kind: 'drop connection', ...options })

/** Nobody listens: the request has certainly not been handled. */
export const refuseConnection = (): Effect => effect({ kind: 'refuse connection' })

/** Nothing is sent any more, and the connection stays open: a request is never answered, a watch gets no event. */
export const stall = (options: AfterCommit = {}): Effect => effect({ kind: 'stall', ...options })

/** The answer ends early, as if it were whole. */
export const truncate = (bytes: number): Effect => effect({ kind: 'truncate', bytes })

/** Bytes that are neither UTF-8 nor JSON: in the answer, or in one line of a watch. */
export const garble = (): Effect => effect({ kind: 'garble' })

/** The answer trickles. */
export const slowDown = (bytesPerSecond: number): Effect => effect({ kind: 'slow down', bytesPerSecond })

/** One more Warning header. */
export const warn = (text: string): Effect => effect({ kind: 'warn', text })

/** The answer says that it is something else. */
export const mislabel = (contentType: string): Effect => effect({ kind: 'mislabel', contentType })

/** Lists and initial events show the state at this version, as a server does that lags behind. */
export const answerFromThePast = (resourceVersion: string): Effect =>
  effect({ kind: 'answer from the past', revision: Number(resourceVersion) })

/** The watch ends cleanly: at its start, or in place of the event that was struck. */
export const endWatch = (): Effect => effect({ kind: 'end watch' })

/** The version has been compacted away: 410 as the answer, or within the stream. @default within the stream for watches */
export const expire = (options: { readonly as?: 'answer' | 'event' } = {}): Effect =>
  effect({ kind: 'expire', ...options })

/** An ERROR event with any code, and the end. */
export const failWatch = (code: number, message?: string): Effect =>
  effect({ kind: 'fail watch', code, ...(message === undefined ? {} : { message }) })

/** So many events of the watch are swallowed. No real server does that: what was lost comes back only with a relist. */
export const dropEvents = (count = 1): Effect => effect({ kind: 'drop events', count })

/** Each event twice. */
export const duplicateEvents = (): Effect => effect({ kind: 'duplicate events' })

/** The event comes later, and with it those that follow: their order stays. */
export const delayEvents = (duration: Duration): Effect =>
  effect({ kind: 'delay events', seconds: secondsOf(duration) })

/** Events wait until the fault is over; lists stay fresh. */
export const holdEvents = (): Effect => effect({ kind: 'hold events' })

/** The event comes after the next one. No real server does that. */
export const reorderEvents = (): Effect => effect({ kind: 'reorder events' })

/** An event that was sent before comes once more, after a newer one of whichever object. No real server does that. */
export const replayEvent = (): Effect => effect({ kind: 'replay event' })

/** The bookmark comes so many times. */
export const repeatBookmark = (count: number): Effect => effect({ kind: 'repeat bookmark', count })

/** The bookmark that ends the initial events never comes. */
export const hideInitialEnd = (): Effect => effect({ kind: 'hide initial end' })

/** An event of a type that nobody knows comes before. */
export const unknownEvent = (): Effect => effect({ kind: 'unknown event' })

/** The line grows by so many bytes of blanks. */
export const giantLine = (bytes: number): Effect => effect({ kind: 'giant line', bytes })
