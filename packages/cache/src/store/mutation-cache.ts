import {
  type Clock,
  compareResourceVersions,
  type Duration,
  type KubeObject,
  seconds,
  systemClock,
} from '@binnacle/core'
import type { Change } from '../informer/change.ts'
import { deletionHandlingMetaNamespaceKeyFunc } from '../keys.ts'
import type { Indexer } from './indexer.ts'

export interface MutationCacheOptions {
  /** How long a write is remembered at most. @default '5m' */
  readonly ttl?: Duration
  /** How many writes are remembered at most; the oldest go first. @default 100 */
  readonly capacity?: number
  /** Also show what was created and is not in the cache yet. @default false */
  readonly includeAdds?: boolean
  /** @default the system's */
  readonly clock?: Clock
}

interface Remembered<O> {
  readonly it: O
  readonly until: number
}

/**
 * Read your own writes: what this process wrote, laid over a cache that has not seen it yet.
 * Feed it with what the server answered to your writes (`mutation`) and with what the cache is told (`observe`, for instance
 * `informer.subscribe((change) => mutations.observe(change))`).
 * Guarantees: of a written and a cached state the newer is shown; what the cache has caught up with is forgotten; an object that was deleted does
 * not come back because the answer to an earlier write arrives late; a namesake is another object.
 * Does not guarantee: that writes of other processes are seen. To wait for the cache instead, use `waitForResourceVersion`.
 */
export class MutationCache<T extends KubeObject, I extends string = string> {
  readonly #indexer: Indexer<T, I>
  readonly #ttl: number
  readonly #capacity: number
  readonly #includeAdds: boolean
  readonly #clock: Clock
  /** Oldest first. */
  readonly #written = new Map<string, Remembered<T>>()
  readonly #deleted = new Map<string, Remembered<{ readonly uid: string; readonly version: string }>>()

  constructor(indexer: Indexer<T, I>, options: MutationCacheOptions = {}) {
    this.#indexer = indexer
    this.#ttl = seconds(options.ttl ?? '5m')
    this.#capacity = options.capacity ?? 100
    this.#includeAdds = options.includeAdds ?? false
    this.#clock = options.clock ?? systemClock
  }

  /** How many writes are remembered. */
  get size(): number {
    return this.#written.size
  }

  /** The object as the server answered to a write of ours. */
  mutation(object: T): void {
    const key = deletionHandlingMetaNamespaceKeyFunc(object)
    const { uid, resourceVersion } = object.metadata
    const gone = this.#recall(this.#deleted, key)
    if (gone && (gone.uid === uid || !isNewer(resourceVersion, gone.version))) return
    const cached = this.#indexer.getByKey(key)
    if (cached && !isNewer(resourceVersion, cached.metadata.resourceVersion)) return
    const known = this.#recall(this.#written, key)
    if (known && isNewer(known.metadata.resourceVersion, resourceVersion)) return
    this.#remember(this.#written, key, object)
  }

  /** What the cache was told. */
  observe(change: Change<T>): void {
    if (change.type === 'delete') this.#gone(change.key, change.object)
    else this.#seen(change.key, change.object)
  }

  getByKey(key: string): T | undefined {
    const cached = this.#indexer.getByKey(key)
    const written = this.#recall(this.#written, key)
    if (!written) return cached
    if (!cached) return this.#includeAdds ? written : undefined
    return isNewer(written.metadata.resourceVersion, cached.metadata.resourceVersion) ? written : cached
  }

  /** As the cache's, by the values of what is shown: a write that moved an object moves it here too. */
  byIndex(indexName: I, indexedValue: string): T[] {
    const keys = new Set([...this.#indexer.indexKeys(indexName, indexedValue), ...this.#written.keys()])
    const values = this.#indexer.getIndexers()[indexName]
    return [...keys].flatMap((key) => {
      const object = this.getByKey(key)
      return object && values(object).includes(indexedValue) ? [object] : []
    })
  }

  #seen(key: string, { metadata }: T): void {
    const written = this.#written.get(key)?.it.metadata
    if (!written) return
    if (isNewer(written.resourceVersion, metadata.resourceVersion)) return
    this.#written.delete(key)
  }

  #gone(key: string, last: T | undefined): void {
    const written = this.#written.get(key)?.it.metadata
    const { uid = '', resourceVersion = '' } = last?.metadata ?? written ?? {}
    this.#remember(this.#deleted, key, { uid, version: resourceVersion })
    if (written && (written.uid === uid || !isNewer(written.resourceVersion, resourceVersion)))
      this.#written.delete(key)
  }

  #recall<O>(from: Map<string, Remembered<O>>, key: string): O | undefined {
    const remembered = from.get(key)
    if (!remembered || remembered.until >= this.#clock.monotonic()) return remembered?.it
    from.delete(key)
    return undefined
  }

  #remember<O>(into: Map<string, Remembered<O>>, key: string, it: O): void {
    into.delete(key)
    into.set(key, { it, until: this.#clock.monotonic() + this.#ttl })
    for (const oldest of into.keys()) {
      if (into.size <= this.#capacity) return
      into.delete(oldest)
    }
  }
}

/** Versions that cannot be compared are not newer: then the cache is believed. */
function isNewer(version: string, than: string): boolean {
  return (compareResourceVersions(version, than) ?? 0) > 0
}
