import type { BlockingStopped } from '../declare/worker.ts'
import type { Mailbox } from './mailbox.ts'
import type { FromThread, ToThread } from './messages.ts'

/** The part of `stopped` that waits. */
export type Waiting = Pick<BlockingStopped, 'wait' | 'waitAsync' | 'every'>

interface Wait {
  stopped: boolean | undefined
  readonly wake: () => void
}

/**
 * The waits of one call. The event loop measures their time, so that a thread sleeps by the clock of its operator.
 * Guarantees: a wait ends with its time, with the stop, or by throwing what the signal was aborted with.
 */
export class Waits {
  readonly #mailbox: Mailbox
  readonly #signal: AbortSignal
  readonly #post: (message: FromThread) => void
  readonly #waits = new Map<number, Wait>()
  #last = 0

  constructor(mailbox: Mailbox, signal: AbortSignal, post: (message: FromThread) => void) {
    this.#mailbox = mailbox
    this.#signal = signal
    this.#post = post
  }

  blocking(seconds: number | undefined): boolean {
    this.#mailbox.sync()
    this.#signal.throwIfAborted()
    const wait = this.#begin(seconds, () => {})
    while (wait.stopped === undefined) {
      this.#mailbox.block()
      this.#signal.throwIfAborted()
    }
    return wait.stopped
  }

  async later(seconds: number | undefined): Promise<boolean> {
    this.#mailbox.sync()
    this.#signal.throwIfAborted()
    const wait = await new Promise<Wait>((resolve) => {
      const begun = this.#begin(seconds, () => resolve(begun))
    })
    this.#signal.throwIfAborted()
    return wait.stopped === true
  }

  woken({ wait: id, stopped }: ToThread & { readonly type: 'woken' }): void {
    const wait = this.#waits.get(id)
    if (!wait) return
    this.#waits.delete(id)
    wait.stopped = stopped
    wait.wake()
  }

  /** The signal has been aborted. */
  aborted(): void {
    for (const { wake } of this.#waits.values()) wake()
    this.#waits.clear()
  }

  #begin(seconds: number | undefined, wake: () => void): Wait {
    const wait: Wait = { stopped: undefined, wake }
    const id = ++this.#last
    this.#waits.set(id, wait)
    this.#post({ type: 'wait', wait: id, seconds })
    return wait
  }
}

/** Says why something is not in the context, when it is asked for. */
export function absent(context: object, name: string): void {
  Object.defineProperty(context, name, {
    get() {
      throw new TypeError(
        `\`${name}\` stays on the event loop, and is not there in a worker thread: return, or write into \`patch\`, what is to be done`,
      )
    },
  })
}
