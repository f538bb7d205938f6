import type { List, ListOptions, ObjectOf, ResourceLike, WatchEvent, WatchOptions } from '@binnacle/core'

/** The one thing that the cache asks of the outside. */

export interface Lister<T> {
  /** The objects as they are now, or a page of them if `limit` is set. */
  list(options: ListOptions): Promise<List<T>>
}
export interface Watcher<T> {
  /**
   * Begins a watch at `options.resourceVersion`. The stream ends when the iteration is left, and soon after the signal aborts. A failure to
   * open it, like one later on, is thrown by the iteration.
   */
  watch(options: WatchOptions): AsyncIterable<WatchEvent<T>>
}
/** Where the objects of one kind come from. */
export interface ListerWatcher<T> extends Lister<T>, Watcher<T> {
  /** False: do not ask this server for streamed lists (`sendInitialEvents`). @default they are tried, and remembered if they do not work */
  readonly watchList?: boolean | undefined
}

/** The part of a client that lists and watches any resource. */
export interface ListWatchClient {
  list<R extends ResourceLike>(resource: R, options?: ListOptions): Promise<List<ObjectOf<R>>>
  watch<R extends ResourceLike>(resource: R, options?: WatchOptions): AsyncIterable<WatchEvent<ObjectOf<R>>>
}
export interface ListWatchOptions extends Pick<ListOptions, 'namespace' | 'labels' | 'fields' | 'metadataOnly'> {
  /** Changes the options of every request just before it is sent. */
  readonly modify?: (options: ListOptions) => ListOptions
  /** See ListerWatcher. */
  readonly watchList?: boolean
}

/** The lister-watcher of a resource, or one made of two functions. */
export interface ListWatch<T> extends ListerWatcher<T> {}

class ClientListWatch<T> implements ListWatch<T> {
  readonly list: Lister<T>['list']
  readonly watch: Watcher<T>['watch']
  readonly watchList: boolean | undefined

  constructor(given: ListWatchClient | ListerWatcher<T>, resource?: ResourceLike, options: ListWatchOptions = {}) {
    const { modify = unchanged, watchList, ...scope } = options
    if (resource === undefined) {
      const functions = given as ListerWatcher<T>
      this.list = (asked) => functions.list(asked)
      this.watch = (asked) => functions.watch(asked)
      this.watchList = functions.watchList
    } else {
      const client = given as ListWatchClient
      this.list = (asked) => client.list(resource, modify({ ...scope, ...asked })) as Promise<List<T>>
      this.watch = (asked) => client.watch(resource, modify({ ...scope, ...asked })) as AsyncIterable<WatchEvent<T>>
      this.watchList = watchList
    }
  }
}

function unchanged(options: ListOptions): ListOptions {
  return options
}

export const ListWatch: {
  new <R extends ResourceLike>(client: ListWatchClient, resource: R, options?: ListWatchOptions): ListWatch<ObjectOf<R>>
  new <T>(functions: ListerWatcher<T>): ListWatch<T>
} = ClientListWatch
