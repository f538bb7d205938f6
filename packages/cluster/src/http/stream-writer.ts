/**
 * Streams on their way to sockets. A thousand watchers of one kind are told the same: what they have to hear of one turn of the event loop is framed once
 * for all of them, and written once to each.
 * Guarantees: the bytes of a stream in their order; a reader that does not read stops his own stream and no other; when `write` settles, the stream is closed.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ByteStream } from './byte-stream.ts'

/** What was framed in this turn, by the first of its chunks: those who begin alike nearly always go on alike. */
type Frames = Map<Uint8Array, { readonly chunks: readonly Uint8Array[]; readonly frame: Uint8Array }>

export class StreamWriter {
  readonly #due = new Set<Line>()
  #scheduled = false

  /** Resolves at the end of the stream; rejects when it breaks, or the client goes. */
  async write(response: ServerResponse, stream: ByteStream, signal: AbortSignal): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        const line = new Line(response, stream, () => this.#add(line), { resolve, reject })
        stream.onReady(() => this.#add(line))
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        this.#add(line)
      })
    } finally {
      stream.close()
    }
  }

  #add(line: Line): void {
    this.#due.add(line)
    if (this.#scheduled) return
    this.#scheduled = true
    // After the sockets that are readable now have been read: what their requests change is told in one piece.
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = false
    const lines = [...this.#due]
    this.#due.clear()
    const frames: Frames = new Map()
    for (const line of lines) line.send(frames)
  }
}

interface Ending {
  resolve(): void
  reject(reason: unknown): void
}

class Line {
  readonly #response: ServerResponse
  readonly #stream: ByteStream
  /** Past the response, which would frame each chunk for itself; undefined where the response does not frame, or waits behind another. */
  readonly #socket: Socket | undefined
  readonly #drained: () => void
  readonly #ending: Ending
  #blocked = false

  constructor(response: ServerResponse, stream: ByteStream, again: () => void, ending: Ending) {
    this.#response = response
    this.#stream = stream
    this.#socket = (response.chunkedEncoding && response.socket) || undefined
    this.#ending = ending
    this.#drained = () => {
      this.#blocked = false
      again()
    }
  }

  send(frames: Frames): void {
    if (this.#blocked) return
    const chunks = this.#stream.taken()
    if (chunks.length > 0) this.#write(chunks, frames)
    else if (this.#stream.failure !== undefined) this.#ending.reject(this.#stream.failure)
    else if (this.#stream.ended) this.#ending.resolve()
  }

  #write(chunks: readonly Uint8Array[], frames: Frames): void {
    const way = this.#socket ?? this.#response
    const bytes = this.#socket ? framedOnce(chunks, frames) : Buffer.concat(chunks)
    this.#blocked = !way.write(bytes)
    if (this.#blocked) way.once('drain', this.#drained)
    else if (this.#stream.ended) this.#drained()
  }
}

function framedOnce(chunks: readonly Uint8Array[], frames: Frames): Uint8Array {
  const [first = new Uint8Array()] = chunks
  const known = frames.get(first)
  if (known && same(known.chunks, chunks)) return known.frame
  const frame = framed(chunks)
  if (!known) frames.set(first, { chunks, frame })
  return frame
}

const same = (one: readonly Uint8Array[], other: readonly Uint8Array[]) =>
  one.length === other.length && one.every((chunk, i) => chunk === other[i])

const lineEnd = Buffer.from('\r\n')

/** One chunk of HTTP/1.1. */
function framed(chunks: readonly Uint8Array[]): Uint8Array {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  return Buffer.concat([Buffer.from(`${length.toString(16)}\r\n`), ...chunks, lineEnd])
}
