import {
  abortable,
  BinnacleError,
  linkedController,
  messageOf,
  NetworkError,
  type RequestOptions,
  type Runtime,
  seconds,
} from '@binnacle/core'
import type { Asked } from './api-error.ts'
import { describe, errorOf } from './api-error.ts'
import { deadlineError, networkError } from './network-error.ts'
import { withRetries } from './retry.ts'
import type { Transport, TransportAnswer, TransportRequest } from './transport.ts'
import { guarded } from './watchdog.ts'

/** One request, ready to be sent; `asked` is what messages call it. */
export interface Call {
  readonly asked: Asked
  readonly method: string
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: Uint8Array
}

export interface ExchangeSettings {
  /** Seconds for a whole request, retries included; for a list, seconds of silence. */
  readonly requestTimeout: number
  /** Seconds of the waits between attempts. */
  readonly waits: readonly number[]
  /** Wait exactly as long as Retry-After says. */
  readonly exactly?: boolean
  readonly userAgent: string
  /** Abort when the client is closed, or the part of it that was narrowed. */
  readonly lifetime: readonly AbortSignal[]
  readonly onRequest: (request: {
    readonly method: string
    readonly path: string
    readonly status: number | undefined
    readonly seconds: number
  }) => void
}

/** Bytes as they arrive. Whoever does not read to the end has to dispose of it. */
export interface OpenStream extends AsyncDisposable {
  readonly headers: ReadonlyMap<string, string>
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Time for a request, retries and pages included. Dispose of it when the request is over: that ends whatever a transport still does for an attempt that was
 * given up.
 */
export interface Deadline extends Disposable {
  /** The request is over, and nothing is done for it any more: nobody has to be told by the signal, which would cost more than the rest of the deadline. */
  met(): void
  readonly signal: AbortSignal
  /** By the monotonic clock. */
  readonly at: number
}

/** Whether it was told that the server cannot be reached. Shared by all that were narrowed from one client. */
interface Outage {
  told: boolean
}

/** Nobody reads it. Made once: the error that an abort without a reason makes would cost a tenth of a small request. */
const OVER = new Error('The request is over')

/** An error's body is read up to here. */
const LARGEST_REFUSAL = 1024 * 1024

/**
 * A request and its answer, with all that happens around it: deadline, retries, errors.
 * Guarantees: ends by itself, whatever the server or the transport does; a refusal is thrown as a typed error; a lost connection or a
 * passed deadline is a NetworkError; an abort is thrown as the reason of the signal.
 */
export class Exchange {
  readonly runtime: Runtime
  readonly #transport: Transport
  readonly #settings: ExchangeSettings
  readonly #outage: Outage

  constructor(runtime: Runtime, transport: Transport, settings: ExchangeSettings, outage: Outage = { told: false }) {
    this.runtime = runtime
    this.#transport = transport
    this.#settings = settings
    this.#outage = outage
  }

  get requestTimeout(): number {
    return this.#settings.requestTimeout
  }

  /** The same with one more reason to give up. */
  narrowed(signal: AbortSignal): Exchange {
    const lifetime = [...this.#settings.lifetime, signal]
    return new Exchange(this.runtime, this.#transport, { ...this.#settings, lifetime }, this.#outage)
  }

  /** The answer as a whole. */
  async answer(call: Call, options: RequestOptions): Promise<TransportAnswer<Uint8Array>> {
    const deadline = this.deadline(call, { timeout: this.#settings.requestTimeout, ...options })
    try {
      const answer = await this.retried(call, deadline, () => this.#attempt(call, deadline.signal))
      deadline.met()
      return answer
    } catch (error) {
      deadline[Symbol.dispose]()
      throw error
    }
  }

  /** A signal that aborts when the time is over, as well as with those it is made of. Without a timeout the time is endless. */
  deadline(call: Call, options: RequestOptions): Deadline {
    const { clock } = this.runtime
    const signals = [options.signal, ...this.#settings.lifetime].filter((signal) => signal !== undefined)
    const controller = linkedController(...signals)
    const limit = options.timeout === undefined ? Number.POSITIVE_INFINITY : seconds(options.timeout)
    const expired = () => controller.abort(deadlineError(describe(call.asked), limit, call.method))
    const callOff = Number.isFinite(limit) ? clock.after(limit, expired) : undefined
    const met = () => {
      callOff?.()
      controller[Symbol.dispose]()
    }
    const dispose = () => {
      callOff?.()
      controller.abort(OVER)
    }
    return { signal: controller.signal, at: clock.monotonic() + limit, met, [Symbol.dispose]: dispose }
  }

  /** Repeats an attempt as retry.ts allows, until the deadline. */
  async retried<T>(call: Call, deadline: Deadline, attempt: () => Promise<T>): Promise<T> {
    const { signal, at } = deadline
    const { waits, requestTimeout: longestWait, exactly = false } = this.#settings
    const onRetry = (error: unknown, wait: number) => this.#noteRetry(error, wait)
    const options = { waits, longestWait, exactly, isRead: call.method === 'GET', deadline: at, signal, onRetry }
    signal.throwIfAborted()
    return withRetries(this.runtime, options, () => abortable(attempt(), signal))
  }

  /** One attempt to open a stream. `silence`: seconds without a byte, before or after the answer, after which it fails. */
  async open(call: Call, options: { readonly signal: AbortSignal; readonly silence: number }): Promise<OpenStream> {
    const controller = linkedController(options.signal)
    const watchdog = guarded(this.runtime.clock, options.silence, controller, {
      silent: () => deadlineError(`${describe(call.asked)} was silent`, options.silence, call.method),
      lost: (error) => lost(error, call.method),
    })
    try {
      controller.signal.throwIfAborted()
      const sent = this.#send(call, controller.signal, (request) => this.#transport.stream(request))
      const answer = await watchdog.waitFor(sent)
      if (isRefusal(call, answer)) throw await watchdog.waitFor(this.#refusal(call, answer))
      return {
        headers: answer.headers,
        body: watchdog.reading(answer.body),
        [Symbol.asyncDispose]: async () => watchdog.stop(),
      }
    } catch (error) {
      watchdog.stop()
      throw error
    }
  }

  async #attempt(call: Call, signal: AbortSignal): Promise<TransportAnswer<Uint8Array>> {
    const answer = await this.#send(call, signal, (request) => this.#transport.request(request))
    if (isRefusal(call, answer)) throw errorOf(answer, call.asked, call)
    return answer
  }

  async #send<B>(
    call: Call,
    signal: AbortSignal,
    by: (request: TransportRequest) => Promise<TransportAnswer<B>>,
  ): Promise<TransportAnswer<B>> {
    const { method, path, body } = call
    const headers = { ...call.headers, 'user-agent': this.#settings.userAgent }
    const began = this.runtime.clock.monotonic()
    let status: number | undefined
    try {
      const answer = await by({ method, path, headers, signal, ...(body && { body }) })
      status = answer.status
      if (this.#outage.told) this.#noteAnswer()
      return answer
    } catch (error) {
      signal.throwIfAborted()
      throw lost(error, method)
    } finally {
      this.#settings.onRequest({ method, path, status, seconds: this.runtime.clock.monotonic() - began })
    }
  }

  /** One line for an outage, however many requests wait for its end: else they would be silent for seconds, and nobody would know why. */
  #noteRetry(error: unknown, wait: number): void {
    const line = `${messageOf(error)}; the request is made again in ${wait.toFixed(1)} s`
    if (!(error instanceof NetworkError) || this.#outage.told) return this.runtime.logger.debug(line)
    this.#outage.told = true
    this.runtime.logger.warn(line)
  }

  #noteAnswer(): void {
    this.#outage.told = false
    this.runtime.logger.info('The API server answers again')
  }

  async #refusal(call: Call, answer: TransportAnswer<AsyncIterable<Uint8Array>>) {
    return errorOf({ ...answer, body: await readUpTo(answer.body, LARGEST_REFUSAL) }, call.asked, call)
  }
}

/** What was asked for has not changed since it was told: the answer to whoever said what he knows. */
const UNCHANGED = 304

/** Redirections are not followed: credentials must not be carried to where a server points. */
function isRefusal(call: Call, { status }: { readonly status: number }): boolean {
  return status >= 300 && !(status === UNCHANGED && 'if-none-match' in call.headers)
}

/** A transport that explains its errors is believed. */
function lost(error: unknown, method: string): unknown {
  return error instanceof BinnacleError ? error : networkError(error, { address: 'the API server', method })
}

async function readUpTo(body: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= limit) break
  }
  return Buffer.concat(chunks).subarray(0, limit)
}
