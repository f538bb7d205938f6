import {
  abortable,
  BinnacleError,
  findResource,
  messageOf,
  type RequestOptions,
  type ResourceInfo,
  type ResourceLike,
  similarNames,
} from '@binnacle/core'
import type { Discovered, GroupVersion } from './discovery-document.ts'
import {
  isAggregated,
  labelOf,
  readAggregated,
  readCoreVersions,
  readGroupVersions,
  readResourceList,
  withFormer,
  withPreference,
} from './discovery-document.ts'
import type { Call, Exchange } from './exchange.ts'
import { jsonOf } from './network-error.ts'
import type { ResourceAddress } from './request.ts'

/** What the server serves. Broken groups are reported and skipped, never fatal. */
export interface Discovery {
  /** What a name or a declaration stands for on this server; undefined if it is not served. */
  resolve(resource: ResourceLike, options?: RequestOptions): Promise<ResourceInfo | undefined>
  resources(options?: RequestOptions): Promise<readonly ResourceInfo[]>
  /** The resources of a category, such as `all`, each in its preferred version; none if there is no such category. */
  category(name: string, options?: RequestOptions): Promise<readonly ResourceInfo[]>
  /** Asks the server anew, as after the installation of a CustomResourceDefinition. */
  refresh(options?: RequestOptions): Promise<void>
  /** Versions of groups that the server could not tell about when it was asked last, such as `metrics.k8s.io/v1beta1`. */
  readonly broken: readonly string[]
}

const AGGREGATED = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',')

/** A document of the server, and the tag by which the server recognises it. */
interface Tagged {
  readonly etag: string
  readonly document: unknown
}

/** What is known, shared by a client and all that were narrowed from it. */
interface Knowledge {
  /** By which the server is asked: for all, so that no one of them can call it off. */
  readonly exchange: Exchange
  /** By path. The server says of what has not changed only that it has not: an operator asks again and again, and the document is large. */
  readonly tagged: Map<string, Tagged>
  /** What was read out of a document that is kept. */
  readonly read: WeakMap<object, Discovered>
  found: Discovered | undefined
  asking: Promise<Discovered> | undefined
}

/**
 * Guarantees: the server is asked once for all who ask at the same time, and its answer is kept; a name that is not in it makes the
 * server be asked once more. One who gives up, by signal or timeout, does not take the answer away from the others. What the server cannot
 * tell about at present stays as it was known.
 * Does not guarantee: that what was deleted since is forgotten: `refresh` does that.
 */
export class ServerDiscovery implements Discovery {
  /** By which those who ask give up. */
  readonly #exchange: Exchange
  readonly #known: Knowledge

  constructor(exchange: Exchange, known: Knowledge = nothingKnown(exchange)) {
    this.#exchange = exchange
    this.#known = known
  }

  /** The same knowledge, for a client with one more reason to give up. */
  narrowed(exchange: Exchange): ServerDiscovery {
    return new ServerDiscovery(exchange, this.#known)
  }

  get broken(): readonly string[] {
    return this.#known.found?.broken ?? []
  }

  async resources(options: RequestOptions = {}): Promise<readonly ResourceInfo[]> {
    return (this.#known.found ?? (await this.#ask(options))).resources
  }

  async category(name: string, options: RequestOptions = {}): Promise<readonly ResourceInfo[]> {
    const resources = await this.resources(options)
    return resources.filter(({ categories, preferred }) => preferred && categories.includes(name))
  }

  async refresh(options: RequestOptions = {}): Promise<void> {
    await this.#ask(options)
  }

  async resolve(resource: ResourceLike, options: RequestOptions = {}): Promise<ResourceInfo | undefined> {
    const find = (resources: readonly ResourceInfo[]) =>
      typeof resource === 'string' ? findResource(resource, resources) : findDeclared(resource, resources)
    const { found } = this.#known
    const known = found && find(found.resources)
    return known ?? find((await this.#ask(options)).resources)
  }

  /** Where to send requests. A declaration says it itself, so that the server is not asked. */
  async address(resource: ResourceLike, options: RequestOptions = {}): Promise<ResourceAddress> {
    if (typeof resource !== 'string') return { ...resource, namespaced: resource.scope === 'Namespaced' }
    return this.known(resource, options)
  }

  /** What a name stands for, or an error that says which names there are. */
  async known(name: string, options: RequestOptions = {}): Promise<ResourceInfo> {
    const found = await this.resolve(name, options)
    if (found) return found
    throw unknownResource(name, await this.resources(options), this.broken)
  }

  async #ask(options: RequestOptions): Promise<Discovered> {
    this.#known.asking ??= this.#discover().finally(() => {
      this.#known.asking = undefined
    })
    const deadline = this.#exchange.deadline(callOf('/apis'), options)
    try {
      return await abortable(this.#known.asking, deadline.signal)
    } finally {
      deadline[Symbol.dispose]()
    }
  }

  async #discover(): Promise<Discovered> {
    const [core, groups] = await Promise.all([this.#root('/api'), this.#root('/apis')])
    const told = await this.#read(core, groups)
    const news = told.broken.filter((label) => !this.broken.includes(label))
    if (news.length > 0)
      this.#exchange.runtime.logger.warn('The server cannot tell about some API groups', { groups: news })
    const found = withFormer(told, this.#known.found)
    this.#known.found = found
    return found
  }

  async #read(core: unknown, groups: unknown): Promise<Discovered> {
    if (isAggregated(core) && isAggregated(groups)) {
      const parts = [this.#readAggregated(core), this.#readAggregated(groups)]
      return { resources: parts.flatMap((p) => p.resources), broken: parts.flatMap((p) => p.broken) }
    }
    const [coreVersions, groupVersions] = await Promise.all([
      isAggregated(core) ? readCoreVersions(await this.#get('/api')) : readCoreVersions(core),
      isAggregated(groups) ? readGroupVersions(await this.#get('/apis')) : readGroupVersions(groups),
    ])
    return this.#versions([...coreVersions, ...groupVersions])
  }

  #readAggregated(document: object): Discovered {
    const { read } = this.#known
    const known = read.get(document) ?? readAggregated(document)
    read.set(document, known)
    return known
  }

  /** The older form: a document for each version. */
  async #versions(versions: readonly GroupVersion[]): Promise<Discovered> {
    const broken: string[] = []
    const read = async (version: GroupVersion): Promise<readonly ResourceInfo[]> => {
      const root = version.group === '' ? '/api' : `/apis/${encodeURIComponent(version.group)}`
      try {
        return readResourceList(await this.#get(`${root}/${encodeURIComponent(version.version)}`), version)
      } catch (error) {
        this.#exchange.runtime.logger.debug(`Discovery of ${labelOf(version)} failed: ${messageOf(error)}`)
        broken.push(labelOf(version))
        return []
      }
    }
    return { resources: withPreference((await Promise.all(versions.map(read))).flat()), broken }
  }

  /** A document that the server has told before, and says to be the same, is not read again. */
  async #root(path: string): Promise<unknown> {
    const { tagged, exchange } = this.#known
    const known = tagged.get(path)
    const call = callOf(path, AGGREGATED, known?.etag)
    const { status, headers, body } = await exchange.answer(call, {})
    if (known && status === 304) return known.document
    const document = jsonOf(Buffer.from(body).toString(), call)
    const etag = headers.get('etag')
    if (etag !== undefined) tagged.set(path, { etag, document })
    else tagged.delete(path)
    return document
  }

  async #get(path: string, accept = 'application/json'): Promise<unknown> {
    const call = callOf(path, accept)
    const { body } = await this.#known.exchange.answer(call, {})
    return jsonOf(Buffer.from(body).toString(), call)
  }
}

function nothingKnown(exchange: Exchange): Knowledge {
  return { exchange, tagged: new Map(), read: new WeakMap(), found: undefined, asking: undefined }
}

function callOf(path: string, accept = 'application/json', etag?: string): Call {
  const headers = { accept, ...(etag !== undefined && { 'if-none-match': etag }) }
  return { asked: { raw: `discover ${path}` }, method: 'GET', path, headers }
}

type Declared = Exclude<ResourceLike, string>

function findDeclared(declared: Declared, resources: readonly ResourceInfo[]): ResourceInfo | undefined {
  const { group, version, plural } = declared
  return resources.find((r) => r.group === group && r.version === version && r.plural === plural)
}

function unknownResource(name: string, resources: readonly ResourceInfo[], broken: readonly string[]): BinnacleError {
  const similar = similarNames(name, resources)
  const meant = similar.length > 0 ? `Did you mean ${similar.join(', ')}? ` : ''
  const missing = broken.length > 0 ? ` The server cannot tell about ${broken.join(', ')} at present.` : ''
  return new BinnacleError('BIN_UNKNOWN_RESOURCE', {
    message: `The server does not serve ${JSON.stringify(name)}`,
    hint: `${meant}Install its CustomResourceDefinition, or correct the name; "kubectl api-resources" lists what there is.${missing}`,
  })
}
