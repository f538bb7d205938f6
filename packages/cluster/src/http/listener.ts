/**
 * Sockets: plain HTTP/1.1 on the loopback interface.
 * Guarantees: close ends every connection and frees the port within moments, also with open watches; a reader that does not read
 * stops the writing, never the server.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { ByteStream } from './byte-stream.ts'
import { bodyLimit, type Door, type FrontAnswer } from './front.ts'
import { warningText } from './in-process.ts'

export class Listener {
  readonly #server: Server
  readonly #door: Door
  readonly #connections = new WeakMap<Socket, number>()

  constructor(door: Door, nextConnection: () => number) {
    this.#door = door
    // Longer than Go's pool keeps a connection: else both ends would race for who closes it.
    const options = { keepAliveTimeout: 120_000, requestTimeout: 0, maxHeaderSize: 1024 * 1024 }
    this.#server = createServer(options, (request, response) => void this.#serve(request, response))
    this.#server.on('connection', (socket: Socket) => this.#connections.set(socket, nextConnection()))
  }

  async listen(port: number, host: string): Promise<number> {
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  /** Ends every connection; new ones are welcome. */
  cutConnections(): void {
    this.#server.closeAllConnections()
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#server.closeAllConnections()
    await closed
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
        connection: this.#connections.get(request.socket) ?? 0,
      })
      await write(response, answer, gone.signal)
    } catch {
      // The client went away, or the stream was cut on purpose: both end the connection and nothing else.
      response.destroy()
    }
  }
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

async function write(response: ServerResponse, answer: FrontAnswer, signal: AbortSignal): Promise<void> {
  for (const [name, value] of answer.headers) response.setHeader(name, value)
  if (answer.warnings.length > 0) response.setHeader('warning', answer.warnings.map(warningText))
  response.statusCode = answer.status
  if (!(answer.body instanceof ByteStream)) {
    response.end(answer.body)
    return
  }
  response.flushHeaders()
  for await (const chunk of answer.body) {
    if (!response.write(chunk)) await once(response, 'drain', { signal })
  }
  response.end()
}
