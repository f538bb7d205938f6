import { setMaxListeners } from 'node:events'
import {
  BinnacleError,
  type Duration,
  type KubeObject,
  type LinkedController,
  type ListOptions,
  linkedController,
  type ObjectOf,
  type ResourceLike,
  type Runtime,
  runtimeOf,
  Supervisor,
} from '@binnacle/core'
import { ListWatch, type ListWatchClient } from '../lister-watcher.ts'
import type { Surroundings } from '../options.ts'
import { metaNamespaceIndexFunc } from '../store/index-functions.ts'
import { GenericLister } from '../store/lister.ts'
import type { TransformFunc } from '../store/store.ts'
import { InformerNames } from './informer-names.ts'
import { resourceId, resourceName, scopeId } from './resource-scope.ts'
import { SharedIndexInformer } from './shared-informer.ts'
import type { SharedInformerOptions } from './shared-informer-options.ts'
import { waitFor } from './synced.ts'

/** Which objects of a resource. Different scopes are different informers. */
export interface InformerScope extends Pick<ListOptions, 'namespace' | 'labels' | 'fields'> {}

export interface SharedInformerFactoryOptions
  extends Surroundings,
    InformerScope,
    Pick<SharedInformerOptions<KubeObject>, 'queue' | 'freeze' | 'reflector' | 'onWatchError'> {
  /** How often handlers are reminded of everything. @default 0, never */
  readonly resync?: Duration
  /** Applied to each object of every kind before it is stored. @default none */
  readonly transform?: TransformFunc<KubeObject>
}
/** For one informer; the factory's are the defaults. They count when the informer is made, which is when it is first asked for. */
export interface InformerForOptions<T> extends InformerScope {
  readonly resync?: Duration
  readonly transform?: TransformFunc<T>
}

/** A share in an informer. It runs for as long as somebody has one; disposing of the last stops it, and waits until it has ended. */
export interface InformerLease<T extends KubeObject> extends AsyncDisposable {
  readonly informer: SharedIndexInformer<T, 'namespace'>
  readonly lister: GenericLister<T>
}

/**
 * One informer for each resource and scope, however many ask for it. A resource is named by a string, whether its type is known or not, or by
 * what `resource` made.
 */
export interface SharedInformerFactory extends AsyncDisposable {
  /** The informer, to be started with `start`; it stays until the shutdown. */
  informerFor<R extends ResourceLike>(
    resource: R,
    options?: InformerForOptions<ObjectOf<R>>,
  ): SharedIndexInformer<ObjectOf<R> & KubeObject, 'namespace'>
  /** The same with metadata alone, which is all that the server sends, too. */
  metadataInformerFor(
    resource: ResourceLike,
    options?: InformerForOptions<KubeObject>,
  ): SharedIndexInformer<KubeObject, 'namespace'>
  listerFor<R extends ResourceLike>(
    resource: R,
    options?: InformerForOptions<ObjectOf<R>>,
  ): GenericLister<ObjectOf<R> & KubeObject>
  /** A share in the informer, which starts by itself if the factory has been started, and stops when nobody has a share any more. */
  acquire<R extends ResourceLike>(
    resource: R,
    options?: InformerForOptions<ObjectOf<R>>,
  ): InformerLease<ObjectOf<R> & KubeObject>
  acquireMetadata(resource: ResourceLike, options?: InformerForOptions<KubeObject>): InformerLease<KubeObject>
  /** The names of the informers that there are. */
  readonly names: readonly string[]
  /** Starts what has not been started; may be called again. Whatever was started ends when its signal aborts. */
  start(signal: AbortSignal): void
  /** Resolves when all that have been started have synced. */
  whenSynced(signal?: AbortSignal): Promise<void>
  /** Rejects when an informer has failed for good, because no credentials are left. Never resolves. */
  readonly failed: Promise<never>
  /** Resolves when all have stopped; nothing can be started after it. */
  shutdown(): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: the type of the objects is known to the interface only
type Loose = any

interface Entry {
  readonly informer: SharedIndexInformer<KubeObject, 'namespace'>
  readonly release: () => void
  /** Asked for without a share: it stays. */
  pinned: boolean
  shares: number
  running?: { readonly end: LinkedController; readonly ended: Promise<void> }
}

/** Guarantees: no two informers of one resource and scope at a time; after `shutdown` none runs. */
class InformerFactory implements SharedInformerFactory {
  readonly #client: ListWatchClient
  readonly #options: SharedInformerFactoryOptions
  readonly #runtime: Runtime
  readonly #supervisor: Supervisor
  readonly #entries = new Map<string, Entry>()
  readonly #names = new InformerNames()
  #signal: AbortSignal | undefined
  #isShutDown = false

  constructor(client: ListWatchClient, options: SharedInformerFactoryOptions = {}) {
    this.#client = client
    this.#options = options
    this.#runtime = runtimeOf(options)
    this.#supervisor = new Supervisor(this.#runtime)
  }

  get names(): readonly string[] {
    return Array.from(this.#entries.values(), ({ informer }) => informer.name)
  }

  get failed(): Promise<never> {
    return this.#supervisor.failed
  }

  informerFor<R extends ResourceLike>(resource: R, options: InformerForOptions<ObjectOf<R>> = {}) {
    return this.#pinned<ObjectOf<R> & KubeObject>(resource, options, false)
  }

  metadataInformerFor(resource: ResourceLike, options: InformerForOptions<KubeObject> = {}) {
    return this.#pinned<KubeObject>(resource, options, true)
  }

  listerFor<R extends ResourceLike>(resource: R, options: InformerForOptions<ObjectOf<R>> = {}) {
    return new GenericLister(this.informerFor(resource, options).getIndexer(), resourceName(resource))
  }

  acquire<R extends ResourceLike>(resource: R, options: InformerForOptions<ObjectOf<R>> = {}) {
    return this.#share<ObjectOf<R> & KubeObject>(resource, options, false)
  }

  acquireMetadata(resource: ResourceLike, options: InformerForOptions<KubeObject> = {}) {
    return this.#share<KubeObject>(resource, options, true)
  }

  start(signal: AbortSignal): void {
    if (this.#isShutDown) throw shutDown('start')
    this.#signal = signal
    for (const entry of this.#entries.values()) this.#run(entry, signal)
  }

  async whenSynced(signal: AbortSignal = this.#supervisor.signal): Promise<void> {
    const started = [...this.#entries.values()].filter(({ running }) => running !== undefined)
    await waitFor({ signal }, ...started.map(({ informer }) => informer))
  }

  async shutdown(): Promise<void> {
    this.#isShutDown = true
    await this.#supervisor.stop()
    await Promise.all(Array.from(this.#entries.values(), ({ informer }) => informer[Symbol.asyncDispose]()))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown()
  }

  #pinned<T extends KubeObject>(
    resource: ResourceLike,
    options: InformerForOptions<Loose>,
    metadataOnly: boolean,
  ): SharedIndexInformer<T, 'namespace'> {
    const [, entry] = this.#entry(resource, options, metadataOnly)
    entry.pinned = true
    return entry.informer as Loose
  }

  #share<T extends KubeObject>(
    resource: ResourceLike,
    options: InformerForOptions<Loose>,
    metadataOnly: boolean,
  ): InformerLease<T> {
    const [id, entry] = this.#entry(resource, options, metadataOnly)
    const informer: SharedIndexInformer<T, 'namespace'> = entry.informer as Loose
    entry.shares++
    if (this.#signal && !this.#signal.aborted) this.#run(entry, this.#signal)
    let released: Promise<void> | undefined
    return {
      informer,
      lister: new GenericLister<T>(informer.getIndexer(), resourceName(resource)),
      [Symbol.asyncDispose]: () => {
        released ??= this.#release(id, entry)
        return released
      },
    }
  }

  async #release(id: string, entry: Entry): Promise<void> {
    if (--entry.shares > 0 || entry.pinned) return
    // Out of the set at once: who asks while it ends gets a new one.
    if (this.#entries.get(id) === entry) this.#entries.delete(id)
    entry.release()
    entry.running?.end.abort()
    await entry.informer[Symbol.asyncDispose]()
    await entry.running?.ended
  }

  #entry(resource: ResourceLike, options: InformerForOptions<Loose>, metadataOnly: boolean): readonly [string, Entry] {
    if (this.#isShutDown) throw shutDown('make informers')
    const {
      namespace = this.#options.namespace,
      labels = this.#options.labels,
      fields = this.#options.fields,
    } = options
    const scope = {
      ...(namespace !== undefined && { namespace }),
      ...(labels && { labels }),
      ...(fields && { fields }),
    }
    const id = `${resourceId(resource)}${metadataOnly ? ' (metadata)' : ''}${scopeId(scope)}`
    const known = this.#entries.get(id)
    if (known) return [id, known]
    const name = this.#names.reserve(id)
    const listWatch = new ListWatch(this.#client, resource, { ...scope, ...(metadataOnly && { metadataOnly }) })
    const informer = this.#informer(listWatch as ListWatch<KubeObject>, id, options)
    const entry: Entry = { informer, release: () => name.release(), pinned: false, shares: 0 }
    this.#entries.set(id, entry)
    return [id, entry]
  }

  #informer(listWatch: ListWatch<KubeObject>, name: string, options: InformerForOptions<Loose>) {
    const { namespace: _, labels: __, fields: ___, transform: general, resync: usual, ...shared } = this.#options
    const transform = (options.transform ?? general) as TransformFunc<KubeObject> | undefined
    const resync = options.resync ?? usual
    return new SharedIndexInformer(listWatch, {
      ...shared,
      name,
      indexers: { namespace: metaNamespaceIndexFunc },
      ...(transform && { transform }),
      ...(resync !== undefined && { resync }),
    })
  }

  #run(entry: Entry, signal: AbortSignal): void {
    if (entry.running || entry.informer.isStopped) return
    // Every informer listens to both, and Node takes more than ten listeners for a leak.
    setMaxListeners(0, signal, this.#supervisor.signal)
    const end = linkedController(signal, this.#supervisor.signal)
    const ended = this.#supervisor.start(entry.informer.name, () => entry.informer.run(end.signal))
    entry.running = { end, ended }
  }
}

function shutDown(what: string): BinnacleError {
  return new BinnacleError('BIN_STATE', {
    message: `The informer factory has been shut down and cannot ${what}`,
    hint: 'Make a new factory.',
  })
}

export const SharedInformerFactory: {
  new (client: ListWatchClient, options?: SharedInformerFactoryOptions): SharedInformerFactory
} = InformerFactory
