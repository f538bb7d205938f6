/**
 * The cluster without a socket: the same answers, by function call.
 * Guarantees: nothing waits for real I/O or a real timer; an aborted signal ends a request or a stream at once with its reason.
 */
import { setMaxListeners } from 'node:events'
import type { ImpersonationHeaders } from '../access/impersonation.ts'
import { administrator, authenticated, type User } from '../access/user.ts'
import { ByteStream } from './byte-stream.ts'
import type { Door, FrontAnswer } from './front.ts'

/** A request as the client's transport makes it. */
export interface TransportRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: Uint8Array
  readonly signal: AbortSignal
}

export interface TransportResponse<Body> {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Body
}

export interface Transport extends AsyncDisposable {
  /** The whole answer. Of a watch: all that comes until it ends. */
  request(request: TransportRequest): Promise<TransportResponse<Uint8Array>>
  /** The answer's body as it comes. */
  stream(request: TransportRequest): Promise<TransportResponse<AsyncIterable<Uint8Array>>>
}

export interface TransportOptions {
  /** Sent with requests that name none. @default 'in-process' */
  readonly userAgent?: string
  /** Who asks, believed without credentials; a request with an Authorization header is judged by that. @default the administrator */
  readonly user?: TransportUser
}

/** A user as one writes him down. */
export interface TransportUser {
  readonly name: string
  /** @default [] */
  readonly groups?: readonly string[]
  readonly uid?: string
}

export class InProcessTransport implements Transport {
  readonly #door: Door
  readonly #connection: number
  readonly #userAgent: string
  readonly #user: User
  readonly #disposed = new AbortController()
  readonly #streams = new Set<ByteStream>()

  constructor(door: Door, options: TransportOptions = {}, connection = 0) {
    this.#door = door
    this.#connection = connection
    setMaxListeners(0, this.#disposed.signal)
    this.#userAgent = options.userAgent ?? 'in-process'
    this.#user = options.user ? authenticated({ groups: [], ...options.user }) : administrator
  }

  async request(request: TransportRequest): Promise<TransportResponse<Uint8Array>> {
    const answer = await this.#answer(request)
    return { ...head(answer), body: answer.body instanceof ByteStream ? await collected(answer.body) : answer.body }
  }

  async stream(request: TransportRequest): Promise<TransportResponse<AsyncIterable<Uint8Array>>> {
    const answer = await this.#answer(request)
    return { ...head(answer), body: answer.body instanceof ByteStream ? answer.body : once(answer.body) }
  }

  async #answer(request: TransportRequest): Promise<FrontAnswer> {
    const { signal } = request
    // A client may well use one signal for a hundred watches: that is no leak, and no reason to warn of one.
    setMaxListeners(0, signal)
    signal.throwIfAborted()
    this.#disposed.signal.throwIfAborted()
    const headers = new Map(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]))
    if (!headers.has('user-agent')) headers.set('user-agent', this.#userAgent)
    const body = request.body ?? new Uint8Array()
    const answer = this.#door.answer({
      ...{ method: request.method, url: request.path, headers, body, signal, connection: this.#connection },
      peer: { trusted: this.#user },
      impersonation: impersonationIn(headers),
    })
    return this.#owned(await unlessAborted(answer, [signal, this.#disposed.signal]))
  }

  #owned(answer: FrontAnswer): FrontAnswer {
    const { body } = answer
    if (body instanceof ByteStream) {
      this.#streams.add(body)
      body.onClose(() => this.#streams.delete(body))
    }
    return answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const reason = new Error('The in-process transport is closed')
    this.#disposed.abort(reason)
    for (const stream of [...this.#streams]) stream.cut(reason)
  }
}

/** Here a header has one value. */
function impersonationIn(headers: ReadonlyMap<string, string>): ImpersonationHeaders {
  const found = new Map<string, readonly string[]>()
  for (const [name, value] of headers) if (name.startsWith('impersonate-')) found.set(name, [value])
  return found
}

function head({ status, headers, warnings }: FrontAnswer) {
  if (warnings.length === 0) return { status, headers }
  return { status, headers: new Map([...headers, ['warning', warnings.map(warningText).join(', ')]]) }
}

/** RFC 7234's form, with the code that Kubernetes uses for everything. */
export const warningText = (text: string) => `299 - "${text.replace(/["\\]/g, '\\$&')}"`

async function collected(stream: ByteStream): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  if (body.length > 0) yield body
}

/** Two listeners instead of AbortSignal.any: a request is short, and a composed signal costs more than the request. */
function unlessAborted<T>(work: Promise<T>, signals: readonly AbortSignal[]): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (event: Event) => reject((event.target as AbortSignal).reason)
    for (const signal of signals) signal.addEventListener('abort', abort)
    work.then(resolve, reject).finally(() => {
      for (const signal of signals) signal.removeEventListener('abort', abort)
    })
  })
}
