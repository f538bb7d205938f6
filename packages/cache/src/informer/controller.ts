import { linkedController, messageOf, type ResourceVersion, type Runtime } from '@binnacle/core'
import { type ControllerQueue, FIFOClosedError, type PopProcessFunc } from '../queue/queue.ts'
import type { Reflector } from '../reflector/reflector.ts'
import type { Synced } from './synced.ts'

/** A reflector, a queue, and a loop that processes what comes out of it. */
export interface Controller extends Synced {
  /** Runs reflector and loop until the signal aborts. A second call is an error. */
  run(signal: AbortSignal): Promise<void>
  readonly lastSyncResourceVersion: ResourceVersion
}

/**
 * Guarantees: reflector and loop end together, and both have ended when `run` has; a process function that fails is logged, and the next
 * piece is processed.
 */
export class QueueController<T, B> implements Controller {
  readonly #queue: ControllerQueue<B>
  readonly #reflector: Reflector<T>
  readonly #process: PopProcessFunc<B>
  readonly #onSynced: () => void
  readonly #runtime: Runtime

  constructor(given: {
    readonly queue: ControllerQueue<B>
    readonly reflector: Reflector<T>
    readonly process: PopProcessFunc<B>
    /** Is called once, when everything of the first list has been processed. */
    readonly onSynced: () => void
    readonly runtime: Runtime
  }) {
    this.#queue = given.queue
    this.#reflector = given.reflector
    this.#process = given.process
    this.#onSynced = given.onSynced
    this.#runtime = given.runtime
  }

  hasSynced(): boolean {
    return this.#queue.hasSynced()
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#queue.whenSynced(signal)
  }

  get lastSyncResourceVersion(): ResourceVersion {
    return this.#reflector.lastSyncResourceVersion
  }

  async run(signal: AbortSignal): Promise<void> {
    const end = linkedController(signal)
    const loop = this.#loop(end.signal)
    try {
      await this.#reflector.run(end.signal)
    } finally {
      end.abort()
      this.#queue.close()
      await loop
    }
  }

  async #loop(signal: AbortSignal): Promise<void> {
    let synced = false
    while (!signal.aborted) {
      try {
        await this.#queue.popBatch(this.#process, { signal })
      } catch (error) {
        if (signal.aborted || error instanceof FIFOClosedError) return
        this.#runtime.logger.error(`A change could not be processed: ${messageOf(error)}`, { error })
      }
      if (synced || !this.#queue.hasSynced()) continue
      synced = true
      this.#onSynced()
    }
  }
}
