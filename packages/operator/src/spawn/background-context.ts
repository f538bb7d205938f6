import type { Client } from '@binnacle/client'
import type { KubeObject } from '@binnacle/core'
import type { BackgroundHandler } from '../declare/daemon.ts'
import { type AdoptOptions, adopt, ownerReference } from '../declare/hierarchies.ts'
import type { Stopped } from '../declare/stopped.ts'
import type { AttemptInfo, Surroundings } from '../run/context.ts'
import { liveView } from './live-view.ts'

const EMPTY = Object.freeze({})
const NOTHING: readonly never[] = []

/** What a context is made of, each part when it is asked for. */
export interface BackgroundMeans {
  surroundings(): Surroundings
  stopped(): Stopped
  signal(): AbortSignal
  patch(): object
  client(): Client
  idempotencyKey(): string
}

/** The object as it is now. */
interface Live {
  readonly body: KubeObject & { readonly spec?: object; readonly status?: object }
}

/** In the order in which a user sees them. */
const PARTS: { readonly [name: string]: (means: BackgroundMeans, live: Live) => unknown } = {
  resource: (means) => means.surroundings().resource,
  memo: (means) => means.surroundings().memo,
  shared: (means) => means.surroundings().shared,
  logger: (means) => means.surroundings().logger,
  events: (means) => means.surroundings().events,
  stopped: (means) => means.stopped(),
  signal: (means) => means.signal(),
  patch: (means) => means.patch(),
  body: (_, live) => liveView(() => live.body),
  spec: (_, live) => liveView(() => live.body.spec ?? EMPTY),
  status: (_, live) => liveView(() => live.body.status ?? EMPTY),
  meta: (_, live) => liveView(() => live.body.metadata),
  labels: (_, live) => liveView(() => live.body.metadata.labels ?? EMPTY),
  annotations: (_, live) => liveView(() => live.body.metadata.annotations ?? EMPTY),
  client: (means) => means.client(),
  idempotencyKey: (means) => means.idempotencyKey(),
  ownerReference: (_, live) => ownerReference(live.body),
  adopt: (_, live) => (child: object, options?: AdoptOptions) => adopt(child, live.body, options),
}

/**
 * The one argument of a daemon or a timer.
 * Guarantees: the object's parts are live; what a function does not ask for is not made, since there may be one context for each object; whoever
 * takes it apart, or copies it, gets everything.
 */
export class BackgroundContext {
  readonly #means: BackgroundMeans
  readonly #live: Live
  /** Parts that were asked for, as pairs: they are few, and a Map would weigh more than all of them. */
  #made: readonly (readonly [name: string, part: unknown])[] = NOTHING

  constructor(
    handler: BackgroundHandler,
    live: { readonly body: KubeObject },
    attempt: Omit<AttemptInfo, 'signal'>,
    means: BackgroundMeans,
  ) {
    this.#means = means
    this.#live = live as Live
    const { uid, name, namespace } = live.body.metadata
    const { retry, started, runtime } = attempt
    Object.assign(this, { uid, name, namespace, retry, started, runtime, param: handler.param })
    Object.defineProperties(this, BackgroundContext.#descriptors)
  }

  /** An index wins over every name of ours. */
  static withIndices(context: BackgroundContext, indices: Surroundings['indices']): object {
    for (const [index, value] of Object.entries(indices))
      Object.defineProperty(context, index, { value, enumerable: true, configurable: true })
    return context
  }

  #part(name: string, make: (means: BackgroundMeans, live: Live) => unknown): unknown {
    const made = this.#made.find(([known]) => known === name)
    if (made) return made[1]
    const part = make(this.#means, this.#live)
    this.#made = [...this.#made, [name, part]]
    return part
  }

  /** The same functions for all contexts: what each has of its own is memory for each object. */
  static readonly #descriptors = Object.fromEntries(
    Object.entries(PARTS).map(([name, make]) => [
      name,
      {
        enumerable: true,
        configurable: true,
        get(this: BackgroundContext) {
          return this.#part(name, make)
        },
      },
    ]),
  )
}
