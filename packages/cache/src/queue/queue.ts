import { BinnacleError, messageOf, type ResourceVersion } from '@binnacle/core'
import type { Store } from '../store/store.ts'

/** What a reflector may do to what it feeds: a store, an indexer or a queue. */
export interface ReflectorStore<T> {
  add(object: T): void
  update(object: T): void
  delete(object: T): void
  /** The whole content, as it was at that version. */
  replace(objects: readonly T[], resourceVersion: ResourceVersion): void
  /** Everything that is known once more, for those who asked to be reminded. Never asks the server. */
  resync(): void
  /** Nothing has changed up to that version. */
  bookmark?(resourceVersion: ResourceVersion): void
  /** The reflector has seen that version. Is told after whatever it is the version of. */
  updateResourceVersion?(resourceVersion: ResourceVersion): void
}

/** Handles what was popped. It runs to its end before anything else is popped. */
export type PopProcessFunc<A> = (item: A, isInInitialList: boolean) => void | Promise<void>

/** What a controller may do to the queue that it empties. */
export interface ControllerQueue<B> {
  /** Waits for something, takes as much as belongs into one piece, and has it processed. Rejects when closed and empty. */
  popBatch(process: PopProcessFunc<B>, options?: PopBatchOptions): Promise<void>
  /** Whether everything of the first `replace` has been popped; true at once if something else came first. */
  hasSynced(): boolean
  /** Resolves when `hasSynced`; rejects when the queue closes before, or with the signal's reason. */
  whenSynced(signal?: AbortSignal): Promise<void>
  /** Ends waiting pops. What is in the queue can still be popped. */
  close(): void
  readonly isClosed: boolean
  /** How many changes wait. */
  readonly length: number
}
export interface PopBatchOptions {
  /** The most changes in one piece. @default 1000 */
  readonly limit?: number
  readonly signal?: AbortSignal
}

/** The queue is closed and empty. */
export class FIFOClosedError extends BinnacleError {
  override readonly name = 'FIFOClosedError'

  constructor() {
    super('BIN_STATE', {
      message: 'The queue is closed, and nothing is left in it',
      hint: 'Whoever pops in a loop ends the loop at this error.',
    })
  }
}

/**
 * Thrown by a process function: the item goes back to the queue unless a newer one waits, and `pop` rejects with `cause`; if there is none, it
 * resolves.
 * Beware: with a cache behind the queue this can take an object back in time, because what was known meanwhile is put in again later.
 * Informers never do it.
 */
export class RequeueError extends BinnacleError {
  override readonly name = 'RequeueError'

  constructor(cause?: unknown) {
    super('BIN_STATE', {
      message:
        cause === undefined ? 'An item goes back to the queue' : `An item goes back to the queue: ${messageOf(cause)}`,
      hint: 'Throw it from a process function of FIFO or DeltaFIFO only; the queue catches it.',
      cause,
    })
  }
}

/** A store whose content is to be processed, key by key, and is gone after that. */
export interface Queue<T, A = T> extends Store<T, A>, Disposable {
  /** Waits for a key, takes what has gathered under it, and has it processed. Resolves to it; rejects when closed and empty. */
  pop(process: PopProcessFunc<A>, signal?: AbortSignal): Promise<A>
  /** Only if the key has nothing waiting. See RequeueError for the hazard. */
  addIfNotPresent(item: A): void
  /** Whether everything of the first `replace` has been popped; true at once if something else came first. */
  hasSynced(): boolean
  /** Resolves when `hasSynced`; rejects when the queue closes before, or with the signal's reason. */
  whenSynced(signal?: AbortSignal): Promise<void>
  /** Ends waiting pops. What is in the queue can still be popped. */
  close(): void
  readonly isClosed: boolean
}

/** What the consumer of a queue knows already: its keys and objects. */
export interface KeyListerGetter<T> {
  listKeys(): string[]
  getByKey(key: string): T | undefined
}
