/**
 * The one door: sockets and the in-process transport both come through here, so that every request is counted and recorded alike.
 * Guarantees: inFlight counts requests until their answer is known; an open watch does not count.
 */
import { authenticate } from '../request/authenticate.ts'
import type { Backend } from '../request/backend.ts'
import { handle } from '../request/pipeline.ts'
import { RequestLog } from '../request/record.ts'
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
      user: authenticate(call).name,
      bytes: request.body,
      at: this.#backend.clock.now(),
    })
    this.#inFlight++
    try {
      const { verb, answer } = await this.#handle(call)
      answered(verb, answer.status)
      return { ...answer, warnings: call.warnings }
    } finally {
      this.#inFlight--
    }
  }

  async #handle(call: Call) {
    if (call.body.length > bodyLimit) {
      const status = tooLarge(`limit is ${bodyLimit}`)
      return { verb: 'get' as const, answer: jsonAnswer(413, status.status()) }
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
    warnings: [],
    duplicates: [],
  }
}
