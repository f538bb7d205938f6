import type { Client } from '@binnacle/client'
import type { KubeObject } from '@binnacle/core'
import type { BackgroundHandler } from '../declare/daemon.ts'
import { type AdoptOptions, adopt, ownerReference } from '../declare/hierarchies.ts'
import type { Stopped } from '../declare/stopped.ts'
import type { Attempts } from '../progress/progress.ts'
import type { Surroundings } from '../run/context.ts'
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

/** What a context is a view of. */
interface Source {
  readonly handler: BackgroundHandler
  /** The object as it is now. */
  readonly live: { readonly body: KubeObject & { readonly spec?: object; readonly status?: object } }
  readonly record: Attempts
  /** Seconds since the first attempt. */
  readonly runtime: number
  readonly means: BackgroundMeans
  readonly indices: Surroundings['indices']
}

/** In the order in which a user sees them. */
const PARTS: { readonly [name: string]: (source: Source) => unknown } = {
  uid: ({ live }) => live.body.metadata.uid,
  name: ({ live }) => live.body.metadata.name,
  namespace: ({ live }) => live.body.metadata.namespace,
  retry: ({ record }) => record.retries,
  started: ({ record }) => new Date(record.started),
  runtime: ({ runtime }) => runtime,
  param: ({ handler }) => handler.param,
  resource: ({ means }) => means.surroundings().resource,
  memo: ({ means }) => means.surroundings().memo,
  shared: ({ means }) => means.surroundings().shared,
  logger: ({ means }) => means.surroundings().logger,
  events: ({ means }) => means.surroundings().events,
  stopped: ({ means }) => means.stopped(),
  signal: ({ means }) => means.signal(),
  patch: ({ means }) => means.patch(),
  body: ({ live }) => liveView(() => live.body),
  spec: ({ live }) => liveView(() => live.body.spec ?? EMPTY),
  status: ({ live }) => liveView(() => live.body.status ?? EMPTY),
  meta: ({ live }) => liveView(() => live.body.metadata),
  labels: ({ live }) => liveView(() => live.body.metadata.labels ?? EMPTY),
  annotations: ({ live }) => liveView(() => live.body.metadata.annotations ?? EMPTY),
  client: ({ means }) => means.client(),
  idempotencyKey: ({ means }) => means.idempotencyKey(),
  ownerReference: ({ live }) => ownerReference(live.body),
  adopt:
    ({ live }) =>
    (child: object, options?: AdoptOptions) =>
      adopt(child, live.body, options),
}
const NAMES = Object.keys(PARTS)

/**
 * The one argument of a daemon or a timer.
 * Guarantees: the object's parts are live; what a function does not ask for is not made, since there may be one context for each object, and one for each
 * call; whoever takes it apart, or copies it, gets everything; an index wins over every name of ours. Read-only.
 */
export function backgroundContext(source: Source): object {
  return new Proxy(new Parts(source), READ_ONLY)
}

/** What was asked for so far. */
class Parts {
  readonly #source: Source
  /** As pairs: they are few, and a Map would weigh more than all of them. */
  #made: readonly (readonly [name: string, part: unknown])[] = NOTHING

  constructor(source: Source) {
    this.#source = source
  }

  static part(parts: Parts, name: string | symbol): unknown {
    const { indices } = parts.#source
    if (typeof name === 'symbol') return Reflect.get(Object.prototype, name)
    if (Object.hasOwn(indices, name)) return indices[name]
    const make = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined
    if (!make) return Reflect.get(Object.prototype, name)
    const made = parts.#made.find(([known]) => known === name)
    if (made) return made[1]
    const part = make(parts.#source)
    parts.#made = [...parts.#made, [name, part]]
    return part
  }

  static names(parts: Parts): string[] {
    const indices = Object.keys(parts.#source.indices)
    return indices.length === 0 ? NAMES : [...new Set([...NAMES, ...indices])]
  }

  /** For `console.log`, which looks behind a proxy, and calls what it finds there for the proxy. */
  [Symbol.for('nodejs.util.inspect.custom')](this: { readonly name: unknown; readonly namespace: unknown }): object {
    const { name, namespace } = this
    return { name, namespace, contextOf: Object.keys(this).join(' ') }
  }
}

const READ_ONLY: ProxyHandler<Parts> = {
  get: Parts.part,
  has: (parts, name) => typeof name === 'string' && Parts.names(parts).includes(name),
  ownKeys: (parts) => Parts.names(parts),
  getOwnPropertyDescriptor(parts, name) {
    if (typeof name === 'symbol' || !Parts.names(parts).includes(name)) return undefined
    return { get: () => Parts.part(parts, name), enumerable: true, configurable: true }
  },
  getPrototypeOf: () => Object.prototype,
  set: refuse,
  defineProperty: refuse,
  deleteProperty: refuse,
}

function refuse(_: object, name: string | symbol): never {
  throw new TypeError(
    `"${String(name)}" of a context cannot be changed: what is to be written goes into \`patch\`, what is to be remembered into \`memo\``,
  )
}
