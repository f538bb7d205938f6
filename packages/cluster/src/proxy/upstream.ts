/**
 * The way to another API server: requests go out as they came, answers come back as the door gives them.
 * Guarantees: a watch passes line by line as it arrives; when its reader goes away, so does the request; the credentials of the proxy are
 * sent only where the request has none of its own.
 * Does not guarantee: connections that are upgraded (exec, attach, port-forward) pass.
 */
import { Agent, type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import type { Clock } from '../clock.ts'
import { ConnectionLost } from '../faults/answers.ts'
import { arrivalOf } from '../faults/occasion.ts'
import { ByteStream } from '../http/byte-stream.ts'
import type { Door, FrontAnswer, RawRequest } from '../http/front.ts'
import { type RecordedRequest, RequestLog } from '../request/record.ts'
import { linesInto } from './lines.ts'

/** Where the server is, and who the proxy is to it; all PEM. */
export interface ProxyTarget {
  /** `https://host:port`, with a path if the server lives below one. */
  readonly server: string
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly token?: string
  /** The name that the server's certificate must have, if not that of the address. */
  readonly serverName?: string
  /** Accept whatever certificate the server shows. @default false */
  readonly insecure?: boolean
}

/** Those of one connection only, and those that are computed anew. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te', 'trailer', 'proxy-authorization'],
  ...['host', 'content-length', 'accept-encoding', 'date', 'warning', 'x-binnacle-fault'],
])

export class Upstream implements Door {
  readonly #target: ProxyTarget
  readonly #url: URL
  readonly #agent: Agent
  readonly #streams: Set<ByteStream>
  readonly #clock: Clock
  readonly #log = new RequestLog()

  constructor(target: ProxyTarget, streams: Set<ByteStream>, clock: Clock) {
    this.#target = target
    this.#url = new URL(target.server)
    this.#agent = this.#secure ? new SecureAgent({ keepAlive: true, ...tlsOf(target) }) : new Agent({ keepAlive: true })
    this.#streams = streams
    this.#clock = clock
  }

  get #secure(): boolean {
    return this.#url.protocol === 'https:'
  }

  get requests(): readonly RecordedRequest[] {
    return this.#log.all
  }

  async answer(request: RawRequest): Promise<FrontAnswer> {
    const { verb, user, path } = arrivalOf(request, 0)
    const answered = this.#log.add({ verb, path, user, bytes: request.body, at: this.#clock.now() })
    const response = await this.#sent(request)
    const status = response.statusCode ?? 502
    answered(verb, status, undefined)
    const body = isStream(verb, path) && status === 200 ? this.#streamed(response) : await collected(response)
    return { status, headers: headersOf(response), body, warnings: warningsIn(response) }
  }

  close(): void {
    this.#agent.destroy()
  }

  #sent(request: RawRequest): Promise<IncomingMessage> {
    const { method, url, body, signal } = request
    const options: RequestOptions = { method, agent: this.#agent, headers: this.#headersFor(request), signal }
    const target = new URL(this.#url.href.replace(/\/$/, '') + url)
    return new Promise((resolve, reject) => {
      const sent = (this.#secure ? secureRequest : plainRequest)(target, options, resolve)
      // Whoever asked sees what he would see if the server were gone: a broken connection.
      sent.on('error', (error) => reject(signal.aborted ? error : new ConnectionLost('ECONNRESET')))
      sent.end(body)
    })
  }

  #headersFor({ headers, body, impersonation }: RawRequest): Record<string, string | string[]> {
    const sent: Record<string, string | string[]> = Object.create(null)
    for (const [name, value] of headers) if (!ownHeaders.has(name)) sent[name] = value
    for (const [name, values] of impersonation) sent[name] = [...values]
    if (body.length > 0) sent['content-length'] = String(body.length)
    const { token } = this.#target
    if (token !== undefined && sent['authorization'] === undefined) sent['authorization'] = `Bearer ${token}`
    return sent
  }

  #streamed(response: IncomingMessage): ByteStream {
    const stream = new ByteStream()
    this.#streams.add(stream)
    const push = (chunk: Uint8Array) => stream.pushInitial(chunk)
    const lines = linesInto(push)
    // Only lines of JSON can be told apart; whatever else is streamed passes as it comes.
    const isText = String(response.headers['content-type']).startsWith('application/json')
    response.on('data', isText ? lines.add : push)
    response.on('end', () => {
      lines.end()
      stream.end()
    })
    response.on('error', () => stream.cut(new ConnectionLost('ECONNRESET')))
    stream.onClose(() => {
      this.#streams.delete(stream)
      response.destroy()
    })
    return stream
  }
}

function tlsOf({ ca, cert, key, serverName, insecure }: ProxyTarget) {
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(serverName !== undefined && { servername: serverName }),
    rejectUnauthorized: insecure !== true,
    minVersion: 'TLSv1.2' as const,
  }
}

/** Watches, and logs that are followed. */
function isStream(verb: string, path: string): boolean {
  return verb === 'watch' || /[?&]follow=(true|1)/.test(path)
}

async function collected(response: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function headersOf({ headers }: IncomingMessage): ReadonlyMap<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !ownHeaders.has(name))
  return new Map(kept.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]))
}

/** The texts, which are written anew together with those that faults add. */
function warningsIn({ headers }: IncomingMessage): readonly string[] {
  const text = [headers['warning'] ?? ''].flat().join(', ')
  return [...text.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) => quoted.replace(/\\(.)/g, '$1'))
}
