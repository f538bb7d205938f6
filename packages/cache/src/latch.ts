import { abortable } from '@binnacle/core'

interface Waiter {
  resolve(): void
  reject(error: unknown): void
}

/**
 * Something that happens once, or turns out never to happen.
 * Guarantees: whoever waits is told, before or after the fact; a wait that was given up leaves nothing behind; a failure that nobody
 * waits for is not an unhandled rejection.
 */
export class Latch {
  #outcome: 'pending' | 'open' | { readonly error: unknown } = 'pending'
  readonly #waiters = new Set<Waiter>()

  get isOpen(): boolean {
    return this.#outcome === 'open'
  }

  /** It has happened. Nothing after the first outcome counts. */
  open(): void {
    if (this.#outcome !== 'pending') return
    this.#outcome = 'open'
    for (const waiter of this.#waiters) waiter.resolve()
    this.#waiters.clear()
  }

  /** It will never happen. */
  fail(error: unknown): void {
    if (this.#outcome !== 'pending') return
    this.#outcome = { error }
    for (const waiter of this.#waiters) waiter.reject(error)
    this.#waiters.clear()
  }

  /** Resolves once it has happened; rejects when it never will, or with the signal's reason. */
  async wait(signal?: AbortSignal): Promise<void> {
    if (this.#outcome === 'open') return
    if (this.#outcome !== 'pending') throw this.#outcome.error
    let waiter: Waiter | undefined
    const opened = new Promise<void>((resolve, reject) => {
      waiter = { resolve, reject }
      this.#waiters.add(waiter)
    })
    try {
      await abortable(opened, signal)
    } finally {
      if (waiter) this.#waiters.delete(waiter)
    }
  }
}
