/**
 * Kubernetes' error answers: Status objects with code, reason and details as the API server words them.
 * Asymmetry on purpose: NotFound, Forbidden and Conflict name the resource ("widgets") in details.kind, Invalid names the Kind.
 */
import type { JsonObject } from '../json.ts'

export interface Cause {
  readonly reason?: string
  readonly message: string
  readonly field?: string
}

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly Cause[]
  readonly retryAfterSeconds?: number
}

/** What an error is about: a resource of a group. */
export interface Subject {
  readonly group: string
  readonly plural: string
  readonly kind: string
}

/** Thrown anywhere in a request, and answered as a Status. */
export class StatusError extends Error {
  readonly code: number
  readonly reason: string | undefined
  readonly details: StatusDetails | undefined
  /** Only for an expired continue token: the token that goes on without consistency. */
  readonly continue: string | undefined

  constructor(code: number, reason: string | undefined, message: string, details?: StatusDetails, token?: string) {
    super(message)
    this.name = 'StatusError'
    this.code = code
    this.reason = reason
    this.details = details
    this.continue = token
  }

  status(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continue === undefined ? {} : { continue: this.continue },
      status: 'Failure',
      message: this.message,
      ...(this.reason === undefined ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details as JsonObject }),
      code: this.code,
    }
  }
}

/** Thrown for paths that belong to nobody: answered as plain text, as the Go multiplexer does. */
export class PageNotFound extends Error {
  constructor() {
    super('404 page not found')
    this.name = 'PageNotFound'
  }
}

const qualified = (name: string, group: string) => (group === '' ? name : `${name}.${group}`)
const about = (subject: Subject, name: string | undefined): StatusDetails => ({
  ...(name === undefined || name === '' ? {} : { name }),
  ...(subject.group === '' ? {} : { group: subject.group }),
  kind: subject.plural,
})

export const badRequest = (message: string) => new StatusError(400, 'BadRequest', message)

export function notFound(subject: Subject, name: string): StatusError {
  const message = `${qualified(subject.plural, subject.group)} "${name}" not found`
  return new StatusError(404, 'NotFound', message, about(subject, name))
}

/** An unknown resource or version inside a group that exists. */
export const unknownResource = () =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {})

export function methodNotAllowed(): StatusError {
  return new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})
}

export function verbNotSupported(subject: Subject, verb: string): StatusError {
  const message = `${verb} is not supported on resources of kind "${qualified(subject.plural, subject.group)}"`
  return new StatusError(405, 'MethodNotAllowed', message, about(subject, undefined))
}

export function alreadyExists(subject: Subject, name: string, deleting: boolean): StatusError {
  const prefix = deleting ? 'object is being deleted: ' : ''
  const message = `${prefix}${qualified(subject.plural, subject.group)} "${name}" already exists`
  return new StatusError(409, 'AlreadyExists', message, about(subject, name))
}

export function conflict(subject: Subject, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(subject.plural, subject.group)} "${name}": ${why}`
  return new StatusError(409, 'Conflict', message, about(subject, name))
}

export const modifiedMeanwhile = (subject: Subject, name: string) =>
  conflict(subject, name, 'the object has been modified; please apply your changes to the latest version and try again')

export function forbidden(subject: Subject, name: string, why: string, causes?: readonly Cause[]): StatusError {
  const message = `${qualified(subject.plural, subject.group)} "${name}" is forbidden: ${why}`
  return new StatusError(403, 'Forbidden', message, { ...about(subject, name), ...(causes ? { causes } : {}) })
}

/** What somebody wanted and may not, in the words of permissions. */
export interface Wanted {
  readonly group: string
  readonly resource: string
  readonly name: string
}

/** Answered at the door, with the header that the door adds. */
export class AccessRefusal extends StatusError {}

export function forbiddenAccess({ group, resource, name }: Wanted, why: string): StatusError {
  const what = `${qualified(resource, group)}${name === '' ? '' : ` "${name}"`}`
  return new AccessRefusal(403, 'Forbidden', resource === '' ? `forbidden: ${why}` : `${what} is forbidden: ${why}`, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(resource === '' ? {} : { kind: resource }),
  })
}

export const unauthorized = () => new StatusError(401, 'Unauthorized', 'Unauthorized')

export function invalid(subject: { group: string; kind: string }, name: string, causes: readonly Cause[]): StatusError {
  // A cause that is told twice is said once.
  const lines = [...new Set(causes.map((cause) => `${cause.field}: ${cause.message}`))]
  const list = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`
  return new StatusError(422, 'Invalid', `${qualified(subject.kind, subject.group)} "${name}" is invalid: ${list}`, {
    ...(name === '' ? {} : { name }),
    ...(subject.group === '' ? {} : { group: subject.group }),
    ...(subject.kind === '' ? {} : { kind: subject.kind }),
    causes,
  })
}

/** Query parameters and delete options that contradict themselves: 422 of a kind in meta.k8s.io. */
export const invalidOptions = (kind: string, causes: readonly Cause[]) =>
  invalid({ group: 'meta.k8s.io', kind }, '', causes)

/** A failure that the API server does not translate: no reason, only the bare words of the layer below. */
export const bareFailure = (message: string) => new StatusError(500, undefined, message)

/** Discovery tells of it, because clients look for it there; nobody is behind it. */
export function needsNode(subject: Subject, subresource: string): StatusError {
  const message = `${subject.plural}/${subresource} needs a part of a cluster that the embedded one does not have`
  return new StatusError(501, 'NotImplemented', message, about(subject, undefined))
}

export const unsupportedMediaType = (message: string) => new StatusError(415, 'UnsupportedMediaType', message)
export const notAcceptable = (message: string, details?: StatusDetails) =>
  new StatusError(406, 'NotAcceptable', message, details)
export const tooLarge = (message: string) =>
  new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`)

export function tooLargeVersion(wanted: number, current: number): StatusError {
  return new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  })
}

/** A kind whose definition has just changed. */
export const initializing = () =>
  new StatusError(429, 'TooManyRequests', 'storage is (re)initializing', { retryAfterSeconds: 1 })

export const expired = (message: string, token?: string) => new StatusError(410, 'Expired', message, undefined, token)
export const tooOld = (version: number, oldest: number) => expired(`too old resource version: ${version} (${oldest})`)

export function internalError(message: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })
}
