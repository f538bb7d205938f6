import {
  BinnacleError,
  type Duration,
  type KubeObject,
  linkedController,
  messageOf,
  type ResourceVersion,
  type Runtime,
  runtimeOf,
} from '@binnacle/core'
import type { ListerWatcher } from '../lister-watcher.ts'
import type { Deltas } from '../queue/delta.ts'
import type { DeltaFIFO } from '../queue/delta-fifo.ts'
import type { InOrderDelta, InOrderFIFO } from '../queue/ordered-queue.ts'
import { FIFOClosedError, type PopProcessFunc, type Queue, type ReflectorStore, RequeueError } from '../queue/queue.ts'
import { Reflector } from '../reflector/reflector.ts'
import type { ReflectorOptions } from '../reflector/reflector-options.ts'
import type { WatchErrorHandler } from '../reflector/watch-error.ts'
import type { Synced } from './synced.ts'

/** A reflector, a queue, and a loop that processes what comes out of it. */
export interface Controller extends Synced {
  /** Runs reflector and loop until the signal aborts. A second call is an error. */
  run(signal: AbortSignal): Promise<void>
  readonly lastSyncResourceVersion: ResourceVersion
}

interface CommonConfig<T> extends Omit<ReflectorOptions, 'resync' | 'onWatchError'> {
  readonly listerWatcher: ListerWatcher<T>
  /** How often the queue's `resync` is called, which never contacts the server. @default never */
  readonly fullResyncPeriod?: Duration
  /** Is told when a list or a watch fails. @default defaultWatchErrorHandler */
  readonly watchErrorHandler?: WatchErrorHandler
}
/** A queue that gathers by key, and what to do with what has gathered. */
export interface DeltaConfig<T> extends CommonConfig<T> {
  readonly queue: DeltaFIFO<T>
  readonly process: PopProcessFunc<Deltas<T>>
  /** Put an item back when `process` fails. See RequeueError for the hazard. @default false */
  readonly retryOnError?: boolean
}
/** A queue in order of arrival, and what to do with each batch. */
export interface InOrderConfig<T> extends CommonConfig<T> {
  readonly queue: InOrderFIFO<T>
  readonly process: PopProcessFunc<readonly InOrderDelta<T>[]>
}
export type Config<T> = DeltaConfig<T> | InOrderConfig<T>

/** What a controller does to its queue. */
export interface Drain extends Pick<Queue<unknown>, 'hasSynced' | 'whenSynced' | 'close'> {
  /** Waits for something, and has it processed. Rejects when closed and empty: no signal, since to listen to one at each wait is costly. */
  next(): Promise<unknown>
}

/**
 * Guarantees: reflector and loop end together, and both have ended when `run` has; a process function that fails is logged, and the next
 * piece is processed.
 */
export class QueueController<T> implements Controller {
  readonly #drain: Drain
  readonly #reflector: Reflector<T>
  readonly #onSynced: () => void
  readonly #runtime: Runtime
  #hasRun = false
  #isSynced = false

  constructor(given: {
    readonly drain: Drain
    readonly reflector: Reflector<T>
    /** Is called once, when everything of the first list has been processed. */
    readonly onSynced?: () => void
    readonly runtime: Runtime
  }) {
    this.#drain = given.drain
    this.#reflector = given.reflector
    this.#onSynced = given.onSynced ?? (() => {})
    this.#runtime = given.runtime
  }

  hasSynced(): boolean {
    return this.#drain.hasSynced()
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#drain.whenSynced(signal)
  }

  get lastSyncResourceVersion(): ResourceVersion {
    return this.#reflector.lastSyncResourceVersion
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#hasRun) throw hasRun(this.#reflector.name)
    this.#hasRun = true
    const end = linkedController(signal)
    const loop = this.#loop(end.signal)
    try {
      await this.#reflector.run(end.signal)
    } finally {
      end.abort()
      this.#drain.close()
      await loop
    }
  }

  async #loop(signal: AbortSignal): Promise<void> {
    // A first list without objects may leave nothing to process: then no turn of the loop would notice.
    this.#drain.whenSynced(signal).then(
      () => this.#noteSynced(),
      () => {},
    )
    signal.addEventListener('abort', () => this.#drain.close(), { once: true })
    while (!signal.aborted) {
      try {
        await this.#drain.next()
      } catch (error) {
        if (signal.aborted || error instanceof FIFOClosedError) return
        this.#runtime.logger.error(`A change could not be processed: ${messageOf(error)}`, { error })
      }
      if (this.#drain.hasSynced()) this.#noteSynced()
    }
  }

  #noteSynced(): void {
    if (this.#isSynced) return
    this.#isSynced = true
    this.#onSynced()
  }
}

class ConfiguredController<T extends KubeObject> extends QueueController<T> {
  constructor(config: Config<T>) {
    const { fullResyncPeriod, watchErrorHandler, ...options } = config
    const reflector = new Reflector<T>(config.listerWatcher, config.queue as ReflectorStore<T>, {
      ...options,
      ...(fullResyncPeriod !== undefined && { resync: fullResyncPeriod }),
      ...(watchErrorHandler && { onWatchError: watchErrorHandler }),
    })
    super({ drain: drainOf(config), reflector, runtime: runtimeOf(config) })
  }
}

function drainOf<T>(config: Config<T>): Drain {
  const { queue } = config
  const synced = {
    hasSynced: () => queue.hasSynced(),
    whenSynced: (signal?: AbortSignal) => queue.whenSynced(signal),
    close: () => queue.close(),
  }
  if (isInOrder(config)) {
    return { ...synced, next: () => config.queue.popBatch(config.process) }
  }
  const process = config.retryOnError ? requeueing(config.process) : config.process
  return { ...synced, next: () => config.queue.pop(process) }
}

function isInOrder<T>(config: Config<T>): config is InOrderConfig<T> {
  return 'popBatch' in config.queue
}

function requeueing<A>(process: PopProcessFunc<A>): PopProcessFunc<A> {
  return async (item, isInInitialList) => {
    try {
      await process(item, isInInitialList)
    } catch (error) {
      throw error instanceof RequeueError ? error : new RequeueError(error)
    }
  }
}

function hasRun(name: string): BinnacleError {
  return new BinnacleError('BIN_STATE', {
    message: `The controller of ${name} has been run already`,
    hint: 'A controller runs once: make a new one, with a new queue.',
  })
}

export const Controller: {
  new <T extends KubeObject>(config: DeltaConfig<T>): Controller
  new <T extends KubeObject>(config: InOrderConfig<T>): Controller
} = ConfiguredController
