import { abortable, type Clock, type LinkedController } from '@binnacle/core'

/**
 * Notices when nothing comes any more.
 * Guarantees: a wait for bytes that lasts longer than the limit ends with the error; time in which nobody asks for bytes does not
 * count, so that a slow consumer is not taken for a dead server; after `stop` no timer is left.
 */
export interface Watchdog {
  /** The outcome of a promise that is part of the same silence. */
  waitFor<T>(promise: Promise<T>): Promise<T>
  /** The chunks, until they end, fail, fall silent, or are left. */
  reading(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
  /** Also aborts the controller, and with it what is still going on. */
  stop(): void
}

/** Seconds. Less than that is left only by rounding, and sleeping for it would not move the clock. */
const ROUNDING = 1e-6

/** What goes wrong → the error that says so. */
export interface Troubles {
  silent(): unknown
  lost(error: unknown): unknown
}

/** An endless limit guards against nothing, and needs no timer. */
export function guarded(clock: Clock, limit: number, controller: LinkedController, troubles: Troubles): Watchdog {
  return new SilenceWatchdog(clock, limit, controller, troubles)
}

class SilenceWatchdog implements Watchdog {
  readonly #clock: Clock
  readonly #limit: number
  readonly #controller: LinkedController
  readonly #troubles: Troubles
  /** Since when bytes are awaited; undefined while nobody asks. */
  #waitingSince: number | undefined

  constructor(clock: Clock, limit: number, controller: LinkedController, troubles: Troubles) {
    this.#clock = clock
    this.#limit = limit
    this.#controller = controller
    this.#troubles = troubles
    if (Number.isFinite(limit)) this.#watch().catch(() => {})
  }

  async waitFor<T>(promise: Promise<T>): Promise<T> {
    this.#waitingSince = this.#clock.monotonic()
    try {
      return await abortable(promise, this.#controller.signal)
    } finally {
      this.#waitingSince = undefined
    }
  }

  async *reading(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const chunks = body[Symbol.asyncIterator]()
    let ended = false
    try {
      while (true) {
        const next = await this.waitFor(chunks.next())
        ended = next.done === true
        if (ended) return
        yield next.value
      }
    } catch (error) {
      this.#controller.signal.throwIfAborted()
      throw this.#troubles.lost(error)
    } finally {
      this.stop()
      // Not awaited: a stream that hangs would hang us with it.
      if (!ended) Promise.resolve(chunks.return?.()).catch(() => {})
    }
  }

  stop(): void {
    this.#controller.abort()
  }

  /** One timer for the whole stream rather than one for each chunk. */
  async #watch(): Promise<void> {
    while (true) {
      const since = this.#waitingSince
      const waited = since === undefined ? 0 : this.#clock.monotonic() - since
      if (waited >= this.#limit - ROUNDING) return this.#controller.abort(this.#troubles.silent())
      await this.#clock.sleep(this.#limit - waited, this.#controller.signal)
    }
  }
}
