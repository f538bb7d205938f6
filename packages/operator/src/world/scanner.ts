import { explain, type Runtime } from '@binnacle/core'

export interface ScannerOptions {
  readonly runtime: Runtime
  /** Looks once. */
  readonly scan: (signal: AbortSignal) => Promise<void>
  /** Whether the server has not caught up yet with what is known to come. */
  readonly lags: () => boolean
  /** Seconds after which to look again, if nothing has happened; undefined for never. */
  readonly period: () => number | undefined
}

/** Seconds before the first look at a server that lags behind; doubled from look to look. */
const SHORTEST = 0.1
/** Looks at a server that lags behind, before it is believed. */
const MOST_LOOKS = 9

/** Nobody reads it. The error that an abort without a reason makes up would cost more than the sleep that it ends. */
const AWAKE = 'awake'

/**
 * Looks for kinds again and again: when it is asked to, when the server lags behind, and from time to time.
 * Guarantees: one look at a time; asked during a look, it looks once more; a look that fails is repeated with growing pauses.
 */
export class Scanner {
  readonly #options: ScannerOptions
  #asked = false
  #looking = false
  #wake: () => void = () => {}

  constructor(options: ScannerOptions) {
    this.#options = options
  }

  /** Whether somebody has asked for a look that is not over. Those of routine do not count: they mostly find nothing. */
  get isBusy(): boolean {
    return this.#asked || this.#looking
  }

  ask(): void {
    this.#asked = true
    this.#wake()
  }

  async run(signal: AbortSignal): Promise<void> {
    const wake = () => this.#wake()
    signal.addEventListener('abort', wake, { once: true })
    for (let again = this.#options.lags() ? 1 : 0; !signal.aborted; ) {
      await this.#rest(again > 0 ? SHORTEST * 2 ** (again - 1) : this.#options.period(), signal)
      if (signal.aborted) break
      const failed = !(await this.#look(signal))
      again = (failed || this.#options.lags()) && again < MOST_LOOKS ? again + 1 : 0
    }
    signal.removeEventListener('abort', wake)
  }

  async #look(signal: AbortSignal): Promise<boolean> {
    this.#looking = this.#asked
    this.#asked = false
    try {
      await this.#options.scan(signal)
      return true
    } catch (error) {
      if (!signal.aborted) {
        this.#options.runtime.logger.warn(`Looking for kinds failed and is tried again: ${explain(error)}`)
      }
      return false
    } finally {
      this.#looking = false
    }
  }

  async #rest(seconds: number | undefined, signal: AbortSignal): Promise<void> {
    if (this.#asked || signal.aborted) return
    const sleep = new AbortController()
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    const slept = seconds === undefined ? woken : this.#options.runtime.clock.sleep(seconds, sleep.signal)
    await Promise.race([woken, slept.catch(() => {})])
    sleep.abort(AWAKE)
  }
}
