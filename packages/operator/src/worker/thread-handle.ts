import { Worker } from 'node:worker_threads'
import { BinnacleError, messageOf } from '@binnacle/core'
import type { FromThread, ThreadStart, ToThread } from './messages.ts'

/**
 * Compiled, since threads of older Nodes run nothing else: tests, which run on sources, take what was built.
 * Otherwise it lies beside this module, and also beside the file into which this module was joined (scripts/bundle.mjs): a thread then has
 * the same classes of errors as the handlers in it, which import `binnacle`.
 */
const ENTRY = new URL(import.meta.url.endsWith('.ts') ? '../../dist/bundle/thread.js' : './thread.js', import.meta.url)

/** Who listens to a thread while it works for him. */
export interface ThreadListener {
  heard(message: FromThread): void
  /** The thread has ended, and will say nothing more. */
  died(error: BinnacleError): void
}

/** What a call needs of a thread. */
export interface ThreadHandle {
  readonly alive: boolean
  /** A new number for whoever takes the thread, which keeps the process alive until `rest`. */
  take(listener: ThreadListener): number
  rest(): void
  /** Throws when the message holds what cannot be sent. */
  post(message: ToThread): void
  end(): Promise<void>
}

/**
 * One worker thread, as the event loop holds it.
 * Guarantees: an idle one keeps no process alive; one that has died says so once, to whoever it works for.
 */
export class OwnThread implements ThreadHandle {
  readonly #worker: Worker
  readonly #bell = new Int32Array(new SharedArrayBuffer(4))
  #listener: ThreadListener | undefined
  #calls = 0
  #alive = true
  #cause: unknown

  constructor(name: string) {
    const workerData: ThreadStart = { bell: this.#bell.buffer as SharedArrayBuffer }
    this.#worker = new Worker(ENTRY, { workerData, name })
    this.#worker.on('message', (message: FromThread) => this.#listener?.heard(message))
    this.#worker.on('error', (error: unknown) => {
      this.#cause = error
    })
    this.#worker.on('exit', (code) => this.#died(code))
    this.#worker.unref()
  }

  get alive(): boolean {
    return this.#alive
  }

  take(listener: ThreadListener): number {
    this.#listener = listener
    this.#worker.ref()
    return ++this.#calls
  }

  rest(): void {
    this.#listener = undefined
    this.#worker.unref()
  }

  post(message: ToThread): void {
    this.#worker.postMessage(message)
    Atomics.add(this.#bell, 0, 1)
    Atomics.notify(this.#bell, 0)
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #died(code: number): void {
    this.#alive = false
    const why = this.#cause === undefined ? `with exit code ${code}` : `by an error: ${messageOf(this.#cause)}`
    this.#listener?.died(
      new BinnacleError('BIN_WORKER', {
        message: `The worker thread of the handler has ended ${why}`,
        hint: 'An error that nobody catches, `process.exit`, or too little memory ends a thread. The next call gets another one.',
        cause: this.#cause,
      }),
    )
  }
}
