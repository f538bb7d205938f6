import { BinnacleError, messageOf, type Runtime } from '@binnacle/core'
import { Latch } from '../latch.ts'
import type { Change, DeletedObject } from './change.ts'
import { ChangeBuffer } from './change-buffer.ts'
import type { ResyncSchedule } from './resync.ts'
import { Slices } from './slices.ts'
import type { Synced } from './synced.ts'

/** Is told of changes one after the other, after the cache has them. An error is logged and the next change is delivered. */
export interface ResourceEventHandler<T> {
  onAdd?(object: T, isInInitialList: boolean): void | Promise<void>
  /** The same object twice, in a resync. */
  onUpdate?(old: T, object: T): void | Promise<void>
  onDelete?(deleted: DeletedObject<T>): void | Promise<void>
}

/** One handler of an informer. Disposing of it removes the handler and waits for the call in progress; so not from within that call. */
export interface Registration extends Synced, AsyncDisposable {}

/** One who hears of changes through a buffer of their own. */
export interface Listener<T> {
  readonly schedule: ResyncSchedule
  /** What one step has changed. The list is not changed any more. */
  push(changes: readonly Change<T>[]): void
  /** The first list is complete: all of it has been pushed. */
  endInitialList(): void
  /** Nothing is told any more. Resolves when the call in progress has ended. */
  stop(): Promise<void>
}

/**
 * Calls one handler.
 * Guarantees: one call at a time, in the order of the changes, never within the step that changed the cache; a call that fails is logged
 * and followed by the next; a slow handler costs memory for the newest state of each object at most; a long series of calls gives others
 * their turn in between.
 */
export class HandlerListener<T> implements Listener<T>, Registration {
  readonly name: string
  readonly schedule: ResyncSchedule
  readonly #handler: ResourceEventHandler<T>
  readonly #runtime: Runtime
  readonly #buffer: ChangeBuffer<T>
  readonly #synced = new Latch()
  readonly #remove: () => void
  #delivery: Promise<void> | undefined
  #stopped = false

  constructor(given: {
    readonly name: string
    readonly handler: ResourceEventHandler<T>
    readonly schedule: ResyncSchedule
    readonly limit: number
    readonly runtime: Runtime
    readonly remove: (listener: HandlerListener<T>) => void
  }) {
    const merges = given.runtime.metrics.counter('informer_merged_changes_total', 'Changes told as one', ['handler'])
    this.name = given.name
    this.schedule = given.schedule
    this.#handler = given.handler
    this.#runtime = given.runtime
    this.#buffer = new ChangeBuffer(given.limit, () => merges.add(1, { handler: given.name }))
    this.#remove = () => given.remove(this)
  }

  push(changes: readonly Change<T>[]): void {
    if (this.#stopped || changes.length === 0) return
    this.#buffer.pushAll(changes)
    this.#wake()
  }

  endInitialList(): void {
    if (this.#stopped) return
    this.#buffer.mark(() => this.#synced.open())
    this.#wake()
  }

  hasSynced(): boolean {
    return this.#synced.isOpen
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#synced.wait(signal)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#buffer.clear()
    this.#synced.fail(endedBeforeSync(`Handler ${JSON.stringify(this.name)} was removed`))
    await this.#delivery
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#remove()
    await this.stop()
  }

  #wake(): void {
    this.#delivery ??= this.#deliver()
  }

  async #deliver(): Promise<void> {
    // Out of the step that changed the cache, which must not be held up.
    await undefined
    const slices = new Slices(this.#runtime.clock)
    for (let change = this.#buffer.take(); change; change = this.#buffer.take()) {
      if (slices.isOver) await slices.rest()
      // It may have been removed during the rest, and hears nothing after that.
      if (this.#stopped) break
      try {
        const call = tell(this.#handler, change)
        if (call) await call
      } catch (error) {
        this.#failed(change, error)
      }
    }
    this.#delivery = undefined
  }

  #failed({ type, key }: Change<T>, error: unknown): void {
    this.#runtime.logger.error(
      `Handler ${JSON.stringify(this.name)} failed at ${type} of ${key}: ${messageOf(error)}`,
      {
        error,
      },
    )
  }
}

function tell<T>(handler: ResourceEventHandler<T>, change: Change<T>): void | Promise<void> {
  switch (change.type) {
    case 'add':
      return handler.onAdd?.(change.object, change.isInInitialList)
    case 'update':
      return handler.onUpdate?.(change.old, change.object)
    case 'delete': {
      const { type: _, ...deleted } = change
      return handler.onDelete?.(deleted)
    }
  }
}

export function endedBeforeSync(what: string): BinnacleError {
  return new BinnacleError('BIN_STATE', {
    message: `${what} before the first list was complete`,
    hint: 'Wait for the sync with the signal that also stops the informer, and treat its end as an end.',
  })
}
