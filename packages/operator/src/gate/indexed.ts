import { abortable, type Clock, type Logger } from '@binnacle/core'

/** How far the gate is: for health, and for whoever wonders why no handler runs. */
export interface GateProgress {
  readonly open: boolean
  /** Indexed kinds that have been listed, of so many. */
  readonly listed: number
  readonly of: number
  /** Kinds that are not listed yet. */
  readonly awaited: readonly string[]
}

/** Seconds between two lines about a gate that does not open. */
const PATIENCE = 5

/**
 * Opens when every kind that an index reads has been listed. Indexing is one step with the cache, so listed means indexed.
 * Guarantees: once open it stays open; whoever waits is let in by the last kind that was missing.
 */
export class IndexedGate {
  readonly #kinds: number
  readonly #missing: Set<string>
  readonly #opened: Promise<void>
  #open: () => void = () => {}

  constructor(kinds: Iterable<string>) {
    this.#missing = new Set(kinds)
    this.#kinds = this.#missing.size
    this.#opened = new Promise((resolve) => {
      this.#open = resolve
    })
    if (this.#missing.size === 0) this.#open()
  }

  get progress(): GateProgress {
    const awaited = [...this.#missing]
    return { open: awaited.length === 0, listed: this.#kinds - awaited.length, of: this.#kinds, awaited }
  }

  listed(kind: string): void {
    this.#missing.delete(kind)
    if (this.#missing.size === 0) this.#open()
  }

  pass(signal: AbortSignal): Promise<void> {
    return this.#missing.size === 0 ? Promise.resolve() : abortable(this.#opened, signal)
  }

  /** Says what is awaited, every few seconds, until it opens. */
  async report(clock: Clock, logger: Logger, signal: AbortSignal): Promise<void> {
    const opened = new AbortController()
    const stop = () => opened.abort()
    signal.addEventListener('abort', stop, { once: true })
    void this.#opened.then(stop)
    while (this.#missing.size > 0 && !signal.aborted) {
      await clock.sleep(PATIENCE, opened.signal).catch(() => {})
      const { open, listed, of, awaited } = this.progress
      if (open || signal.aborted) break
      logger.warn(`Handlers wait for the indices: ${listed} of ${of} kinds are listed, awaited: ${awaited.join(', ')}.`)
    }
    signal.removeEventListener('abort', stop)
  }
}
