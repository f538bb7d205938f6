import { type APIError, apiError, isPlainObject, type PlainObject, type Status, type StatusCause } from '@binnacle/core'
import type { Subject } from './request.ts'
import { resourceLabel } from './request.ts'

/**
 * The answer of a server that refused → the error that callers tell apart.
 * Guarantees: the message names verb, resource and object and ends with the server's words; whatever the body is, there is an error.
 */

/** What was asked for: the subject of a verb, or method and path of a raw request. */
export type Asked = Subject | { readonly raw: string }

export interface Refusal {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
}

/** Of a body that is no Status, at most this much is quoted. */
const QUOTED = 200

export function errorOf(refusal: Refusal, asked: Asked, request: { method: string; path: string }): APIError {
  const status = statusOf(refusal)
  const words = `${status.message || `the server gave no reason`} (${status.code} ${status.reason})`
  return apiError(status, {
    request,
    message: `Cannot ${describe(asked)}: ${words}`,
    hint: hintOf(status, asked),
    retryAfter: retryAfterOf(refusal.headers, status),
  })
}

/** `get pods "web" in namespace "shop"` */
export function describe(asked: Asked): string {
  if ('raw' in asked) return asked.raw
  const { verb, resource, namespace, name, subresource } = asked
  const what = subresource === undefined ? resourceLabel(resource) : `${resourceLabel(resource)}/${subresource}`
  const object = name === undefined ? what : `${what} "${name}"`
  return `${verb} ${object}${namespace === undefined ? '' : ` in namespace "${namespace}"`}`
}

/** The Status that the server sent, or one made of what it sent instead. */
export function statusOf({ status: code, body }: Pick<Refusal, 'status' | 'body'>): Status {
  const text = Buffer.from(body).toString()
  const sent = parsed(text)
  if (isPlainObject(sent) && sent.kind === 'Status') return statusFrom(sent, code)
  return { code, reason: reasonOf(code), message: quoted(text) }
}

/** A Status of which nothing is sure, as the network brings it. */
export function statusFrom(sent: PlainObject, code: number): Status {
  const details = detailsOf(sent.details)
  return {
    code,
    reason: typeof sent.reason === 'string' && sent.reason !== '' ? sent.reason : reasonOf(code),
    message: typeof sent.message === 'string' ? sent.message : '',
    ...(details && { details }),
  }
}

function detailsOf(details: unknown): Status['details'] {
  if (!isPlainObject(details)) return undefined
  const { name, group, kind, retryAfterSeconds, causes } = details
  return {
    ...(typeof name === 'string' && { name }),
    ...(typeof group === 'string' && { group }),
    ...(typeof kind === 'string' && { kind }),
    ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
    ...(Array.isArray(causes) && { causes: causes.filter(isPlainObject) as readonly StatusCause[] }),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > QUOTED ? `${line.slice(0, QUOTED)}…` : line
}

const REASONS: ReadonlyMap<number, string> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [406, 'NotAcceptable'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [413, 'RequestEntityTooLarge'],
  [415, 'UnsupportedMediaType'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
])

function reasonOf(code: number): string {
  return REASONS.get(code) ?? 'Unknown'
}

/** Seconds; by the header, else by the Status. A date in the header is not used: no API server sends one. */
function retryAfterOf(headers: ReadonlyMap<string, string>, status: Status): number | undefined {
  const header = headers.get('retry-after')
  if (header !== undefined && /^\d{1,9}$/.test(header.trim())) return Number(header)
  return status.details?.retryAfterSeconds
}

function hintOf(status: Status, asked: Asked): string | undefined {
  switch (status.code) {
    case 401:
      return 'The server does not know these credentials: renew the token or the certificate in the kubeconfig.'
    case 403:
      return 'raw' in asked || !isMissingRule(status) ? undefined : ruleHint(status, asked)
    case 404:
      return 'raw' in asked || !isMissingResource(status) ? undefined : missingResourceHint(asked)
    case 409:
      return status.reason === 'Conflict' ? 'Read the object again and repeat the change on what it is now.' : undefined
    case 410:
      return 'The server has forgotten this version: list again.'
    default:
      return undefined
  }
}

/** As opposed to an admission plugin, a quota or a webhook that refused this very object. */
function isMissingRule({ message }: Status): boolean {
  return message === '' || / cannot [a-z]+ /.test(message)
}

function ruleHint(status: Status, { verb, resource, namespace, subresource }: Subject): string {
  const user = /User "([^"]*)"/.exec(status.message)?.[1]
  const role = namespace === undefined ? 'a ClusterRole' : `a Role in namespace "${namespace}" (or a ClusterRole)`
  const what = subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`
  return [
    `Add this rule to ${role} that is bound to ${user === undefined ? 'the user' : `"${user}"`}:`,
    `  - apiGroups: ["${resource.group}"]`,
    `    resources: ["${what}"]`,
    `    verbs: ["${verb}"]`,
  ].join('\n')
}

/** The path is unknown, and not only the object: no Status, or one that says so. */
export function isMissingResource({ code, message, details }: Status): boolean {
  if (code !== 404 || details?.name) return false
  return /could not find the requested resource|404 page not found|^$/.test(message) || details === undefined
}

function missingResourceHint({ resource }: Subject): string {
  const { group, version } = resource
  if (group === '') return 'Is this the address of a Kubernetes API server?'
  return `The server does not serve ${resourceLabel(resource)} in version ${version}: install its CustomResourceDefinition, or correct the version.`
}
