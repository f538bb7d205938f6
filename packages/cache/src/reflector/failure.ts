import { APIError, LoginError, NetworkError, type Status, seconds } from '@binnacle/core'

/**
 * What a failed list or watch means for what to do next.
 * `expired`: the server has forgotten our version. `too-large`: it has never heard of it. `throttled`: come back later. `unreachable`: no
 * answer. `unsupported`: it does not know this kind of request. `refused`: it will not, and asking again changes nothing by itself.
 * `passing`: an internal error of the server that is to be waited out. `broken`: anything else. `fatal`: there is no use in going on.
 */
export type FailureKind =
  | 'expired'
  | 'too-large'
  | 'throttled'
  | 'unreachable'
  | 'unsupported'
  | 'refused'
  | 'passing'
  | 'broken'
  | 'fatal'

export interface Failure {
  readonly kind: FailureKind
  readonly error: unknown
  /** Seconds that the server asked us to wait. */
  readonly retryAfter: number
}

export function failureOf(error: unknown): Failure {
  return { kind: kindOf(error), error, retryAfter: retryAfterOf(error) }
}

function kindOf(error: unknown): FailureKind {
  if (error instanceof LoginError) return 'fatal'
  if (error instanceof NetworkError) return 'unreachable'
  if (error instanceof APIError) return kindOfStatus(error.status)
  return 'broken'
}

function kindOfStatus(status: Status): FailureKind {
  if (isTooLarge(status)) return 'too-large'
  switch (status.code) {
    case 410:
      return 'expired'
    case 429:
      return 'throttled'
    case 400:
    case 422:
      return 'unsupported'
    case 401:
    case 403:
    case 404:
    case 405:
      return 'refused'
    default:
      return status.reason === 'Expired' || status.reason === 'Gone' ? 'expired' : 'broken'
  }
}

/** Newer servers say it in a cause, older ones in the message only, in two forms. */
function isTooLarge({ message, details }: Status): boolean {
  if (details?.causes?.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true
  return /too large resource version/i.test(message ?? '')
}

function retryAfterOf(error: unknown): number {
  if (!(error instanceof APIError)) return 0
  return error.retryAfter === undefined ? (error.status.details?.retryAfterSeconds ?? 0) : seconds(error.retryAfter)
}

/** Whether the server says that something went wrong within it. */
export function isInternal({ error }: Failure): boolean {
  return error instanceof APIError && error.code === 500
}
