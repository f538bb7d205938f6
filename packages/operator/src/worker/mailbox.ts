import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { ToThread } from './messages.ts'

/**
 * The messages for a thread, as code sees them that does not give way to the event loop.
 * Guarantees: each message is told once, here or by the event of the port, in the order in which they were sent.
 */
export class Mailbox {
  readonly #port: MessagePort
  readonly #bell: Int32Array
  readonly #receive: (message: ToThread) => void
  #heard = 0

  constructor(port: MessagePort, bell: SharedArrayBuffer, receive: (message: ToThread) => void) {
    this.#port = port
    this.#bell = new Int32Array(bell)
    this.#receive = receive
  }

  /** Takes in what has come; costs one look at shared memory when nothing has. */
  sync(): void {
    const rung = Atomics.load(this.#bell, 0)
    if (rung === this.#heard) return
    this.#heard = rung
    for (let next = receiveMessageOnPort(this.#port); next; next = receiveMessageOnPort(this.#port)) {
      this.#receive(next.message as ToThread)
    }
  }

  /** Blocks the thread until something comes, and takes it in. */
  block(): void {
    Atomics.wait(this.#bell, 0, this.#heard)
    this.sync()
  }
}
