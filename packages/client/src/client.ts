import {
  BinnacleError,
  type Clock,
  type Draft,
  type Duration,
  type JsonPatch,
  type KubeObject,
  type List,
  type ListOptions,
  type Logger,
  type MergePatch,
  type NewAnyObject,
  type NewOf,
  type ObjectOf,
  type RequestOptions,
  type ResourceInfo,
  type ResourceLike,
  type WatchEvent,
  type WatchOptions,
} from '@binnacle/core'
import { applyAll } from './apply-all.ts'
import type { ConnectionInfo, Impersonation } from './connection.ts'
import type { ManagedFields } from './decode.ts'
import type { Discovery, ServerDiscovery } from './discovery.ts'
import type { Exchange } from './exchange.ts'
import type { ExecPolicy } from './exec-policy.ts'
import type { KubeConfig } from './kubeconfig.ts'
import { ITEMS_PER_TURN } from './list.ts'
import type { Login } from './login.ts'
import { jsonOf } from './network-error.ts'
import { OneByOne } from './one-by-one.ts'
import type {
  ApplyOptions,
  DeleteOptions,
  LogOptions,
  MetadataOf,
  MetadataOnly,
  PatchOptions,
  RawOptions,
  ReadOptions,
  Ref,
  StrategicPatch,
  WriteOptions,
} from './options.ts'
import type { ResourceAddress } from './request.ts'
import { JSON_TYPE, withQuery } from './request.ts'
import { type Defaults, ResourceClient } from './resource-client.ts'
import type { Compression, Transport } from './transport.ts'
import { EVENTS_PER_TURN } from './watch.ts'

/**
 * Talks to one API server as one user. Requests are retried on 429 and 5xx with Retry-After and jitter; 401 renews the
 * credentials once; 403 is not retried. Every call takes a signal, and a client can be narrowed with `with`.
 */
export interface Client extends AsyncDisposable {
  /** The namespace of names without one; `'*'` is all of them. */
  readonly namespace: string
  readonly discovery: Discovery

  /** Throws NotFoundError. */
  get<R extends ResourceLike>(resource: R, ref: Ref, options: ReadOptions & MetadataOnly): Promise<MetadataOf<R>>
  get<R extends ResourceLike>(resource: R, ref: Ref, options?: ReadOptions): Promise<ObjectOf<R>>
  /** As `get`, with undefined for what does not exist. A resource that the server does not serve is an error all the same. */
  find<R extends ResourceLike>(
    resource: R,
    ref: Ref,
    options: ReadOptions & MetadataOnly,
  ): Promise<MetadataOf<R> | undefined>
  find<R extends ResourceLike>(resource: R, ref: Ref, options?: ReadOptions): Promise<ObjectOf<R> | undefined>
  /** All pages in one list, at one version. */
  list<R extends ResourceLike>(resource: R, options: ListOptions & MetadataOnly): Promise<List<MetadataOf<R>>>
  list<R extends ResourceLike>(resource: R, options?: ListOptions): Promise<List<ObjectOf<R>>>
  /** Page by page, so that a large list is never in memory at once; `limit` is the size of a page. */
  pages<R extends ResourceLike>(resource: R, options: ListOptions & MetadataOnly): AsyncIterable<List<MetadataOf<R>>>
  pages<R extends ResourceLike>(resource: R, options?: ListOptions): AsyncIterable<List<ObjectOf<R>>>
  /** Item by item, as the bytes arrive. */
  items<R extends ResourceLike>(resource: R, options: ListOptions & MetadataOnly): AsyncIterable<MetadataOf<R>>
  items<R extends ResourceLike>(resource: R, options?: ListOptions): AsyncIterable<ObjectOf<R>>
  /** One watch request; ends when the server ends it. For a watch that goes on for ever use an informer. */
  watch<R extends ResourceLike>(
    resource: R,
    options: WatchOptions & MetadataOnly,
  ): AsyncIterable<WatchEvent<MetadataOf<R>>>
  watch<R extends ResourceLike>(resource: R, options?: WatchOptions): AsyncIterable<WatchEvent<ObjectOf<R>>>

  create<R extends ResourceLike>(resource: R, object: NewOf<R>, options?: WriteOptions): Promise<ObjectOf<R>>
  /** Server-side apply. */
  apply<R extends ResourceLike>(resource: R, object: NewOf<R>, options?: ApplyOptions): Promise<ObjectOf<R>>
  /**
   * Server-side apply of a mixed set, such as a parsed YAML file: first what others stand on (namespaces, definitions, accounts, roles), last what would
   * act on the others (webhooks). Kinds that the set itself defines are waited for. Ends at the first refusal; applying again is harmless.
   */
  applyAll(objects: readonly NewAnyObject[], options?: ApplyOptions): Promise<readonly KubeObject[]>
  /** Replaces the whole object; its resource version guards against lost updates. */
  replace<R extends ResourceLike>(resource: R, object: ObjectOf<R>, options?: WriteOptions): Promise<ObjectOf<R>>
  /**
   * A merge patch if given an object, a JSON patch if given a list; with `strategy: 'strategic'` a strategic merge patch.
   * The status, as every subresource, is written by `subresource: 'status'`, here as in `apply`, `replace` and `edit`.
   */
  patch<R extends ResourceLike>(
    resource: R,
    ref: Ref,
    patch: StrategicPatch<ObjectOf<R>>,
    options: PatchOptions & { readonly strategy: 'strategic' },
  ): Promise<ObjectOf<R>>
  patch<R extends ResourceLike>(
    resource: R,
    ref: Ref,
    patch: MergePatch<ObjectOf<R>> | JsonPatch,
    options?: PatchOptions & { readonly strategy?: 'merge' },
  ): Promise<ObjectOf<R>>
  /** Reads, edits a draft, writes, and starts over on conflict. The function must be re-runnable. */
  edit<R extends ResourceLike>(
    resource: R,
    ref: Ref,
    edit: (draft: Draft<ObjectOf<R>>) => void,
    options?: WriteOptions,
  ): Promise<ObjectOf<R>>
  /** Resolves to false when there was nothing to delete. */
  delete<R extends ResourceLike>(resource: R, ref: Ref, options?: DeleteOptions): Promise<boolean>
  /** All that the options select, in one request. */
  deleteAll<R extends ResourceLike>(resource: R, options: ListOptions & DeleteOptions): Promise<void>

  /** The log of a pod's container, line by line. Leaving it closes it. */
  logs(pod: Ref, options?: LogOptions): AsyncIterable<string>

  /** Anything else that the server offers. JSON is parsed, text comes as a string, nothing as undefined. */
  request<T = unknown>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    options?: RawOptions,
  ): Promise<T>
  /** The same connection with other defaults. It ends with the client it comes from; disposing of it does nothing. */
  with(defaults: ClientDefaults): Client
}

export interface ClientDefaults {
  readonly namespace?: string
  readonly fieldManager?: string
  readonly dryRun?: boolean
  /** Aborts all requests of the narrowed client. */
  readonly signal?: AbortSignal
  /** Is told of each object that the narrowed client has made or changed, as the server has it then. Deletions and dry runs are not told. */
  readonly onWrite?: (object: KubeObject) => void
}

export interface ConnectOptions {
  /** A loaded configuration, a path, or a connection. @default KubeConfig.load() */
  readonly kubeconfig?: KubeConfig | ConnectionInfo | string
  /**
   * Says where the server is and who we are, instead of a kubeconfig: asked at the first request, shortly before what it gave expires, and when
   * the server refuses it. Nobody else is asked then.
   */
  readonly login?: Login
  /** @default the current context of the kubeconfig */
  readonly context?: string
  /** @default that of the context */
  readonly namespace?: string
  /** Who the server says has written a field. @default 'binnacle' */
  readonly fieldManager?: string
  /** Deadline of a request, retries included; for lists the longest silence. @default '60s' */
  readonly requestTimeout?: Duration
  /** How long a connection may take to be made. @default '10s' */
  readonly connectTimeout?: Duration
  /**
   * Programs that a kubeconfig may start to sign in. @default 'allow' for files of this machine, as kubectl does; 'deny' for a kubeconfig
   * that was given as text or as a connection, since it may come from anywhere
   */
  readonly execPlugins?: ExecPolicy
  /** How long such a program may take, a person's answer included. @default '60s' */
  readonly loginTimeout?: Duration
  /** Act as somebody else. @default as the kubeconfig says */
  readonly impersonate?: Impersonation
  /** Whether the server may compress large answers. @default 'none' */
  readonly compression?: Compression
  /** Waits between the attempts of a request that may be repeated, one for each retry; spread by chance. @default 0.2, 0.5, 1, 2, 4 s */
  readonly errorBackoffs?: readonly Duration[]
  /** Wait exactly as long as a server asks for, and not at least as long, spread by chance. @default false */
  readonly enforceRetryAfter?: boolean
  /** Whether objects keep `metadata.managedFields`, which is a third of their bytes and half of their memory. @default 'drop' */
  readonly managedFields?: ManagedFields
  /** Takes the place of HTTP, and needs no kubeconfig. Whoever made it disposes of it. */
  readonly transport?: Transport
  readonly clock?: Clock
  readonly random?: () => number
  /** @default silence */
  readonly logger?: Logger
  /** @default 'binnacle/<version>' */
  readonly userAgent?: string
  /** Called after each attempt. */
  readonly onRequest?: (request: {
    readonly method: string
    readonly path: string
    readonly status: number | undefined
    readonly seconds: number
  }) => void
}

/** The parts of a client. */
export interface ClientParts {
  readonly exchange: Exchange
  readonly discovery: ServerDiscovery
  readonly defaults: Defaults
  readonly close: () => Promise<void>
}

const POD: ResourceAddress = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true }

// biome-ignore lint/suspicious/noExplicitAny: the type of the objects is known to the interface only
type Loose = any

/**
 * All verbs of all resources.
 * Guarantees: a resource is looked up before anything is sent; after disposal every call and stream that is still open fails.
 */
export class ConnectedClient implements Client {
  readonly #made: () => ClientParts
  #known: ClientParts | undefined

  /** One that is narrowed for a call of a handler may never be used: its parts are made when it is. */
  constructor(parts: () => ClientParts) {
    this.#made = parts
  }

  get #parts(): ClientParts {
    this.#known ??= this.#made()
    return this.#known
  }

  get namespace(): string {
    return this.#parts.defaults.namespace
  }

  get discovery(): Discovery {
    return this.#parts.discovery
  }

  async get(resource: ResourceLike, ref: Ref, options?: ReadOptions): Promise<Loose> {
    return (await this.#of(resource, options)).get(ref, options)
  }

  async find(resource: ResourceLike, ref: Ref, options?: ReadOptions): Promise<Loose> {
    return (await this.#of(resource, options)).find(ref, options)
  }

  async list(resource: ResourceLike, options?: ListOptions): Promise<Loose> {
    return (await this.#of(resource, options)).list(options)
  }

  async *pages(resource: ResourceLike, options?: ListOptions): AsyncGenerator<Loose> {
    yield* (await this.#of(resource, options)).pages(options)
  }

  items(resource: ResourceLike, options?: ListOptions): AsyncIterable<Loose> {
    return new OneByOne(this.#listed(resource, options), ITEMS_PER_TURN)
  }

  watch(resource: ResourceLike, options?: WatchOptions): AsyncIterable<Loose> {
    return new OneByOne(this.#watched(resource, options), EVENTS_PER_TURN)
  }

  async create(resource: ResourceLike, object: Loose, options?: WriteOptions): Promise<Loose> {
    return (await this.#of(resource, options)).create(object, options)
  }

  async apply(resource: ResourceLike, object: Loose, options?: ApplyOptions): Promise<Loose> {
    return (await this.#of(resource, options)).apply(object, options)
  }

  async applyAll(objects: readonly NewAnyObject[], options: ApplyOptions = {}): Promise<readonly KubeObject[]> {
    const { exchange, discovery } = this.#parts
    const apply = async (resource: ResourceInfo, object: NewAnyObject) =>
      new ResourceClient(exchange, resource, this.#parts.defaults).apply(object, options)
    return applyAll({ runtime: exchange.runtime, discovery, apply, timeout: exchange.requestTimeout }, objects, options)
  }

  async replace(resource: ResourceLike, object: Loose, options?: WriteOptions): Promise<Loose> {
    return (await this.#of(resource, options)).replace(object, options)
  }

  async patch(resource: ResourceLike, ref: Ref, patch: object, options?: PatchOptions): Promise<Loose> {
    return (await this.#of(resource, options)).patch(ref, patch, options)
  }

  async edit(resource: ResourceLike, ref: Ref, edit: (draft: Loose) => void, options?: WriteOptions): Promise<Loose> {
    return (await this.#of(resource, options)).edit(ref, edit, options)
  }

  async delete(resource: ResourceLike, ref: Ref, options?: DeleteOptions): Promise<boolean> {
    return (await this.#of(resource, options)).delete(ref, options)
  }

  async deleteAll(resource: ResourceLike, options: ListOptions & DeleteOptions): Promise<void> {
    return (await this.#of(resource, options)).deleteAll(options)
  }

  async *logs(pod: Ref, options?: LogOptions): AsyncGenerator<string> {
    const { exchange, defaults } = this.#parts
    yield* new ResourceClient(exchange, POD, defaults).logs(pod, options)
  }

  async request<T = unknown>(method: string, path: string, options: RawOptions = {}): Promise<T> {
    if (!/^\/[\x21-\x7e]*$/.test(path)) throw badPath(path)
    const body = bytesOf(options.body)
    const contentType = body && { 'content-type': options.contentType ?? JSON_TYPE }
    const call = {
      asked: { raw: `${method} ${path}` },
      method,
      path: withQuery(path, options.query ?? {}),
      headers: { accept: JSON_TYPE, ...contentType, ...options.headers },
      ...(body && { body }),
    }
    const { headers, body: answer } = await this.#parts.exchange.answer(call, options)
    const text = Buffer.from(answer).toString()
    if (text === '') return undefined as T
    return (headers.get('content-type')?.includes('json') ? jsonOf(text, call) : text) as T
  }

  with({ signal, ...defaults }: ClientDefaults): Client {
    return new ConnectedClient(() => {
      const exchange = signal ? this.#parts.exchange.narrowed(signal) : this.#parts.exchange
      return {
        ...this.#parts,
        exchange,
        discovery: signal ? this.#parts.discovery.narrowed(exchange) : this.#parts.discovery,
        defaults: { ...this.#parts.defaults, ...defined(defaults) },
        close: async () => {},
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.close()
  }

  async *#listed(resource: ResourceLike, options?: ListOptions): AsyncGenerator<Iterable<KubeObject>> {
    yield* (await this.#of(resource, options)).items(options)
  }

  async *#watched(resource: ResourceLike, options?: WatchOptions): AsyncGenerator<Iterable<WatchEvent<KubeObject>>> {
    yield* (await this.#of(resource, options)).watched(options)
  }

  async #of(resource: ResourceLike, options: RequestOptions | undefined): Promise<ResourceClient<KubeObject>> {
    const { exchange, discovery, defaults } = this.#parts
    return new ResourceClient(exchange, await discovery.address(resource, options), defaults)
  }
}

function defined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T
}

function bytesOf(body: unknown): Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

function badPath(path: string): BinnacleError {
  return new BinnacleError('BIN_RESOURCE', {
    message: `${JSON.stringify(path)} is not a path of the API server`,
    hint: 'It begins with "/" and is encoded, such as /api/v1/namespaces; give parameters by the option query.',
  })
}
