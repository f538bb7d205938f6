import type { Io, StopSignal } from './io.ts'

/** What the shell sees. A stop that was asked for by a signal is a success. */
export const EXIT = { ok: 0, failure: 1, usage: 2 } as const

const FORCED: { readonly [S in StopSignal]: number } = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }
const SIGNALS = Object.keys(FORCED) as readonly StopSignal[]

export function exitCodeOf(error: unknown): number {
  return (error as { code?: unknown } | null)?.code === 'BIN_USAGE' ? EXIT.usage : EXIT.failure
}

/**
 * Turns the signals of the process into an AbortSignal.
 * Guarantees: the first signal asks for a stop, the second ends the process at once; after disposal no listener is left.
 */
export class StopRequest implements Disposable {
  readonly #io: Io
  readonly #controller = new AbortController()
  readonly #listener: (signal: StopSignal) => void

  constructor(io: Io, onFirst: () => void = () => {}) {
    this.#io = io
    this.#listener = (signal) => this.#receive(signal, onFirst)
    for (const signal of SIGNALS) io.signals.on(signal, this.#listener)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  #receive(signal: StopSignal, onFirst: () => void): void {
    if (this.signal.aborted) {
      this.#io.exit(FORCED[signal])
    } else {
      this.#controller.abort(signal)
      onFirst()
    }
  }

  [Symbol.dispose](): void {
    for (const signal of SIGNALS) this.#io.signals.off(signal, this.#listener)
  }
}
