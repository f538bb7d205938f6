/** A request and its answer, before and after any socket: the listener and the in-process transport speak the same. */
import type { Peer } from '../access/authenticator.ts'
import type { ImpersonationHeaders } from '../access/impersonation.ts'
import { bytesOf, printJson } from '../json.ts'
import type { ByteStream } from './byte-stream.ts'

export interface Call {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
  readonly signal: AbortSignal
  /** Who is at the other end, as far as the connection tells. */
  readonly peer: Peer
  /** Whom to act as; empty for nobody else. */
  readonly impersonation: ImpersonationHeaders
  /** Gathered on the way, sent as Warning headers. */
  readonly warnings: string[]
  /** Keys that came twice in the body, until they are reported. */
  readonly duplicates: string[]
  /** Unknown fields of the metadata of a custom object, until they are reported. */
  readonly unknown: string[]
}

export interface Answer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array | ByteStream
}

const uncached = 'no-cache, private'

export function jsonAnswer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return bytesAnswer(status, 'application/json', bytesOf(printJson(body)), headers)
}

export function bytesAnswer(
  status: number,
  type: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const all = new Map([
    ['content-type', type],
    ['cache-control', uncached],
  ])
  for (const [name, value] of Object.entries(headers)) all.set(name, value)
  return { status, headers: all, body }
}

/** Plain text, as the parts of the server answer that are not the API. */
export function textAnswer(status: number, text: string): Answer {
  return bytesAnswer(status, 'text/plain; charset=utf-8', bytesOf(text), { 'x-content-type-options': 'nosniff' })
}

export function streamAnswer(body: ByteStream, type = 'application/json'): Answer {
  const headers = new Map([
    ['content-type', type],
    ['cache-control', uncached],
  ])
  return { status: 200, headers, body }
}
