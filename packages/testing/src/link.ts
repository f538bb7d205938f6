import { setMaxListeners } from 'node:events'
import type { Transport, TransportAnswer, TransportRequest } from '@binnacle/client'
import { linkedController, NetworkError } from '@binnacle/core'

/**
 * The line between one operator and its cluster, which a test can cut.
 * Guarantees: a cut is what a broken network is: open streams and requests fail, a write that is under way may have happened or not.
 */
export interface Link {
  /** Breaks every open stream and request; new ones go through. */
  cut(): void
  /** Breaks everything, and lets nothing through, until `restore`. */
  sever(): void
  restore(): void
}

/** A transport that can be cut. Streams fail at the next thing they wait for. */
export class TransportLink implements Transport, Link {
  readonly #inner: Transport
  #breaker = newBreaker()
  #severed = false

  constructor(inner: Transport) {
    this.#inner = inner
  }

  cut(): void {
    this.#breaker.abort(broken('The connection was cut'))
    if (!this.#severed) this.#breaker = newBreaker()
  }

  sever(): void {
    this.#severed = true
    this.cut()
  }

  restore(): void {
    this.#severed = false
    this.#breaker = newBreaker()
  }

  async request(request: TransportRequest): Promise<TransportAnswer<Uint8Array>> {
    const cut = this.#held()
    using either = linkedController(request.signal, cut)
    try {
      const answer = await this.#inner.request({ ...request, signal: either.signal })
      if (cut.aborted) throw cut.reason
      return answer
    } catch (error) {
      throw cut.aborted ? cut.reason : error
    }
  }

  async stream(request: TransportRequest): Promise<TransportAnswer<AsyncIterable<Uint8Array>>> {
    const cut = this.#held()
    const either = linkedController(request.signal, cut)
    try {
      const answer = await this.#inner.stream({ ...request, signal: either.signal })
      return { ...answer, body: untilCut(answer.body, cut, either) }
    } catch (error) {
      either[Symbol.dispose]()
      throw cut.aborted ? cut.reason : error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inner[Symbol.asyncDispose]()
  }

  /** What cuts the request that begins now. */
  #held(): AbortSignal {
    const { signal } = this.#breaker
    if (signal.aborted) throw signal.reason
    return signal
  }
}

/** Every stream of an operator listens to it, and there may be hundreds. */
function newBreaker(): AbortController {
  const breaker = new AbortController()
  setMaxListeners(0, breaker.signal)
  return breaker
}

async function* untilCut(
  body: AsyncIterable<Uint8Array>,
  cut: AbortSignal,
  link: Disposable,
): AsyncIterable<Uint8Array> {
  try {
    for await (const chunk of body) {
      if (cut.aborted) throw cut.reason
      yield chunk
    }
  } catch (error) {
    throw cut.aborted ? cut.reason : error
  } finally {
    link[Symbol.dispose]()
  }
  if (cut.aborted) throw cut.reason
}

function broken(message: string): NetworkError {
  return new NetworkError({ message, mayHaveCommitted: true, hint: 'A test has cut it.' })
}
