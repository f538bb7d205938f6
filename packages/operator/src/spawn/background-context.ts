import type { Client } from '@binnacle/client'
import type { KubeObject } from '@binnacle/core'
import type { BackgroundHandler } from '../declare/daemon.ts'
import { type AdoptOptions, adopt, ownerReference } from '../declare/hierarchies.ts'
import type { Stopped } from '../declare/stopped.ts'
import type { Surroundings } from '../run/context.ts'
import { liveView } from './live-view.ts'

const EMPTY = Object.freeze({})
const NOTHING: readonly never[] = []

/** What a context is a view of. Each part is made when it is asked for. */
export interface ContextSource {
  readonly handler: BackgroundHandler
  /** The object as it is now. */
  readonly body: KubeObject & { readonly spec?: object; readonly status?: object }
  /** 0 at the first attempt. */
  readonly attempt: number
  /** When the first attempt began. */
  readonly started: Date
  /** Seconds between the first attempt and this one. */
  readonly runtime: number
  readonly indices: Surroundings['indices']
  surroundings(): Surroundings
  stopped(): Stopped
  signal(): AbortSignal
  patch(): object
  client(): Client
  idempotencyKey(): string
}

/** What stays as it is, and is told whenever it is asked for. In the order in which a user sees them. */
const FACTS: { readonly [name: string]: (source: ContextSource) => unknown } = {
  uid: ({ body }) => body.metadata.uid,
  name: ({ body }) => body.metadata.name,
  namespace: ({ body }) => body.metadata.namespace,
  retry: ({ attempt }) => attempt,
  runtime: ({ runtime }) => runtime,
  param: ({ handler }) => handler.param,
}

/** What is made when it is first asked for, and is the same from then on. */
const PARTS: { readonly [name: string]: (source: ContextSource) => unknown } = {
  started: ({ started }) => started,
  resource: (source) => source.surroundings().resource,
  memo: (source) => source.surroundings().memo,
  shared: (source) => source.surroundings().shared,
  logger: (source) => source.surroundings().logger,
  events: (source) => source.surroundings().events,
  stopped: (source) => source.stopped(),
  signal: (source) => source.signal(),
  patch: (source) => source.patch(),
  body: (source) => liveView(() => source.body),
  spec: (source) => liveView(() => source.body.spec ?? EMPTY),
  status: (source) => liveView(() => source.body.status ?? EMPTY),
  meta: (source) => liveView(() => source.body.metadata),
  labels: (source) => liveView(() => source.body.metadata.labels ?? EMPTY),
  annotations: (source) => liveView(() => source.body.metadata.annotations ?? EMPTY),
  client: (source) => source.client(),
  idempotencyKey: (source) => source.idempotencyKey(),
  ownerReference: ({ body }) => ownerReference(body),
  adopt: (source) => (child: object, options?: AdoptOptions) => adopt(child, source.body, options),
}
const NAMES = [...Object.keys(FACTS), ...Object.keys(PARTS)]

/**
 * The one argument of a daemon or a timer.
 * Guarantees: the object's parts are live; what a function does not ask for is not made, since there may be one context for each object, and one for each
 * call; whoever takes it apart, or copies it, gets everything; an index wins over every name of ours. Read-only.
 */
export function backgroundContext(source: ContextSource): object {
  return new Proxy(new Parts(source), READ_ONLY)
}

/** What was asked for so far. */
class Parts {
  readonly #source: ContextSource
  /** As pairs: they are few, and a Map would weigh more than all of them. */
  #made: readonly (readonly [name: string, part: unknown])[] = NOTHING

  constructor(source: ContextSource) {
    this.#source = source
  }

  static part(parts: Parts, name: string | symbol): unknown {
    const { indices } = parts.#source
    if (typeof name === 'symbol') return Reflect.get(Object.prototype, name)
    if (Object.hasOwn(indices, name)) return indices[name]
    if (Object.hasOwn(FACTS, name)) return FACTS[name]?.(parts.#source)
    return Object.hasOwn(PARTS, name) ? parts.#part(name) : Reflect.get(Object.prototype, name)
  }

  #part(name: string): unknown {
    const made = this.#made.find(([known]) => known === name)
    if (made) return made[1]
    const part = PARTS[name]?.(this.#source)
    this.#made = [...this.#made, [name, part]]
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
