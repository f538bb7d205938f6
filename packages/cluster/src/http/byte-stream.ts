/**
 * The body of a watch: pushed by the server, pulled by one reader.
 * Guarantees: bytes come in the order of pushing; what was pushed since the last pull comes as one chunk; a reader that lags
 * behind by more than the limit is cut off, as the original does, so that it cannot hold the server's memory.
 * Assumes: one reader.
 */
export interface StreamLimits {
  /** Bytes that may wait for a slow reader. */
  readonly bytes: number
  /** Pushes that may wait for a slow reader. */
  readonly count: number
}

/** Sees every chunk before the reader does, and delivers what shall be delivered, now or later. */
export type Filter = (chunk: Uint8Array, deliver: (chunk: Uint8Array) => void) => void

export const watchLimits: StreamLimits = { bytes: 16 * 1024 * 1024, count: 10_000 }

export class ByteStream implements AsyncIterable<Uint8Array> {
  readonly #limits: StreamLimits
  #queue: Uint8Array[] = []
  /** Pushes and bytes that count against the limit: all but the initial ones. */
  #waiting = { count: 0, bytes: 0 }
  #ending: { readonly error: unknown } | undefined
  #wake: (() => void) | undefined
  readonly #onClose: (() => void)[] = []
  readonly #filters: Filter[] = []
  #closed = false

  constructor(limits: StreamLimits = watchLimits) {
    this.#limits = limits
  }

  /** Bytes wait here that the reader has not taken. */
  get pending(): boolean {
    return !this.#closed && this.#queue.length > 0
  }

  get ended(): boolean {
    return this.#ending !== undefined || this.#closed
  }

  /** What a reader gets at once however long it is: the initial state. */
  pushInitial(chunk: Uint8Array): void {
    this.#filtered(chunk, 0, (passed) => this.#enqueue(passed))
  }

  push(chunk: Uint8Array): void {
    this.#filtered(chunk, 0, (passed) => this.#enqueueWithinLimits(passed))
  }

  /** Puts a filter between the stream and its reader, after those that are there. What waits in an open stream passes it too. */
  through(filter: Filter): void {
    this.#filters.push(filter)
    if (this.ended) return
    for (const chunk of this.#queue.splice(0)) filter(chunk, (passed) => this.#enqueue(passed))
  }

  /** Past all filters, and then the end. */
  last(chunk: Uint8Array): void {
    this.#enqueue(chunk)
    this.end()
  }

  #filtered(chunk: Uint8Array, at: number, deliver: (chunk: Uint8Array) => void): void {
    if (this.ended) return
    const filter = this.#filters[at]
    if (filter) filter(chunk, (passed) => this.#filtered(passed, at + 1, deliver))
    else deliver(chunk)
  }

  #enqueue(chunk: Uint8Array): void {
    if (this.ended) return
    this.#queue.push(chunk)
    this.#wake?.()
  }

  #enqueueWithinLimits(chunk: Uint8Array): void {
    this.#waiting.count++
    this.#waiting.bytes += chunk.length
    if (this.#waiting.count > this.#limits.count || this.#waiting.bytes > this.#limits.bytes) {
      this.#queue = []
      this.end()
      return
    }
    this.#enqueue(chunk)
  }

  /** What was pushed is still delivered; then the stream is at its end, or breaks with the error. */
  end(error?: Error): void {
    this.#finish(error)
  }

  /** The connection breaks: what waits is lost, and the reader gets the error. */
  cut(error: unknown): void {
    this.#queue = []
    this.#finish(error)
  }

  #finish(error: unknown): void {
    if (this.ended) return
    this.#ending = { error }
    this.#wake?.()
    for (const tell of this.#onClose.splice(0)) tell()
  }

  /** Called once, when no push can reach the reader any more. */
  onClose(tell: () => void): void {
    if (this.ended) tell()
    else this.#onClose.push(tell)
  }

  /** The reader is gone. */
  close(): void {
    if (this.#closed) return
    this.#finish(undefined)
    this.#closed = true
    this.#queue = []
    this.#wake?.()
  }

  /** For a reader who does not iterate: called whenever there is something to take, or the end has come. */
  onReady(tell: () => void): void {
    this.#wake = tell
  }

  /** Everything that waits. */
  taken(): readonly Uint8Array[] {
    const chunks = this.#queue
    if (chunks.length === 0) return chunks
    this.#queue = []
    this.#waiting = { count: 0, bytes: 0 }
    return chunks
  }

  /** What the stream broke with. */
  get failure(): unknown {
    return this.#ending?.error
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    try {
      while (true) {
        if (this.#queue.length > 0) yield this.#take()
        else if (this.#ending?.error !== undefined) throw this.#ending.error
        else if (this.ended) return
        else await this.#more()
      }
    } finally {
      this.close()
    }
  }

  #take(): Uint8Array {
    const chunks = this.taken()
    return chunks.length === 1 ? (chunks[0] as Uint8Array) : joined(chunks)
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined
        resolve()
      }
    })
  }
}

export function joined(chunks: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const chunk of chunks) length += chunk.length
  const all = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}
