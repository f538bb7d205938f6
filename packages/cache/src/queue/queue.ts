import { BinnacleError, type ResourceVersion } from '@binnacle/core'

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
