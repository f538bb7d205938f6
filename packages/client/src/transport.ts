import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { BinnacleError, type Duration, KubeConfigError } from '@binnacle/core'
import type { Dispatcher } from 'undici'
import { type Agents, agentsOf } from './agent.ts'
import { inflated } from './compression.ts'
import type { ConnectionInfo } from './connection.ts'
import { isRefusedCertificate, networkError } from './network-error.ts'
import { fixedTls, type TlsOptions, type TlsSource } from './tls.ts'

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

export interface HttpTransportOptions {
  /** How long a connection may take to be made, TLS included. @default '10s' */
  readonly connectTimeout?: Duration
  readonly tls?: TlsSource
  /** Sent with every request: names and values in turn, since a name may repeat. */
  readonly headers?: readonly string[]
  /** What the server may do with large answers. @default 'none' */
  readonly compression?: Compression
}

/** `'gzip'` costs both sides time and spares the network: worth it from far away, not from within the cluster. */
export type Compression = 'none' | 'gzip'

/** An answer to one request, as opposed to a stream. Lists and watches are streams. */
const LARGEST_ANSWER = 64 * 1024 * 1024

/** So many bytes may wait to be read before the socket has to. Less would stop and start it at nearly every read. */
const AHEAD = 256 * 1024

/**
 * HTTP/1.1 by connections that are kept alive: one pool of them for answers, one for streams.
 * Guarantees: aborting a request frees its connection; leaving a stream closes it; after disposal no socket is left. When certificates
 * have rotated, new requests go by new connections; what is under way ends on the old ones.
 * Does not guarantee: an end by itself: deadlines are the caller's, by the signal.
 */
export function httpTransport(
  connection: Pick<ConnectionInfo, 'server' | 'proxyUrl'>,
  options: HttpTransportOptions = {},
): Transport {
  return new HttpTransport(connection, options)
}

class HttpTransport implements Transport {
  readonly #origin: string
  readonly #prefix: string
  readonly #headers: readonly string[]
  readonly #tls: TlsSource
  readonly #make: (tls: TlsOptions) => Promise<Agents>
  #agent: { readonly tls: TlsOptions; readonly agents: Promise<Agents> } | undefined
  /** Those of earlier certificates, until what goes on with them has ended. */
  readonly #leaving = new Set<Promise<Agents>>()
  #closed = false

  constructor(connection: Pick<ConnectionInfo, 'server' | 'proxyUrl'>, options: HttpTransportOptions) {
    const url = serverUrl(connection.server)
    this.#origin = url.origin
    this.#prefix = url.pathname.replace(/\/+$/, '')
    this.#headers = [...(options.headers ?? []), ...(options.compression === 'gzip' ? ['Accept-Encoding', 'gzip'] : [])]
    this.#tls = options.tls ?? fixedTls({ rejectUnauthorized: true, minVersion: 'TLSv1.2' })
    const { connectTimeout = '10s' } = options
    this.#make = (tls) => agentsOf({ tls, connectTimeout, proxyUrl: connection.proxyUrl })
  }

  async request(request: TransportRequest): Promise<TransportAnswer<Uint8Array>> {
    const { body, ...answer } = await this.#answered(request, 'requests')
    try {
      const whole = await gathered(body, request.path)
      // undici frees a connection one turn of the event loop after its answer: who asks again at once would open another one.
      await setImmediate()
      return { ...answer, body: whole }
    } catch (error) {
      throw this.#explained(error, request)
    }
  }

  async stream(request: TransportRequest): Promise<TransportAnswer<AsyncIterable<Uint8Array>>> {
    const { body, ...answer } = await this.#answered(request, 'streams')
    return { ...answer, body: this.#reading(body, request) }
  }

  async #answered(request: TransportRequest, by: keyof Agents): Promise<TransportAnswer<Readable>> {
    const tls = await this.#tls.current(request.signal)
    try {
      const answer = await this.#sent(request, tls, by)
      const headers = headersOf(answer.headers)
      const body = inflated(answer.body, headers.get('content-encoding'))
      // An abort that nobody is reading at that moment must not end the process as an unhandled 'error' event.
      body.on('error', () => {})
      return { status: answer.statusCode, headers, body }
    } catch (error) {
      throw this.#explained(error, request)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    const agents = [...this.#leaving, ...(this.#agent ? [this.#agent.agents] : [])]
    // One that could not be made has nothing to close.
    const destroy = ({ requests, streams }: Agents) =>
      Promise.all([requests.destroy(closed()), streams.destroy(closed())])
    await Promise.all(agents.map((each) => each.then(destroy, () => {})))
  }

  /** A server whose certificate is refused may have a new authority: one that we have by now, too. Nothing was sent yet. */
  async #sent(request: TransportRequest, tls: TlsOptions, by: keyof Agents): Promise<Dispatcher.ResponseData> {
    try {
      return await this.#send(request, tls, by)
    } catch (error) {
      if (!isRefusedCertificate(error) || !(await this.#tls.renewed(tls, request.signal))) throw error
      return this.#send(request, await this.#tls.current(request.signal), by)
    }
  }

  async #send(request: TransportRequest, tls: TlsOptions, by: keyof Agents): Promise<Dispatcher.ResponseData> {
    const { [by]: agent } = await this.#agentsFor(tls)
    if (this.#closed) throw closed()
    const { method, signal, body } = request
    const headers =
      this.#headers.length === 0 ? request.headers : [...this.#headers, ...Object.entries(request.headers).flat()]
    const path = `${this.#prefix}${request.path}`
    const options = { origin: this.#origin, path, headers, signal, body: body ?? null, highWaterMark: AHEAD }
    return agent.request({ ...options, method: method as 'GET' })
  }

  #agentsFor(tls: TlsOptions): Promise<Agents> {
    if (this.#closed) throw closed()
    if (this.#agent?.tls === tls) return this.#agent.agents
    const old = this.#agent?.agents
    this.#agent = { tls, agents: this.#make(tls) }
    if (old) this.#leave(old)
    return this.#agent.agents
  }

  #leave(agents: Promise<Agents>): void {
    const forget = () => this.#leaving.delete(agents)
    const close = ({ requests, streams }: Agents) => Promise.all([requests.close(), streams.close()])
    this.#leaving.add(agents)
    agents.then(close).then(forget, forget)
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

/** By events, since an iterator would cost a small answer as much as all the rest. */
function gathered(body: Readable, path: string): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    let isWhole = false
    body.on('data', (chunk: Uint8Array) => {
      size += chunk.length
      chunks.push(chunk)
      if (size > LARGEST_ANSWER) body.destroy(tooLarge(path))
    })
    body.on('end', () => {
      isWhole = true
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
    })
    body.on('error', reject)
    body.on('close', () => {
      // Every answer is closed in the end, and an error costs more than the rest of a small one.
      if (!isWhole) reject(new Error('the answer ended too early'))
    })
  })
}

function serverUrl(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined
  if (url?.username || url?.password) throw credentialsInUrl(url)
  if (url?.protocol === 'http:' && isLinkLocal(url.hostname)) throw linkLocal(url)
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url
  throw new KubeConfigError({
    message: `The address of the server is not a URL: ${JSON.stringify(server)}`,
    hint: 'Write it with its scheme, such as https://10.0.0.1:6443.',
  })
}

/** Where clouds tell machines their secrets. No API server lives there, and ours must not be sent there. */
function isLinkLocal(host: string): boolean {
  return /^169\.254\.|^\[fe[89ab]|^\[fd00:ec2::254\]|^metadata\.google\.internal$/i.test(host)
}

function linkLocal({ host }: URL): KubeConfigError {
  return new KubeConfigError({
    message: `The address of the server, ${host}, is that of a metadata service and not of an API server`,
    hint: 'Look where the kubeconfig comes from: who wrote it may want to see your credentials.',
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
