/**
 * The one door: sockets and the in-process transport both come through here, so that every request is counted and recorded alike.
 * Guarantees: inFlight counts requests until their answer is known; an open watch does not count.
 */
import type { Peer } from '../access/authenticator.ts'
import type { ImpersonationHeaders } from '../access/impersonation.ts'
import type { Backend } from '../request/backend.ts'
import { handle } from '../request/pipeline.ts'
import { RequestLog } from '../request/record.ts'
import { recordedName } from '../request/recorded-name.ts'
import { type Answer, type Call, jsonAnswer } from './message.ts'
import { tooLarge } from './status.ts'

export const bodyLimit = 3 * 1024 * 1024

export interface RawRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
  readonly signal: AbortSignal
  /** What the connection tells of the other end. */
  readonly peer: Peer
  /** The headers that may come several times, and whose values may have commas. */
  readonly impersonation: ImpersonationHeaders
  /** The line that it came by: a socket, or an in-process transport. @default 0 */
  readonly connection?: number
}

export interface FrontAnswer extends Answer {
  readonly warnings: readonly string[]
}

/** Where requests are answered. */
export interface Door {
  answer(request: RawRequest): Promise<FrontAnswer>
}

export class Front implements Door {
  readonly log = new RequestLog()
  readonly #backend: Backend
  #inFlight = 0
  #closed = false

  constructor(backend: Backend) {
    this.#backend = backend
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** From now on nothing is answered. */
  close(): void {
    this.#closed = true
  }

  async answer(request: RawRequest): Promise<FrontAnswer> {
    if (this.#closed) throw new Error('The cluster has been stopped; start another one')
    const call = callOf(request)
    const answered = this.log.add({
      verb: 'get',
      path: request.url,
      user: recordedName(call, undefined),
      bytes: request.body,
      at: this.#backend.clock.now(),
    })
    this.#inFlight++
    try {
      const { verb, user, answer } = await this.#handle(call)
      answered(verb, answer.status, this.#backend.access.asks ? user?.name : undefined)
      return { ...answer, warnings: call.warnings }
    } finally {
      this.#inFlight--
    }
  }

  async #handle(call: Call) {
    if (call.body.length > bodyLimit) {
      const status = tooLarge(`limit is ${bodyLimit}`)
      return { verb: 'get' as const, user: undefined, answer: jsonAnswer(413, status.status()) }
    }
    return await handle(this.#backend, call)
  }
}

function callOf(request: RawRequest): Call {
  const at = request.url.indexOf('?')
  return {
    method: request.method,
    path: at === -1 ? request.url : request.url.slice(0, at),
    query: new URLSearchParams(at === -1 ? '' : request.url.slice(at + 1)),
    headers: request.headers,
    body: request.body,
    signal: request.signal,
    peer: request.peer,
    impersonation: request.impersonation,
    warnings: [],
    duplicates: [],
    unknown: [],
  }
}
