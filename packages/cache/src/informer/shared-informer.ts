import {
  BinnacleError,
  type KubeObject,
  type LinkedController,
  linkedController,
  messageOf,
  type ResourceVersion,
  type Runtime,
  runtimeOf,
  seconds,
} from '@binnacle/core'
import { deletionHandlingMetaNamespaceKeyFunc, type KeyFunc } from '../keys.ts'
import { Latch } from '../latch.ts'
import type { ListerWatcher } from '../lister-watcher.ts'
import { Reflector } from '../reflector/reflector.ts'
import type { ReflectorOptions, ReflectorState } from '../reflector/reflector-options.ts'
import type { WatchErrorHandler } from '../reflector/watch-error.ts'
import type { Indexers } from '../store/index-functions.ts'
import { type Indexer, KeyedIndexer } from '../store/indexer.ts'
import type { Store, TransformFunc } from '../store/store.ts'
import type { Change } from './change.ts'
import { ChangeStream } from './change-stream.ts'
import { type Controller, QueueController } from './controller.ts'
import { Distributor, type Subscriber } from './distributor.ts'
import { handlerName } from './handler-name.ts'
import {
  endedBeforeSync,
  HandlerListener,
  type Listener,
  type Registration,
  type ResourceEventHandler,
} from './listener.ts'
import { deltaPipeline, inOrderPipeline, type Pipeline } from './pipeline.ts'
import { checkPeriodWith, ResyncSchedule } from './resync.ts'
import type { HandlerOptions, SharedInformerOptions } from './shared-informer-options.ts'
import type { Synced } from './synced.ts'

/**
 * One watch and one cache for any number of handlers.
 * Guarantees: for each object the cache goes through states in the order in which the server did, possibly skipping some. The cache, its indices
 * and the subscribers change in one synchronous step. A handler hears of a state after the cache has it, one call at a time, in the
 * order of that object's states. What vanished while the watch was cut is told as a deletion, once. An object that took the name of a
 * deleted one is told as a deletion and an addition.
 * Does not guarantee: any order between handlers; that a slow handler hears of every state; that the cache is fresh.
 * Assumes: nobody changes what comes out of the cache, nor writes to it.
 */
export interface SharedInformer<T extends KubeObject> extends Synced, AsyncDisposable {
  readonly name: string
  /** Adds a handler; after the start it is first told of everything in the cache. An error on a stopped informer. */
  addEventHandler(handler: ResourceEventHandler<T>, options?: HandlerOptions): Registration
  /** Removes it without waiting for the call in progress; a foreign or removed registration is no error. */
  removeEventHandler(registration: Registration): void
  /**
   * Calls `subscriber` for each change within the step that made it: the cache and its indices have the change, and nothing else has run
   * since. After the start it is first told, within this call, of everything in the cache. It hears of no resyncs.
   */
  subscribe(subscriber: Subscriber<T>): Disposable
  /** Changes as an iteration; when the reader is slow, changes of one object are merged. */
  changes(options?: HandlerOptions & { readonly signal?: AbortSignal }): AsyncIterableIterator<Change<T>>
  /** The cache, to read from. */
  getStore(): Store<T>
  /** Does nothing; there for those who look for it. */
  getController(): Controller
  /** Runs until the signal aborts; resolves when everything has ended. It cannot be run again. */
  run(signal: AbortSignal): Promise<void>
  readonly lastSyncResourceVersion: ResourceVersion
  readonly isStopped: boolean
  /** What it is doing, for health. */
  readonly state: ReflectorState
  /** What went wrong last; undefined as soon as a list or an event has come since. */
  readonly lastError: unknown
  /** Seconds since the server last said anything. */
  readonly staleness: number
  /** Before the start only; the last one wins. */
  setWatchErrorHandler(handler: WatchErrorHandler): void
  /** Before the start only; the last one wins. Applied to each object before it is stored. */
  setTransform(transform: TransformFunc<T>): void
}

/** A shared informer whose cache has indices. */
export interface SharedIndexInformer<T extends KubeObject, I extends string = string> extends SharedInformer<T> {
  getIndexer(): Indexer<T, I>
  /** Also after the start; not once it has stopped. */
  addIndexers<const X extends Indexers<T>>(indexers: X): SharedIndexInformer<T, I | (keyof X & string)>
}

const BUFFER = 1024

class IndexInformer<T extends KubeObject, I extends string = string> implements SharedIndexInformer<T, I> {
  readonly name: string
  readonly #listerWatcher: ListerWatcher<T>
  readonly #options: SharedInformerOptions<T>
  readonly #runtime: Runtime
  readonly #indexer: KeyedIndexer<T, I>
  readonly #distributor: Distributor<T>
  readonly #synced = new Latch()
  #watchErrorHandler: WatchErrorHandler | undefined
  #transform: TransformFunc<T> | undefined
  #checkPeriod: number
  #handlers = 0
  #stage: 'new' | 'running' | 'stopped' = 'new'
  #reflector: Reflector<T> | undefined
  #end: LinkedController | undefined
  #ended: Promise<void> | undefined

  constructor(
    listerWatcher: ListerWatcher<T>,
    options: SharedInformerOptions<T> & { readonly indexers?: Indexers<T> } = {},
  ) {
    this.name = options.name ?? 'informer'
    this.#listerWatcher = listerWatcher
    this.#options = options
    this.#runtime = runtimeOf(options)
    this.#indexer = new KeyedIndexer<T, I>(keyFunc as KeyFunc<T>, options.indexers ?? {}, {
      indexErrors: options.indexErrors ?? 'ignored',
      onIndexError: (error, indexName, key) => this.#indexFailed(error, indexName, key),
    })
    this.#distributor = new Distributor(this.#runtime)
    this.#watchErrorHandler = options.onWatchError
    this.#transform = options.transform
    this.#checkPeriod = seconds(options.resync ?? 0)
  }

  get isStopped(): boolean {
    return this.#stage === 'stopped'
  }

  get state(): ReflectorState {
    return this.#reflector?.state ?? (this.isStopped ? 'stopped' : 'idle')
  }

  get lastError(): unknown {
    return this.#reflector?.lastError
  }

  get staleness(): number {
    return this.#reflector?.staleness ?? 0
  }

  get lastSyncResourceVersion(): ResourceVersion {
    return this.#reflector?.lastSyncResourceVersion ?? ''
  }

  hasSynced(): boolean {
    return this.#synced.isOpen
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#synced.wait(signal)
  }

  getStore(): Store<T> {
    return this.#indexer
  }

  getIndexer(): Indexer<T, I> {
    return this.#indexer
  }

  addIndexers<const X extends Indexers<T>>(indexers: X): SharedIndexInformer<T, I | (keyof X & string)> {
    this.#refuseIf('stopped', 'take more indices')
    this.#indexer.addIndexers(indexers)
    return this as unknown as SharedIndexInformer<T, I | (keyof X & string)>
  }

  getController(): Controller {
    return {
      run: async () => {},
      hasSynced: () => this.hasSynced(),
      whenSynced: (signal) => this.whenSynced(signal),
      lastSyncResourceVersion: '',
    }
  }

  setWatchErrorHandler(handler: WatchErrorHandler): void {
    this.#refuseUnlessNew('take another watch error handler')
    this.#watchErrorHandler = handler
  }

  setTransform(transform: TransformFunc<T>): void {
    this.#refuseUnlessNew('take another transformation')
    this.#transform = transform
  }

  addEventHandler(handler: ResourceEventHandler<T>, options: HandlerOptions = {}): Registration {
    this.#refuseIf('stopped', 'take more handlers')
    const listener = new HandlerListener<T>({
      name: options.name ?? handlerName(handler) ?? `${this.name} handler ${++this.#handlers}`,
      handler,
      schedule: this.#schedule(options),
      limit: options.buffer ?? BUFFER,
      runtime: this.#runtime,
      remove: (removed) => this.#distributor.remove(removed),
    })
    this.#join(listener)
    return listener
  }

  removeEventHandler(registration: Registration): void {
    const listener = this.#distributor.listeners.find((other) => (other as unknown) === registration)
    if (!listener) return
    this.#distributor.remove(listener)
    void listener.stop()
  }

  subscribe(subscriber: Subscriber<T>): Disposable {
    this.#refuseIf('stopped', 'take more subscribers')
    for (const change of this.#everything()) this.#distributor.call(subscriber, change)
    return this.#distributor.subscribe(subscriber)
  }

  changes(options: HandlerOptions & { readonly signal?: AbortSignal } = {}): AsyncIterableIterator<Change<T>> {
    this.#refuseIf('stopped', 'tell of changes')
    const stream = new ChangeStream<T>({
      schedule: this.#schedule(options),
      limit: options.buffer ?? BUFFER,
      signal: options.signal,
      remove: (removed) => this.#distributor.remove(removed),
    })
    if (!options.signal?.aborted) this.#join(stream)
    return stream
  }

  run(signal: AbortSignal): Promise<void> {
    if (this.#stage !== 'new') return Promise.reject(this.#refusal('be run again'))
    this.#stage = 'running'
    this.#end = linkedController(signal)
    this.#ended = this.#run(this.#end.signal)
    return this.#ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#stage === 'new') await this.#stop()
    this.#end?.abort()
    // Whoever called `run` hears of its failure.
    await this.#ended?.catch(() => {})
  }

  async #run(signal: AbortSignal): Promise<void> {
    const pipeline = this.#pipeline()
    this.#reflector = new Reflector<T>(this.#listerWatcher, pipeline.queue, this.#reflectorOptions())
    const controller = new QueueController({
      drain: pipeline.drain,
      reflector: this.#reflector,
      onSynced: () => this.#noteSynced(),
      runtime: this.#runtime,
    })
    try {
      await controller.run(signal)
    } finally {
      await this.#stop()
    }
  }

  #pipeline(): Pipeline<T> {
    const given = {
      name: this.name,
      indexer: this.#indexer as KeyedIndexer<T, string>,
      distributor: this.#distributor,
      transform: this.#transform,
      freeze: this.#options.freeze ?? false,
      runtime: this.#runtime,
    }
    return this.#options.queue === 'delta' ? deltaPipeline(given) : inOrderPipeline(given)
  }

  async #stop(): Promise<void> {
    this.#stage = 'stopped'
    this.#synced.fail(endedBeforeSync(`${this.name} was stopped`))
    this.#end?.[Symbol.dispose]()
    await Promise.all(this.#distributor.listeners.map((listener) => listener.stop()))
  }

  #reflectorOptions(): ReflectorOptions {
    const { clock, random, logger, metrics } = this.#runtime
    return {
      ...this.#options.reflector,
      ...{ clock, random, logger, metrics },
      name: this.name,
      resync: this.#checkPeriod,
      shouldResync: () => this.#look(),
      ...(this.#watchErrorHandler && { onWatchError: this.#watchErrorHandler }),
    }
  }

  #noteSynced(): void {
    this.#synced.open()
    for (const listener of this.#distributor.listeners) listener.endInitialList()
  }

  #join(listener: Listener<T>): void {
    listener.push(this.#everything())
    this.#distributor.add(listener)
    if (this.hasSynced()) listener.endInitialList()
  }

  /** The cache, as it is told to one who comes late. */
  #everything(): Change<T>[] {
    const entries = this.#indexer.cells.entries()
    return Array.from(entries, ({ key, object }) => ({ type: 'add', key, object, isInInitialList: true }))
  }

  #schedule(options: HandlerOptions): ResyncSchedule {
    const { logger, clock } = this.#runtime
    const schedule = new ResyncSchedule(seconds(options.resync ?? this.#options.resync ?? 0))
    if (schedule.asked > 0 && this.#checkPeriod === 0) {
      logger.warn(
        `${this.name} does no resyncs, so that a handler that asks for them gets none; set its option \`resync\``,
      )
    }
    const shorter = checkPeriodWith(schedule.asked, this.#checkPeriod, this.#stage === 'running')
    if (shorter !== this.#checkPeriod) {
      this.#checkPeriod = shorter
      for (const listener of this.#distributor.listeners) listener.schedule.derive(shorter, clock.monotonic())
    }
    schedule.derive(this.#checkPeriod, clock.monotonic())
    return schedule
  }

  #look(): boolean {
    const now = this.#runtime.clock.monotonic()
    // Everybody is asked, not only the first who is due.
    return this.#distributor.listeners.map((listener) => listener.schedule.look(now)).includes(true)
  }

  #indexFailed(error: unknown, indexName: string, key: string): void {
    this.#options.onIndexError?.(error, indexName, key)
    if (this.#options.onIndexError) return
    const line = `${this.name}: index function ${JSON.stringify(indexName)} failed for ${key}: ${messageOf(error)}`
    this.#runtime.logger.error(line, { error })
  }

  #refuseUnlessNew(what: string): void {
    if (this.#stage !== 'new') throw this.#refusal(what)
  }

  #refuseIf(stage: 'stopped', what: string): void {
    if (this.#stage === stage) throw this.#refusal(what)
  }

  #refusal(what: string): BinnacleError {
    const state = this.#stage === 'stopped' ? 'has been stopped' : 'is running'
    return new BinnacleError('BIN_STATE', {
      message: `${this.name} ${state} and cannot ${what}`,
      hint: this.#stage === 'stopped' ? 'Make a new informer.' : 'Do that before `run`.',
    })
  }
}

const keyFunc = deletionHandlingMetaNamespaceKeyFunc

export const SharedInformer: {
  new <T extends KubeObject>(listerWatcher: ListerWatcher<T>, options?: SharedInformerOptions<T>): SharedInformer<T>
} = IndexInformer

export const SharedIndexInformer: {
  new <T extends KubeObject, const X extends Indexers<T> = Indexers<T>>(
    listerWatcher: ListerWatcher<T>,
    options?: SharedInformerOptions<T> & { readonly indexers?: X },
  ): SharedIndexInformer<T, keyof X & string>
} = IndexInformer
