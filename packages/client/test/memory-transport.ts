import type { Transport, TransportRequest } from '../src/transport.ts'

/** A server in memory: what it was asked for, and a function that answers. */

export interface Seen {
  readonly method: string
  readonly path: string
  readonly url: URL
  readonly headers: { readonly [name: string]: string }
  /** The body as JSON. */
  readonly json: unknown
  readonly signal: AbortSignal
}

export interface Reply {
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  /** Text as it is, chunks one by one, anything else as JSON. */
  readonly body?: unknown
}

export interface MemoryTransport extends Transport {
  readonly seen: Seen[]
  disposed: boolean
}

export function memoryTransport(answer: (request: Seen) => Reply | Promise<Reply>): MemoryTransport {
  const seen: Seen[] = []
  const take = async (request: TransportRequest) => {
    const one = seenOf(request)
    seen.push(one)
    const { status = 200, headers = {}, body } = await answer(one)
    return { status, headers: new Map(Object.entries({ 'content-type': 'application/json', ...headers })), body }
  }
  return {
    seen,
    disposed: false,
    async request(request) {
      const answered = await take(request)
      const chunks: Uint8Array[] = []
      for await (const chunk of chunksOf(answered.body)) chunks.push(chunk)
      return { ...answered, body: Buffer.concat(chunks) }
    },
    async stream(request) {
      const answered = await take(request)
      return { ...answered, body: chunksOf(answered.body) }
    },
    async [Symbol.asyncDispose]() {
      this.disposed = true
    },
  }
}

function seenOf({ method, path, headers, body, signal }: TransportRequest): Seen {
  const json = body && JSON.parse(Buffer.from(body).toString())
  return { method, path, url: new URL(path, 'http://server'), headers, json, signal }
}

async function* chunksOf(body: unknown): AsyncGenerator<Uint8Array> {
  if (body === undefined) return
  if (typeof body === 'object' && body !== null && Symbol.asyncIterator in body) {
    yield* body as AsyncIterable<Uint8Array>
  } else {
    yield Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

export function bytes(text: string): Uint8Array {
  return Buffer.from(text)
}

/** A Status as an API server sends it. */
export function refusal(code: number, reason: string, message: string, details?: object): Reply {
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message, details }
  return { status: code, body }
}
