import type { Readable } from 'node:stream'
import { BinnacleError, type Duration, KubeConfigError, seconds } from '@binnacle/core'
import { Agent } from 'undici'
import type { ConnectionInfo } from './connection.ts'
import { networkError } from './network-error.ts'

/** The wire. Replaceable: one method for answers, one for streams. */
export interface Transport extends AsyncDisposable {
  request(request: TransportRequest): Promise<TransportAnswer<Uint8Array>>
  stream(request: TransportRequest): Promise<TransportAnswer<AsyncIterable<Uint8Array>>>
}
export interface TransportRequest {
  readonly method: string
  /** Path and query, encoded. */
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: Uint8Array
  readonly signal: AbortSignal
}
export interface TransportAnswer<Body> {
  readonly status: number
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Body
}

/** What a TLS connection needs. */
export interface TlsOptions {
  readonly ca?: Buffer
  readonly cert?: Buffer
  readonly key?: Buffer
  readonly servername?: string
  readonly rejectUnauthorized?: boolean
}

export interface HttpTransportOptions {
  /** How long a connection may take to be made, TLS included. @default '10s' */
  readonly connectTimeout?: Duration
  readonly tls?: TlsOptions
}

/** More than any server wants from one client; each watch holds one. */
const CONNECTIONS = 256
/** An answer to one request, as opposed to a stream. Lists and watches are streams. */
const LARGEST_ANSWER = 256 * 1024 * 1024

/**
 * HTTP/1.1 by one pool of connections that are kept alive.
 * Guarantees: aborting a request frees its connection; leaving a stream closes it; after disposal no socket is left.
 * Does not guarantee: an end by itself: deadlines are the caller's, by the signal.
 */
export function httpTransport(
  connection: Pick<ConnectionInfo, 'server'>,
  options: HttpTransportOptions = {},
): Transport {
  return new HttpTransport(connection, options)
}

class HttpTransport implements Transport {
  readonly #origin: string
  readonly #prefix: string
  readonly #agent: Agent

  constructor(connection: Pick<ConnectionInfo, 'server'>, options: HttpTransportOptions) {
    const url = serverUrl(connection.server)
    this.#origin = url.origin
    this.#prefix = url.pathname.replace(/\/+$/, '')
    this.#agent = new Agent({
      connections: CONNECTIONS,
      connect: { ...options.tls, timeout: seconds(options.connectTimeout ?? 10) * 1000 },
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  async request(request: TransportRequest): Promise<TransportAnswer<Uint8Array>> {
    const answer = await this.stream(request)
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of answer.body) {
      size += chunk.length
      if (size > LARGEST_ANSWER) throw tooLarge(request.path)
      chunks.push(chunk)
    }
    return { ...answer, body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks) }
  }

  async stream(request: TransportRequest): Promise<TransportAnswer<AsyncIterable<Uint8Array>>> {
    if (this.#agent.destroyed) throw closed()
    const { method, headers, signal, body } = request
    const path = `${this.#prefix}${request.path}`
    try {
      const options = { origin: this.#origin, path, headers, signal, body: body ?? null }
      const answer = await this.#agent.request({ ...options, method: method as 'GET' })
      // An abort that nobody is reading at that moment must not end the process as an unhandled 'error' event.
      answer.body.on('error', () => {})
      return {
        status: answer.statusCode,
        headers: headersOf(answer.headers),
        body: this.#reading(answer.body, request),
      }
    } catch (error) {
      throw this.#explained(error, request)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy(closed())
  }

  /** Not a generator: one that was never started would not notice that it is left, and its connection would stay open. */
  #reading(body: Readable, request: TransportRequest): AsyncIterable<Uint8Array> {
    const inner = body[Symbol.asyncIterator]()
    const next = () => inner.next().catch((error: unknown) => Promise.reject(this.#explained(error, request)))
    const leave = async () => {
      body.destroy()
      return { done: true as const, value: undefined }
    }
    return { [Symbol.asyncIterator]: () => ({ next, return: leave }) }
  }

  #explained(error: unknown, request: TransportRequest): unknown {
    if (request.signal.aborted) return request.signal.reason
    return error instanceof BinnacleError
      ? error
      : networkError(error, { address: this.#origin, method: request.method })
  }
}

function serverUrl(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined
  if (url?.username || url?.password) throw credentialsInUrl(url)
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url
  throw new KubeConfigError({
    message: `The address of the server is not a URL: ${JSON.stringify(server)}`,
    hint: 'Write it with its scheme, such as https://10.0.0.1:6443.',
  })
}

function credentialsInUrl(url: URL): KubeConfigError {
  return new KubeConfigError({
    message: `The address of the server, at ${url.host}, contains a user name or a password`,
    hint: 'Give them by username and password of the user instead.',
  })
}

function headersOf(headers: { readonly [name: string]: string | string[] | undefined }): ReadonlyMap<string, string> {
  const map = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) map.set(name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value)
  }
  return map
}

function closed(): BinnacleError {
  return new BinnacleError('BIN_STATE', {
    message: 'The connection to the API server is closed',
    hint: 'A client cannot be used after its disposal; connect anew.',
  })
}

function tooLarge(path: string): BinnacleError {
  return new BinnacleError('BIN_NETWORK', {
    message: `The answer to ${path} has more than ${LARGEST_ANSWER} bytes`,
    hint: 'Read it in pages, or as a stream.',
  })
}
