import {
  ExpiredError,
  type KubeObject,
  type List,
  type ListOptions,
  objectKey,
  type ResourceVersion,
  type WatchEvent,
  type WatchOptions,
} from '@binnacle/core'
import type { Lister } from '../lister-watcher.ts'
import type { ListState } from './step.ts'

/** How the present state is learned: in pages, or streamed by a watch. */

/** Everything, as it was at one version. */
export interface Listed<T> {
  readonly objects: readonly T[]
  readonly version: ResourceVersion
}

const PAGE = 500
const END_OF_INITIAL_EVENTS = 'k8s.io/initial-events-end'

/**
 * Lists page by page.
 * A version other than "0" is served from the server's watch cache only if no limit is set, so relists ask for no pages; unless the
 * server gave pages for "0" as well, which means that it has no watch cache and the list is better cut up.
 */
export class PagedLister<T> {
  readonly #lister: Lister<T>
  readonly #pageSize: number | undefined
  #hasNoWatchCache = false

  constructor(lister: Lister<T>, pageSize: number | undefined) {
    this.#lister = lister
    this.#pageSize = pageSize
  }

  async list({ known, mostRecent }: ListState, signal: AbortSignal): Promise<Listed<T>> {
    const resourceVersion = mostRecent ? '' : (known ?? '0')
    const limit = this.#limit(resourceVersion)
    const first = await this.#page({ resourceVersion, signal, ...(limit > 0 && { limit }) })
    if (!first.metadata.continue) return { objects: first.items ?? [], version: first.metadata.resourceVersion }
    if (resourceVersion === '0') this.#hasNoWatchCache = true
    return this.#rest(first, { resourceVersion, signal }, limit)
  }

  #limit(resourceVersion: ResourceVersion): number {
    if (this.#pageSize !== undefined) return this.#pageSize
    return resourceVersion === '' || resourceVersion === '0' || this.#hasNoWatchCache ? PAGE : 0
  }

  /** A continued list carries its version in the token: the server refuses both. */
  async #rest(first: List<T>, asked: ListOptions, limit: number): Promise<Listed<T>> {
    const pages = [first.items]
    let last = first
    try {
      while (last.metadata.continue) {
        last = await this.#page({
          ...(asked.signal && { signal: asked.signal }),
          limit,
          continue: last.metadata.continue,
        })
        pages.push(last.items)
      }
    } catch (error) {
      if (!(error instanceof ExpiredError)) throw error
      // The pages that are left have been forgotten while we read: everything at once cannot be interrupted like that.
      last = await this.#page(asked)
      pages.splice(0, pages.length, last.items)
    }
    return { objects: pages.flatMap((items) => items ?? []), version: last.metadata.resourceVersion }
  }

  async #page(options: ListOptions): Promise<List<T>> {
    const page = await this.#lister.list(options)
    if (page.kind === 'Table' && page.apiVersion?.startsWith('meta.k8s.io/')) {
      throw new TypeError('The server answered a list with a Table, which has rows instead of objects')
    }
    return page
  }
}

/** The watch that begins with a list. */
export function streamedList({ known, mostRecent }: ListState): WatchOptions {
  const resourceVersion = mostRecent ? '' : (known ?? '')
  return { resourceVersion, resourceVersionMatch: 'NotOlderThan', sendInitialEvents: true, bookmarks: true }
}

/**
 * Gathers the beginning of such a watch until the list is complete.
 * Guarantees: what changed or went while the list was sent is in the result as it was at the end; of a list that is complete nothing is held, since
 * whoever reads the watch goes on for hours, and has this in his frame all the while.
 */
export class InitialEvents<T extends KubeObject> {
  readonly #objects = new Map<string, T>()

  /** The whole list, once the event says that it is complete. */
  take(event: Exclude<WatchEvent<T>, { type: 'ERROR' }>): Listed<T> | undefined {
    switch (event.type) {
      case 'BOOKMARK':
        return isEnd(event.object) ? this.#listed(event.object) : undefined
      case 'DELETED':
        this.#objects.delete(objectKey(event.object))
        return undefined
      default:
        this.#objects.set(objectKey(event.object), event.object)
        return undefined
    }
  }

  #listed(bookmark: KubeObject): Listed<T> {
    const objects = [...this.#objects.values()]
    this.#objects.clear()
    return { objects, version: bookmark.metadata.resourceVersion }
  }
}

function isEnd(bookmark: KubeObject): boolean {
  return bookmark.metadata?.annotations?.[END_OF_INITIAL_EVENTS] === 'true'
}
