import { abortable } from '@binnacle/core'

/**
 * Opens when every kind that an index reads has been listed. Indexing is one step with the cache, so listed means indexed.
 * Guarantees: once open it stays open; whoever waits is let in by the last kind that was missing.
 */
export class IndexedGate {
  readonly #missing: Set<string>
  readonly #opened: Promise<void>
  #open: () => void = () => {}

  constructor(kinds: Iterable<string>) {
    this.#missing = new Set(kinds)
    this.#opened = new Promise((resolve) => {
      this.#open = resolve
    })
    if (this.#missing.size === 0) this.#open()
  }

  /** What is awaited. */
  get missing(): readonly string[] {
    return [...this.#missing]
  }

  listed(kind: string): void {
    this.#missing.delete(kind)
    if (this.#missing.size === 0) this.#open()
  }

  pass(signal: AbortSignal): Promise<void> {
    return this.#missing.size === 0 ? Promise.resolve() : abortable(this.#opened, signal)
  }
}
