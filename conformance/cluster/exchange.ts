/**
 * Plain HTTP to a server, as a client without any knowledge of Kubernetes would speak it.
 *
 * Guarantees: nothing is repaired on the way. What was answered is what the test sees: code, headers, and the body, parsed where it says
 * that it is JSON. A watch gives its events one by one, and says whether it ended.
 */
import type { IncomingMessage } from 'node:http'
import { type Agent, request } from 'node:https'

// biome-ignore lint/suspicious/noExplicitAny: whatever a server answers; the assertions say what it has to be
export type Loose = any

export interface Answer {
  readonly code: number
  readonly headers: IncomingMessage['headers']
  readonly body: Loose
  readonly bytes: Buffer
}

/** What a test may say about one request beside its method and path. */
export interface RequestOptions {
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: unknown
  /** @default application/json where there is a body; null sends none */
  readonly type?: string | null
  /** @default application/json */
  readonly accept?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Whose token is sent; null sends none. @default the administrator's */
  readonly token?: string | null
}

export interface Line {
  readonly url: string
  readonly ca: string
  readonly token: string
  readonly agent: Agent
}

export const AGENT = 'conformance/1.0 (suite)'

function headersOf({ token }: Line, options: RequestOptions, body: Buffer | undefined): Record<string, string> {
  const bearer = options.token === undefined ? token : options.token
  const type = options.type === undefined ? 'application/json' : options.type
  return {
    'user-agent': AGENT,
    accept: options.accept ?? 'application/json',
    ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
    ...(body === undefined || type === null ? {} : { 'content-type': type }),
    ...(body === undefined ? {} : { 'content-length': String(body.length) }),
    ...options.headers,
  }
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Sends a request, and gives the answer as soon as its head is there. */
function open(line: Line, method: string, path: string, options: RequestOptions): Promise<IncomingMessage> {
  const body = bytesOf(options.body)
  const headers = headersOf(line, options, body)
  return new Promise((resolve, reject) => {
    const call = request(`${line.url}${path}`, { method, ca: line.ca, agent: line.agent, headers }, resolve)
    call.on('error', reject)
    call.end(body)
  })
}

export async function exchange(
  line: Line,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Answer> {
  const answer = await open(line, method, path, options)
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  const text = bytes.toString()
  const json = /json/.test(answer.headers['content-type'] ?? '') && text !== ''
  return { code: answer.statusCode ?? 0, headers: answer.headers, body: json ? JSON.parse(text) : text, bytes }
}

export interface WatchEvent {
  readonly type: string
  readonly object: Loose
}

/** Milliseconds until a watch that says nothing is given up: costs nothing where it speaks. */
const PATIENCE_MS = 120_000

/**
 * A watch that is open.
 * Guarantees: `next` throws when the stream ends or stays silent; `rest` waits for its end. Closing it twice is fine.
 */
export class Watch implements Disposable {
  readonly headers: IncomingMessage['headers']
  /** Everything that came, as it came. */
  text = ''
  readonly #answer: IncomingMessage
  readonly #events: WatchEvent[] = []
  #partial = ''
  #ended: 'clean' | 'cut' | undefined
  #wake: () => void = () => {}

  private constructor(answer: IncomingMessage) {
    this.#answer = answer
    this.headers = answer.headers
    answer.setEncoding('utf8')
    answer.on('data', (text: string) => this.#take(text))
    answer.on('end', () => this.#end('clean'))
    answer.on('error', () => this.#end('cut'))
    answer.on('close', () => this.#end('cut'))
  }

  static async open(line: Line, path: string, options: RequestOptions = {}): Promise<Watch> {
    const answer = await open(line, 'GET', path, options)
    if (answer.statusCode === 200) return new Watch(answer)
    answer.destroy()
    throw new Error(`The watch ${path} was answered with ${answer.statusCode}`)
  }

  get ended(): 'clean' | 'cut' | undefined {
    return this.#events.length === 0 ? this.#ended : undefined
  }

  async next(): Promise<WatchEvent> {
    if (this.#events.length === 0 && this.#ended === undefined) await this.#news()
    const event = this.#events.shift()
    if (event) return event
    throw new Error(`The watch ${this.#ended ? `ended (${this.#ended})` : 'stayed silent'} when an event was expected`)
  }

  async take(count: number): Promise<WatchEvent[]> {
    const events: WatchEvent[] = []
    while (events.length < count) events.push(await this.next())
    return events
  }

  /** The first event that fits; those before it are dropped. */
  async until(fits: (event: WatchEvent) => boolean): Promise<WatchEvent> {
    for (;;) {
      const event = await this.next()
      if (fits(event)) return event
    }
  }

  /** All events until the stream ends by itself. */
  async rest(): Promise<WatchEvent[]> {
    const events: WatchEvent[] = []
    while (this.#ended === undefined || this.#events.length > 0) {
      if (this.#events.length === 0) await this.#news()
      events.push(...this.#events.splice(0))
    }
    return events
  }

  [Symbol.dispose](): void {
    this.#answer.destroy()
  }

  #news(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`The watch was silent for ${PATIENCE_MS / 1000} s`)), PATIENCE_MS)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #take(text: string): void {
    this.text += text
    const lines = (this.#partial + text).split('\n')
    this.#partial = lines.pop() ?? ''
    for (const line of lines) if (line !== '') this.#events.push(JSON.parse(line))
    this.#wake()
  }

  #end(how: 'clean' | 'cut'): void {
    this.#ended ??= how
    this.#wake()
  }
}
