import { SharedInformer } from '@binnacle/cache'
import type { Client } from '@binnacle/client'
import {
  deepFreeze,
  type KubeObject,
  messageOf,
  type Runtime,
  type Supervisor,
  TooManyRequestsError,
  UnauthorizedError,
} from '@binnacle/core'
import { isHandled, kindName, type ServedKind } from '../declare/served-kind.ts'
import type { Intake } from '../intake/intake.ts'
import { bytesPerObject } from '../report/footprint.ts'
import type { StreamHealth } from '../report/health.ts'
import type { Settings } from '../settings.ts'
import { IndexOnly } from './index-only.ts'
import { type PauseSwitch, pausable } from './pausable.ts'
import { mayBeHeld, type ServerFilter } from './push-down.ts'
import { Reading, type ReadingScope } from './reading.ts'
import { reflectorOptionsOf } from './reflector-options.ts'
import { forbidden, refusalOf } from './refusal.ts'
import { strayMarks } from './stray-marks.ts'

export interface StreamDeps {
  readonly client: Client
  readonly runtime: Runtime
  readonly supervisor: Supervisor
  readonly settings: Settings
  readonly intake: Intake
  /** The finalizer of the operator. */
  readonly finalizer: string
  readonly pause: PauseSwitch
  /** Freeze objects, so that whoever writes to one hears of it. */
  readonly freeze: boolean
}

/** What is to be watched, and how. */
export interface Wish {
  readonly kind: ServedKind
  /** `'*'` for the whole cluster. */
  readonly namespace: string
  readonly filter: ServerFilter | undefined
}

/** What a stream tells of itself. */
export interface StreamNews {
  listed(): void
  forbidden(): void
  notServed(): void
  /** The server does not understand the filter. */
  filterRefused(): void
  unauthorized(error: unknown): void
}

/**
 * One list and watch: of a kind, in a namespace or the whole cluster.
 * Guarantees: the intake hears of a change in the step in which the cache changes. One that takes over from another knows what that one
 * knew: what its own first list does not show is told as gone, or, where the server was asked for less, forgotten. What the server refuses is said
 * once, and once more only after it has been granted in between.
 */
export class Stream {
  readonly kind: ServedKind
  readonly namespace: string
  readonly signature: string
  readonly #wish: Wish
  readonly #deps: StreamDeps
  readonly #news: StreamNews
  readonly #reading: Reading<KubeObject>
  readonly #informer: SharedInformer<KubeObject>
  readonly #end = new AbortController()
  readonly #subscription: Disposable
  #inherited: readonly KubeObject[]
  /** What was said about a refusal that still lasts. */
  #said: string | undefined

  constructor(wish: Wish, deps: StreamDeps, news: StreamNews, former?: Stream) {
    this.kind = wish.kind
    this.namespace = wish.namespace
    this.signature = signatureOf(wish)
    this.#wish = wish
    this.#deps = deps
    this.#news = news
    this.#inherited = former?.objects ?? []
    this.#reading = new Reading({
      client: deps.client,
      resource: wish.kind.resource,
      scope: (signal) => this.#scope(signal),
      onHeard: () => this.#granted(),
    })
    this.#informer = new SharedInformer<KubeObject>(pausable(this.#reading, deps.pause), {
      ...deps.runtime,
      name: this.name,
      reflector: reflectorOptionsOf(deps.settings),
      onWatchError: (error) => this.#failed(error),
    })
    this.#subscription = this.#subscribe()
  }

  get name(): string {
    return kindName(this.kind)
  }

  /** All objects that it knows of, as far as they are kept. */
  get objects(): readonly KubeObject[] {
    const own = this.#informer.getStore().list()
    if (this.#informer.hasSynced()) return own
    const uids = new Set(own.map(({ metadata }) => metadata.uid))
    return [...own, ...this.#inherited.filter(({ metadata }) => !uids.has(metadata.uid))]
  }

  get received(): { readonly objects: number; readonly of?: number } {
    return this.#reading.received
  }

  get isListing(): boolean {
    return this.#informer.state === 'listing'
  }

  get health(): StreamHealth {
    const { state, staleness, lastError } = this.#informer
    const { labels, fields } = this.#reading.scope ?? {}
    const bytes = bytesPerObject(this.#informer.getStore().list())
    return {
      resource: this.name,
      ...(this.namespace !== '*' && { namespace: this.namespace }),
      ...((labels || fields) && { filter: [labels, fields].filter((part) => part !== undefined).join(',') }),
      state,
      staleSeconds: staleness,
      objects: this.#informer.getStore().listKeys().length,
      cache: isHandled(this.kind) ? ('mirrored' as const) : ('indexed only' as const),
      ...(bytes !== undefined && { bytesPerObject: bytes }),
      ...(lastError !== undefined && { error: messageOf(lastError) }),
    }
  }

  start(): void {
    const run = () => this.#informer.run(this.#end.signal)
    void this.#deps.supervisor.start(`watch of ${this.name}`, run)
    this.#informer.whenSynced().then(
      () => this.#synced(),
      () => {},
    )
  }

  /** Nothing is heard of it from this step on. */
  stop(): void {
    this.#subscription[Symbol.dispose]()
    this.#end.abort()
  }

  #subscribe(): Disposable {
    const { intake, freeze } = this.#deps
    const { kind } = this
    const taken = freeze ? deepFreeze<KubeObject> : (body: KubeObject) => body
    if (isHandled(kind)) {
      this.#informer.setTransform(taken)
      return this.#informer.subscribe((change) => intake.notice(kind, change))
    }
    const indexed = new IndexOnly((body) => this.#informer.getStore().get(body))
    this.#informer.setTransform((body) => indexed.transform(taken(body)))
    return this.#informer.subscribe((change) => intake.notice(kind, indexed.whole(change)))
  }

  #synced(): void {
    if (this.#end.signal.aborted) return
    const { intake } = this.#deps
    const here = new Set(
      this.#informer
        .getStore()
        .list()
        .map(({ metadata }) => metadata.uid),
    )
    const narrower = this.#reading.scope?.labels !== undefined || this.#reading.scope?.fields !== undefined
    for (const object of this.#inherited.filter(({ metadata }) => !here.has(metadata.uid))) {
      if (narrower) intake.forget(this.kind, object)
      else intake.notice(this.kind, { type: 'delete', object })
    }
    this.#inherited = []
    this.#news.listed()
  }

  /** A filter hides objects that may still carry our finalizer, from a time with other handlers: then nothing is hidden. */
  async #scope(signal: AbortSignal | undefined): Promise<ReadingScope> {
    const { kind, namespace, filter } = this.#wish
    const all = { namespace }
    if (!filter || !mayBeHeld(kind)) return { ...all, ...filter }
    const { client, finalizer, runtime } = this.#deps
    const stray = await strayMarks(client, kind.resource, { ...all, ...filter }, finalizer, signal)
    if (!stray) return { ...all, ...filter }
    runtime.logger.info(
      `${this.name} is watched whole: ${stray} carries the finalizer of this operator, although no handler wants it any more.`,
    )
    return all
  }

  #failed(error: unknown): void {
    const { settings } = this.#deps
    const { logger } = this.#deps.runtime
    if (error instanceof UnauthorizedError && !this.#informer.hasSynced()) return this.#news.unauthorized(error)
    switch (refusalOf(error)) {
      case 'forbidden':
        this.#say(forbidden(this.kind, this.namespace, error))
        return this.#news.forbidden()
      case 'not served':
        if (settings.scanning.disabled)
          this.#say(`The server does not serve ${this.name} any more: ${messageOf(error)}`)
        else logger.debug(`The server does not serve ${this.name} any more: ${messageOf(error)}`)
        return this.#news.notServed()
      case 'not understood':
        if (this.#reading.scope?.labels ?? this.#reading.scope?.fields) return this.#news.filterRefused()
    }
    const line = `The watch of ${this.name} failed and goes on: ${String(error)}`
    // A server says so when it has much to do, and while it takes up a new definition: nobody needs to do anything.
    if (error instanceof TooManyRequestsError) logger.info(line)
    else logger.warn(line)
  }

  #say(line: string): void {
    if (this.#said !== undefined) return
    this.#said = line
    this.#deps.runtime.logger.warn(line)
  }

  #granted(): void {
    if (this.#said === undefined) return
    this.#said = undefined
    this.#deps.runtime.logger.info(`The operator may list and watch ${this.name} now, and goes on with it.`)
  }
}

/** Whatever makes another stream necessary if it changes. */
export function signatureOf({ kind, filter }: Wish): string {
  const { apiVersion } = kind.info
  return [apiVersion, isHandled(kind) ? 'mirrored' : 'indexed', filter?.labels ?? '', filter?.fields ?? ''].join(' ')
}
