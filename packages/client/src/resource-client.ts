import {
  BinnacleError,
  ConflictError,
  copyJson,
  deepEqual,
  type KubeObject,
  type List,
  type ListOptions,
  NotFoundError,
  type RequestOptions,
  type WatchEvent,
  type WatchOptions,
} from '@binnacle/core'
import { isMissingResource } from './api-error.ts'
import type { ManagedFields } from './decode.ts'
import { decodeObject, IN_OBJECT } from './decode.ts'
import type { Call, Exchange } from './exchange.ts'
import type { Listing } from './list.ts'
import { apiVersionOf, listAll, listItems, listPages, metadataOf, withKind } from './list.ts'
import { logLines, logQuery } from './log.ts'
import { notJson } from './network-error.ts'
import type {
  ApplyOptions,
  DeleteOptions,
  LogOptions,
  PatchOptions,
  ReadOptions,
  Ref,
  WriteOptions,
} from './options.ts'
import type { Query, ResourceAddress, Subject, Verb } from './request.ts'
import {
  acceptOf,
  JSON_TYPE,
  listQuery,
  namespaceFor,
  objectOf,
  pathOf,
  resourceLabel,
  scopeOf,
  watchQuery,
  wholeSeconds,
  withQuery,
  writeQuery,
} from './request.ts'
import { serverTimeoutOf, watchEvents } from './watch.ts'

/** What requests have unless they say otherwise. */
export interface Defaults {
  /** `'*'` is all of them. */
  readonly namespace: string
  readonly fieldManager: string
  readonly dryRun: boolean
  readonly managedFields: ManagedFields
  /** Is told of each object that was made or changed. */
  readonly onWrite?: (object: KubeObject) => void
}

/** As it is given to `create` or `apply`. */
interface Written {
  readonly metadata?: { readonly name?: string | undefined; readonly namespace?: string | undefined } | undefined
}

const METHODS = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
} as const satisfies Record<Verb, string>

const MERGE_PATCH = 'application/merge-patch+json'
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json'
const JSON_PATCH = 'application/json-patch+json'
/** The body is JSON, which is YAML too. */
const APPLY_PATCH = 'application/apply-patch+yaml'

/** How often `edit` starts over. */
const EDITS = 10

/**
 * The verbs of one resource. What comes in streams, items and events, comes by batches, as it arrives.
 * Guarantees: what comes back has apiVersion and kind; a body that is sent has them too.
 */
export class ResourceClient<T extends KubeObject = KubeObject> {
  readonly #exchange: Exchange
  readonly #resource: ResourceAddress
  readonly #defaults: Defaults

  constructor(exchange: Exchange, resource: ResourceAddress, defaults: Defaults) {
    this.#exchange = exchange
    this.#resource = resource
    this.#defaults = defaults
  }

  async get(ref: Ref, options: ReadOptions = {}): Promise<T> {
    const subject = this.#subject('get', ref, options.subresource)
    const { resourceVersion, metadataOnly } = options
    const call = this.#call(subject, { resourceVersion }, { accept: acceptOf(metadataOnly, 'object') })
    const object = await this.#object(call, options)
    return metadataOnly ? metadataOf<T>(object, this.#resource) : object
  }

  async find(ref: Ref, options: ReadOptions = {}): Promise<T | undefined> {
    try {
      return await this.get(ref, options)
    } catch (error) {
      if (isObjectMissing(error)) return undefined
      throw error
    }
  }

  list(options: ListOptions = {}): Promise<List<T>> {
    return listAll<T>(this.#listing(options), options)
  }

  pages(options: ListOptions = {}): AsyncGenerator<List<T>> {
    return listPages<T>(this.#listing(options), options)
  }

  items(options: ListOptions = {}): AsyncGenerator<Iterable<T>> {
    return listItems<T>(this.#listing(options), options)
  }

  watched(options: WatchOptions = {}): AsyncGenerator<Iterable<WatchEvent<T>>> {
    const serverTimeout = serverTimeoutOf(options, this.#exchange.runtime)
    const accept = acceptOf(options.metadataOnly, 'object')
    const call = this.#call(this.#collection('watch', options), watchQuery(options, serverTimeout), { accept })
    const { managedFields } = this.#defaults
    return watchEvents<T>(
      {
        exchange: this.#exchange,
        resource: this.#resource,
        managedFields,
        metadataOnly: options.metadataOnly === true,
        call,
        serverTimeout,
      },
      options,
    )
  }

  async create(object: Written, options: WriteOptions = {}): Promise<T> {
    // A subresource is one of an object: without its name the request would reach the collection instead.
    if (options.subresource !== undefined) return this.#createBelow(object, options.subresource, options)
    const { metadata } = object
    const subject: Subject = {
      verb: 'create',
      resource: this.#resource,
      namespace: this.#resource.namespaced ? (metadata?.namespace ?? this.#namespaceOf(metadata?.name)) : undefined,
      name: undefined,
      subresource: undefined,
    }
    return this.#write(subject, options, this.#completed(object))
  }

  #createBelow(object: Written, subresource: string, options: WriteOptions): Promise<T> {
    const subject = this.#subject('create', this.#refOf(object, 'the owner of a subresource'), subresource)
    return this.#write(subject, options, this.#completed(object))
  }

  async apply(object: Written, options: ApplyOptions = {}): Promise<T> {
    const subject = this.#subject('patch', this.#refOf(object, 'applied'), options.subresource)
    const query = { force: options.force ?? true }
    return this.#write(subject, options, this.#completed(object), { query, contentType: APPLY_PATCH })
  }

  async replace(object: Written, options: WriteOptions = {}): Promise<T> {
    const subject = this.#subject('update', this.#refOf(object, 'replaced'), options.subresource)
    return this.#write(subject, options, this.#completed(object))
  }

  async patch(ref: Ref, patch: object, options: PatchOptions = {}): Promise<T> {
    const subject = this.#subject('patch', ref, options.subresource)
    const objectPatch = options.strategy === 'strategic' ? STRATEGIC_PATCH : MERGE_PATCH
    return this.#write(subject, options, patch, { contentType: Array.isArray(patch) ? JSON_PATCH : objectPatch })
  }

  logs(ref: Ref, options: LogOptions = {}): AsyncGenerator<string> {
    const call = this.#call(this.#subject('get', ref, 'log'), logQuery(options), { accept: '*/*' })
    return logLines(this.#exchange, call, options)
  }

  /** Reads the object, lets it be edited and writes it, until nobody else has written in between. */
  async edit(ref: Ref, edit: (draft: T) => void, options: WriteOptions = {}): Promise<T> {
    const { clock, random } = this.#exchange.runtime
    // The status is part of the object itself; other subresources are documents of their own.
    const { subresource } = options
    const read = {
      ...requestOnly(options),
      ...(subresource !== undefined && subresource !== 'status' && { subresource }),
    }
    for (let attempt = 1; ; attempt++) {
      const before = await this.get(ref, read)
      const draft = copyJson(before)
      edit(draft)
      if (deepEqual(before, draft)) return before
      try {
        return await this.replace(draft, options)
      } catch (error) {
        if (!(error instanceof ConflictError) || attempt >= EDITS) throw error
        await clock.sleep(Math.min(1, 0.01 * 2 ** attempt) * (0.5 + random()), options.signal)
      }
    }
  }

  async delete(ref: Ref, options: DeleteOptions = {}): Promise<boolean> {
    const call = this.#call(this.#subject('delete', ref, undefined), {}, { body: this.#deletion(options, uidOf(ref)) })
    try {
      await this.#exchange.answer(call, options)
      return true
    } catch (error) {
      if (isObjectMissing(error)) return false
      throw error
    }
  }

  async deleteAll(options: ListOptions & DeleteOptions = {}): Promise<void> {
    const subject = this.#collection('deletecollection', options)
    await this.#exchange.answer(
      this.#call(subject, listQuery(options), { body: this.#deletion(options, undefined) }),
      options,
    )
  }

  async #write(
    subject: Subject,
    options: WriteOptions,
    body: unknown,
    more: { readonly query?: Query; readonly contentType?: string } = {},
  ): Promise<T> {
    const { fieldManager, dryRun } = this.#defaults
    const query = { ...writeQuery({ fieldManager, dryRun, ...options }), ...more.query }
    const written = await this.#object(this.#call(subject, query, { body, contentType: more.contentType }), options)
    if (query['dryRun'] === undefined) this.#defaults.onWrite?.(written)
    return written
  }

  async #object(call: Call, options: RequestOptions): Promise<T> {
    const { body } = await this.#exchange.answer(call, options)
    try {
      return withKind<T>(decodeObject(body, this.#defaults.managedFields, IN_OBJECT), this.#resource)
    } catch (error) {
      throw notJson(call, error)
    }
  }

  #call(
    subject: Subject,
    query: Query,
    more: { readonly accept?: string; readonly body?: unknown; readonly contentType?: string | undefined } = {},
  ): Call {
    const headers = { accept: more.accept ?? JSON_TYPE }
    const base = { asked: subject, method: METHODS[subject.verb], path: withQuery(pathOf(subject), query) }
    if (more.body === undefined) return { ...base, headers }
    const body = Buffer.from(JSON.stringify(more.body))
    return { ...base, headers: { ...headers, 'content-type': more.contentType ?? JSON_TYPE }, body }
  }

  #subject(verb: Verb, ref: Ref, subresource: string | undefined): Subject {
    return { verb, resource: this.#resource, ...objectOf(ref, this.#resource, this.#defaults.namespace), subresource }
  }

  #collection(verb: Verb, options: ListOptions): Subject {
    const namespace = scopeOf(this.#resource, options.namespace ?? this.#defaults.namespace)
    return { verb, resource: this.#resource, namespace, name: undefined, subresource: undefined }
  }

  #listing(options: ListOptions): Listing {
    const subject = this.#collection('list', options)
    const accept = acceptOf(options.metadataOnly, 'list')
    return {
      exchange: this.#exchange,
      resource: this.#resource,
      managedFields: this.#defaults.managedFields,
      metadataOnly: options.metadataOnly === true,
      call: (page) => this.#call(subject, listQuery(page), { accept }),
    }
  }

  #namespaceOf(name: string | undefined): string {
    return namespaceFor(this.#resource, this.#defaults.namespace, name)
  }

  #completed(object: Written): object {
    return { apiVersion: apiVersionOf(this.#resource), kind: this.#resource.kind, ...object }
  }

  #refOf(object: Written, done: string): Ref {
    const { name, namespace } = object.metadata ?? {}
    if (name) return { name, namespace }
    throw new BinnacleError('BIN_KEY', {
      message: `An object of ${resourceLabel(this.#resource)} cannot be ${done} without metadata.name`,
      hint: 'Give it a name; generateName works with create only.',
    })
  }

  #deletion(options: DeleteOptions, uid: string | undefined): object {
    const { propagation, gracePeriod, preconditions } = options
    const conditions = { ...(uid !== undefined && { uid }), ...preconditions }
    return {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...(propagation && { propagationPolicy: propagation }),
      ...(gracePeriod !== undefined && { gracePeriodSeconds: wholeSeconds(gracePeriod) }),
      ...(Object.keys(conditions).length > 0 && { preconditions: conditions }),
      ...((options.dryRun ?? this.#defaults.dryRun) && { dryRun: ['All'] }),
    }
  }
}

/** The object is not there, as opposed to its whole resource. */
function isObjectMissing(error: unknown): boolean {
  return error instanceof NotFoundError && !isMissingResource(error.status)
}

function uidOf(ref: Ref): string | undefined {
  if (typeof ref === 'string' || !('metadata' in ref)) return undefined
  const { uid } = ref.metadata as { uid?: unknown }
  return typeof uid === 'string' ? uid : undefined
}

function requestOnly({ signal, timeout }: RequestOptions): RequestOptions {
  return { ...(signal && { signal }), ...(timeout !== undefined && { timeout }) }
}
