/**
 * Sockets: HTTP/1.1, plain or over TLS.
 * Guarantees: close ends every connection and frees the port within moments, also with open watches; a reader that does not read
 * stops the writing, never the server. A client certificate is asked for and never demanded: who shows none may have a token.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { ClientCertificate, Peer } from '../access/authenticator.ts'
import type { ImpersonationHeaders } from '../access/impersonation.ts'
import { ByteStream } from './byte-stream.ts'
import { compressed } from './compression.ts'
import { bodyLimit, type Door, type FrontAnswer } from './front.ts'
import { warningText } from './in-process.ts'
import { StreamWriter } from './stream-writer.ts'

/** What a listener over TLS shows, and whom it believes; all PEM. */
export interface TlsMaterial {
  readonly cert: string
  readonly key: string
  /** Whose client certificates count. */
  readonly clientCa: string
}

const unknownPeer: Peer = {}

export class Listener {
  readonly #server: Server
  readonly #door: Door
  readonly #streams = new StreamWriter()
  readonly #connections = new WeakMap<Socket, number>()
  readonly #peers = new WeakMap<Socket, Peer>()
  /** Also those that have not said a word yet, which the server itself forgets while it waits for a handshake. */
  readonly #sockets = new Set<Socket>()

  constructor(door: Door, nextConnection: () => number, tls?: TlsMaterial) {
    this.#door = door
    // Longer than Go's pool keeps a connection: else both ends would race for who closes it.
    const options = { keepAliveTimeout: 120_000, requestTimeout: 0, maxHeaderSize: 1024 * 1024 }
    const serve = (request: IncomingMessage, response: ServerResponse) => void this.#serve(request, response)
    this.#server = tls ? createSecureServer({ ...options, ...tlsOptions(tls) }, serve) : createServer(options, serve)
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
    const event = tls ? 'secureConnection' : 'connection'
    this.#server.on(event, (socket: Socket) => this.#connections.set(socket, nextConnection()))
  }

  async listen(port: number, host: string): Promise<number> {
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  /** Ends every connection; new ones are welcome. */
  cutConnections(): void {
    this.#server.closeAllConnections()
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.cutConnections()
    await closed
  }

  /** Asked once for each connection: reading a certificate costs more than answering a request. */
  #peerOf(socket: Socket): Peer {
    if (!(socket instanceof TLSSocket)) return unknownPeer
    let peer = this.#peers.get(socket)
    if (peer === undefined) {
      const certificate = certificateOf(socket)
      peer = certificate ? { certificate } : unknownPeer
      this.#peers.set(socket, peer)
    }
    return peer
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    // The request's own close event comes already when its body ends; only the response knows that the client is gone.
    response.on('close', () => gone.abort())
    try {
      const body = await readBody(request)
      const headers = new Map(
        Object.entries(request.headers).map(([k, v]) => [k, Array.isArray(v) ? v.join(', ') : (v ?? '')]),
      )
      const answer = await this.#door.answer({
        method: request.method ?? 'GET',
        url: request.url ?? '/',
        headers,
        body,
        signal: gone.signal,
        peer: this.#peerOf(request.socket),
        impersonation: impersonationIn(request),
        connection: this.#connections.get(request.socket) ?? 0,
      })
      await this.#write(response, compressed(answer, headers.get('accept-encoding')), gone.signal)
    } catch {
      // The client went away, or the stream was cut on purpose: both end the connection and nothing else.
      response.destroy()
    }
  }

  async #write(response: ServerResponse, answer: FrontAnswer, signal: AbortSignal): Promise<void> {
    for (const [name, value] of answer.headers) response.setHeader(name, value)
    if (answer.warnings.length > 0) response.setHeader('warning', answer.warnings.map(warningText))
    response.statusCode = answer.status
    if (answer.body instanceof ByteStream) {
      response.flushHeaders()
      await this.#streams.write(response, answer.body, signal)
      response.end()
    } else response.end(answer.body)
  }
}

function tlsOptions({ cert, key, clientCa }: TlsMaterial) {
  return {
    cert,
    key,
    ca: clientCa,
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2' as const,
    ALPNProtocols: ['http/1.1'],
  }
}

function certificateOf(socket: TLSSocket): ClientCertificate | undefined {
  const { subject } = socket.getPeerCertificate()
  if (subject === undefined) return undefined
  const texts = (value: string | string[] | undefined) => (value === undefined ? [] : [value].flat())
  return { valid: socket.authorized, commonName: texts(subject.CN)[0] ?? '', organizations: texts(subject.O) }
}

const nobody: ImpersonationHeaders = new Map()

/** Names in headers are UTF-8, which Node hands out byte by byte. */
function impersonationIn(request: IncomingMessage): ImpersonationHeaders {
  const found = new Map<string, string[]>()
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = (request.rawHeaders[i] as string).toLowerCase()
    if (!name.startsWith('impersonate-')) continue
    const value = Buffer.from(request.rawHeaders[i + 1] as string, 'latin1').toString()
    found.set(name, [...(found.get(name) ?? []), value])
  }
  return found.size === 0 ? nobody : found
}

/** One byte more than allowed is enough to know; the rest is read and dropped, so that the client gets to read its answer. */
async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (length <= bodyLimit) chunks.push(chunk)
    length += chunk.length
  }
  return Buffer.concat(chunks)
}
