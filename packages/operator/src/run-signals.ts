import { linkedController } from '@binnacle/core'
import { signalForMany } from './signal-for-many.ts'

/**
 * The three steps of an exit, each a signal: no further handler begins; running handlers are interrupted; even writes are given up.
 * Guarantees: they abort in this order, each once. Whatever runs listens to them, however much that is, and nobody is warned of it.
 */
export class RunSignals {
  readonly #stopping: ReturnType<typeof linkedController>
  readonly #exit = new AbortController()
  readonly #lastCall = new AbortController()

  constructor(outer: AbortSignal | undefined) {
    this.#stopping = linkedController(outer)
    for (const signal of [this.stopping, this.exit, this.lastCall]) signalForMany(signal)
  }

  /** The operator stops. Also aborts with the signal of the run's options. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /** It can wait no longer. */
  get exit(): AbortSignal {
    return this.#exit.signal
  }

  /** Nothing is written any more. */
  get lastCall(): AbortSignal {
    return this.#lastCall.signal
  }

  stop(): void {
    this.#stopping.abort(new DOMException('The operator is stopping', 'AbortError'))
    this.#stopping[Symbol.dispose]()
  }

  interrupt(): void {
    this.#exit.abort(new DOMException('The operator is exiting', 'AbortError'))
  }

  giveUp(): void {
    this.#lastCall.abort(new DOMException('The operator has exited', 'AbortError'))
  }
}
