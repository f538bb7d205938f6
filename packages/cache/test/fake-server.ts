import {
  apiError,
  type KubeObject,
  type List,
  type ListOptions,
  NetworkError,
  objectKey,
  type Status,
  type WatchEvent,
  type WatchOptions,
} from '@binnacle/core'
import type { ListerWatcher } from '../src/index.ts'

export interface Thing extends KubeObject {
  readonly spec: { readonly size: number }
}

interface Watch {
  readonly events: WatchEvent<Thing>[]
  wake: () => void
  /** What ends the stream once the events have been read. */
  end: 'open' | 'close' | { readonly error: unknown }
}

type Failure = Status | 'refuse-connection'

/**
 * A server of one kind, in memory, that does what a test tells it to: lists (also in pages), watches from a version, streamed lists,
 * bookmarks, a history that can be forgotten, failures on request. Nothing in it waits for time.
 */
export class FakeServer implements ListerWatcher<Thing> {
  readonly watchList: boolean | undefined
  readonly objects = new Map<string, Thing>()
  /** What was asked, in short: `list 0`, `watch 12`, `stream`. */
  readonly requests: string[] = []
  readonly asked: (ListOptions | WatchOptions)[] = []
  readonly #history: { readonly version: number; readonly event: WatchEvent<Thing> }[] = []
  readonly #watches = new Set<Watch>()
  readonly #listFailures: Failure[] = []
  readonly #watchFailures: Failure[] = []
  /** Does not know what `sendInitialEvents` is, like servers up to 1.26. */
  ignoresInitialEvents = false
  /** Ends every watch at once, like a proxy that does not understand them; or like one that lets the first line through. */
  closesWatches: boolean | 'after a bookmark' = false
  #version = 10
  #oldest = 0
  #uids = 0

  constructor(options: { readonly watchList?: boolean } = { watchList: false }) {
    this.watchList = options.watchList
  }

  get version(): string {
    return String(this.#version)
  }

  get openWatches(): number {
    return this.#watches.size
  }

  /** Creates or changes. */
  put(name: string, size: number, namespace = 'default'): Thing {
    const key = `${namespace}/${name}`
    const old = this.objects.get(key)
    const uid = old?.metadata.uid ?? `uid-${++this.#uids}`
    const metadata = { name, namespace, uid, resourceVersion: String(++this.#version) }
    const thing: Thing = { apiVersion: 'v1', kind: 'Thing', metadata, spec: { size } }
    this.objects.set(key, thing)
    this.#tell({ type: old ? 'MODIFIED' : 'ADDED', object: thing })
    return thing
  }

  delete(name: string, namespace = 'default'): void {
    const old = this.objects.get(`${namespace}/${name}`)
    if (!old) return
    this.objects.delete(objectKey(old))
    const metadata = { ...old.metadata, resourceVersion: String(++this.#version) }
    this.#tell({ type: 'DELETED', object: { ...old, metadata } })
  }

  bookmark(): void {
    for (const watch of this.#watches) send(watch, bookmark(this.version))
  }

  /** Sends something to every open watch, right or wrong. */
  send(event: WatchEvent<Thing>): void {
    for (const watch of this.#watches) send(watch, event)
  }

  /** Every open watch ends as watches do when their time is over. */
  closeAll(): void {
    for (const watch of this.#watches) finish(watch, 'close')
  }

  /** Every open watch breaks. */
  cutAll(): void {
    for (const watch of this.#watches) finish(watch, { error: connectionLost() })
  }

  /** What happened up to now cannot be watched any more: 410. */
  forgetHistory(): void {
    this.#oldest = this.#version
    this.#history.length = 0
  }

  failNextList(...failures: Failure[]): void {
    this.#listFailures.push(...failures)
  }

  failNextWatch(...failures: Failure[]): void {
    this.#watchFailures.push(...failures)
  }

  async list(options: ListOptions): Promise<List<Thing>> {
    this.requests.push(`list ${options.resourceVersion ?? ''}${options.continue ? `+${options.continue}` : ''}`)
    this.asked.push(options)
    options.signal?.throwIfAborted()
    failIf(this.#listFailures.shift())
    if (Number(options.resourceVersion ?? 0) > this.#version) throw failure(tooLarge())
    const all = [...this.objects.values()]
    const from = Number(options.continue ?? 0)
    const to = options.limit ? from + options.limit : all.length
    const more = to < all.length ? { continue: String(to) } : {}
    return {
      apiVersion: 'v1',
      kind: 'ThingList',
      metadata: { resourceVersion: this.version, ...more },
      items: all.slice(from, to),
    }
  }

  async *watch(options: WatchOptions): AsyncGenerator<WatchEvent<Thing>> {
    this.requests.push(options.sendInitialEvents ? 'stream' : `watch ${options.resourceVersion}`)
    this.asked.push(options)
    failIf(this.#watchFailures.shift())
    const watch: Watch = {
      events: this.#beginning(options),
      wake: () => {},
      end: this.closesWatches ? 'close' : 'open',
    }
    const abort = () => finish(watch, { error: options.signal?.reason })
    this.#watches.add(watch)
    options.signal?.addEventListener('abort', abort)
    if (options.signal?.aborted) abort()
    try {
      for (;;) {
        const event = watch.events.shift()
        if (event) yield event
        else if (watch.end === 'close') return
        else if (watch.end !== 'open') throw watch.end.error
        else
          await new Promise<void>((resolve) => {
            watch.wake = resolve
          })
      }
    } finally {
      this.#watches.delete(watch)
      options.signal?.removeEventListener('abort', abort)
    }
  }

  #beginning({ resourceVersion = '', sendInitialEvents }: WatchOptions): WatchEvent<Thing>[] {
    const initial = [...this.objects.values()].map((object): WatchEvent<Thing> => ({ type: 'ADDED', object }))
    if (sendInitialEvents && !this.ignoresInitialEvents) return [...initial, endOfInitialEvents(this.version)]
    if (resourceVersion === '' || resourceVersion === '0') return initial
    const from = Number(resourceVersion)
    if (from < this.#oldest) return [{ type: 'ERROR', object: gone() }]
    const missed = this.#history.filter(({ version }) => version > from).map(({ event }) => event)
    return this.closesWatches === 'after a bookmark' ? [...missed, bookmark(this.version)] : missed
  }

  #tell(event: WatchEvent<Thing>): void {
    this.#history.push({ version: this.#version, event })
    for (const watch of this.#watches) if (watch.end === 'open') send(watch, event)
  }
}

function send(watch: Watch, event: WatchEvent<Thing>): void {
  watch.events.push(event)
  watch.wake()
}

function finish(watch: Watch, end: Watch['end']): void {
  if (watch.end === 'open') watch.end = end
  watch.wake()
}

function failIf(failure_: Failure | undefined): void {
  if (failure_ === 'refuse-connection') throw connectionLost()
  if (failure_) throw failure(failure_)
}

function failure(status: Status): Error {
  return apiError(status, { request: { method: 'GET', path: '/things' } })
}

function connectionLost(): NetworkError {
  return new NetworkError({ message: 'connection lost', mayHaveCommitted: false })
}

export function bookmark(resourceVersion: string, annotations?: Record<string, string>): WatchEvent<Thing> {
  const metadata = { name: '', uid: '', resourceVersion, ...(annotations && { annotations }) }
  return { type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'Thing', metadata } }
}

export function endOfInitialEvents(resourceVersion: string): WatchEvent<Thing> {
  return bookmark(resourceVersion, { 'k8s.io/initial-events-end': 'true' })
}

export const gone = (): Status => ({ code: 410, reason: 'Expired', message: 'too old resource version' })
export const forbidden = (): Status => ({ code: 403, reason: 'Forbidden', message: 'things is forbidden' })
export const throttled = (retryAfterSeconds?: number): Status => ({
  code: 429,
  reason: 'TooManyRequests',
  message: 'storage is (re)initializing',
  ...(retryAfterSeconds !== undefined && { details: { retryAfterSeconds } }),
})
export const invalid = (): Status => ({ code: 422, reason: 'Invalid', message: 'sendInitialEvents is forbidden' })
export const broken = (): Status => ({ code: 500, reason: 'InternalError', message: 'etcd is on fire' })
export const tooLarge = (): Status => ({
  code: 504,
  reason: 'Timeout',
  message: 'Too large resource version: 99, current: 10',
  details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
})
