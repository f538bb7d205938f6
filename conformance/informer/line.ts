import { type ListerWatcher, ListWatch, type ListWatchClient, type ListWatchOptions } from '@binnacle/cache'
import {
  type AnyObject,
  apiError,
  type List,
  type ListOptions,
  NetworkError,
  type WatchEvent,
  type WatchOptions,
} from '@binnacle/core'

interface OpenWatch {
  /** Ends it: as watches end, by an error, or by silence. */
  end(how: 'close' | 'cut' | 'quiet' | 'expired'): void
}

/**
 * The line between an informer and an API server, which can be made worse.
 * It counts what is asked, so that a busy loop shows.
 */
export class Line implements ListerWatcher<AnyObject> {
  readonly #source: ListWatch<AnyObject>
  readonly #watches = new Set<OpenWatch>()
  lists = 0
  watches = 0
  /** Does not pass on the wish for a streamed list, as old servers and some proxies do not. */
  ignoresInitialEvents = false
  /** Ends every watch at once. */
  closesWatches = false
  readonly watchList?: boolean

  constructor(
    client: ListWatchClient,
    resource: string,
    options: ListWatchOptions & { readonly pages?: boolean } = {},
  ) {
    const { pages, ...scope } = options
    this.#source = new ListWatch(client, resource, scope) as ListWatch<AnyObject>
    if (pages) this.watchList = false
  }

  get requests(): number {
    return this.lists + this.watches
  }

  endAll(how: 'close' | 'cut' | 'quiet' | 'expired'): void {
    for (const watch of this.#watches) watch.end(how)
  }

  list(options: ListOptions): Promise<List<AnyObject>> {
    this.lists++
    return this.#source.list(options)
  }

  async *watch(options: WatchOptions): AsyncGenerator<WatchEvent<AnyObject>> {
    this.watches++
    if (this.closesWatches && !options.sendInitialEvents) return
    let fate: 'open' | 'close' | 'cut' | 'quiet' | 'expired' = 'open'
    let wake: (value: 'ended') => void = () => {}
    const ended = new Promise<'ended'>((resolve) => {
      wake = resolve
    })
    const watch: OpenWatch = {
      end: (how) => {
        fate = how
        wake('ended')
      },
    }
    this.#watches.add(watch)
    const { sendInitialEvents, resourceVersionMatch, ...plain } = options
    const asked = this.ignoresInitialEvents
      ? plain
      : {
          ...plain,
          ...(sendInitialEvents && { sendInitialEvents }),
          ...(resourceVersionMatch && { resourceVersionMatch }),
        }
    const events = this.#source.watch(asked)[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = events.next()
        next.catch(() => {})
        const first = await Promise.race([next, ended])
        if (first === 'ended') return yield* this.#fateful(fate, options)
        if (first.done) return
        // Newer servers end even a list that was not asked for; those that know nothing of it do not.
        if (this.ignoresInitialEvents && first.value.type === 'BOOKMARK') continue
        yield first.value
      }
    } finally {
      this.#watches.delete(watch)
      // Not awaited: a stream that waits for its next line ends when its signal aborts.
      void events.return?.()
    }
  }

  async *#fateful(fate: string, options: WatchOptions): AsyncGenerator<WatchEvent<AnyObject>> {
    const lost = (message: string) => new NetworkError({ message, mayHaveCommitted: false })
    if (fate === 'cut') throw lost('the line was cut')
    if (fate === 'expired') {
      const status = { code: 410, reason: 'Expired', message: 'too old resource version' }
      throw apiError(status, { request: { method: 'GET', path: '(watch)' } })
    }
    if (fate !== 'quiet') return
    // As a client does that hears nothing: it gives up after the time that it was told.
    const patience = Number(options.inactivityTimeout ?? 60) * 1000
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patience)
      options.signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    })
    if (!options.signal?.aborted) throw lost('nothing was heard for too long')
  }
}
