import type { Duration } from './duration.ts'
import { BinnacleError } from './errors.ts'

/** The Status object of a failed request. */
export interface Status {
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly details?: {
    readonly name?: string
    readonly group?: string
    readonly kind?: string
    readonly retryAfterSeconds?: number
    readonly causes?: readonly StatusCause[]
  }
}
export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

export interface APIErrorContext {
  /** What was asked for, and the server's words. @default the words of the status alone */
  readonly message?: string | undefined
  readonly request: { readonly method: string; readonly path: string }
  readonly retryAfter?: Duration | undefined
  readonly hint?: string | undefined
}

/** The server answered and refused. Sub-classes exist for what callers tell apart; `hint` says what to do about it. */
export class APIError extends Error {
  override readonly name: string = 'APIError'
  readonly code: number
  readonly reason: string
  readonly status: Status
  readonly retryAfter: Duration | undefined
  readonly hint: string | undefined
  readonly request: { readonly method: string; readonly path: string }

  constructor(status: Status, context: APIErrorContext) {
    super(context.message ?? status.message)
    this.code = status.code
    this.reason = status.reason
    this.status = status
    this.retryAfter = context.retryAfter
    this.hint = context.hint
    this.request = context.request
  }
}
export class BadRequestError extends APIError {
  override readonly name = 'BadRequestError'
}
/** 401. The client has already tried to renew the credentials. */
export class UnauthorizedError extends APIError {
  override readonly name = 'UnauthorizedError'
}
/** 403. `hint` prints the missing RBAC rule. Never retried by itself. */
export class ForbiddenError extends APIError {
  override readonly name = 'ForbiddenError'
}
export class NotFoundError extends APIError {
  override readonly name = 'NotFoundError'
}
/** 409 with the reason Conflict: the resource version is not current any more. */
export class ConflictError extends APIError {
  override readonly name = 'ConflictError'
}
/** 409 with the reason AlreadyExists. */
export class AlreadyExistsError extends APIError {
  override readonly name = 'AlreadyExistsError'
}
/** 410, in both of its reasons (Gone, Expired): list again. */
export class ExpiredError extends APIError {
  override readonly name = 'ExpiredError'
}
/** 422. `status.details.causes` names the fields. */
export class InvalidError extends APIError {
  override readonly name = 'InvalidError'
}
export class TooManyRequestsError extends APIError {
  override readonly name = 'TooManyRequestsError'
}
/** 5xx. */
export class ServerError extends APIError {
  override readonly name = 'ServerError'
}

/** The error class that a Status stands for. */
export function apiError(status: Status, context: APIErrorContext): APIError {
  return new (classOf(status))(status, context)
}

function classOf({ code, reason }: Status): new (status: Status, context: APIErrorContext) => APIError {
  switch (code) {
    case 400:
      return BadRequestError
    case 401:
      return UnauthorizedError
    case 403:
      return ForbiddenError
    case 404:
      return NotFoundError
    case 409:
      return reason === 'AlreadyExists' ? AlreadyExistsError : ConflictError
    case 410:
      return ExpiredError
    case 422:
      return InvalidError
    case 429:
      return TooManyRequestsError
    default:
      return code >= 500 ? ServerError : APIError
  }
}

/** No answer: connection refused or lost, or the deadline passed. A write may have happened all the same. */
export class NetworkError extends BinnacleError {
  override readonly name = 'NetworkError'
  readonly mayHaveCommitted: boolean

  constructor(options: { message: string; hint?: string; cause?: unknown; mayHaveCommitted: boolean }) {
    super('BIN_NETWORK', options)
    this.mayHaveCommitted = options.mayHaveCommitted
  }
}
/** No credentials are left and none can be had. Ends the operator. */
export class LoginError extends BinnacleError {
  override readonly name = 'LoginError'

  constructor(options: { message: string; hint?: string; cause?: unknown }) {
    super('BIN_LOGIN', options)
  }
}
/** The kubeconfig cannot be read; the message names file and field. */
export class KubeConfigError extends BinnacleError {
  override readonly name = 'KubeConfigError'

  constructor(options: { message: string; hint?: string; cause?: unknown }) {
    super('BIN_KUBECONFIG', options)
  }
}
