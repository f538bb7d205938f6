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
  withPreference,
} from './discovery-document.ts'
import type { Exchange } from './exchange.ts'
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

/**
 * Guarantees: the server is asked once for all who ask at the same time, and its answer is kept; a name that is not in it makes the
 * server be asked once more. One who gives up does not take the answer away from the others.
 * Does not guarantee: that what was deleted since is forgotten: `refresh` does that.
 */
export class ServerDiscovery implements Discovery {
  readonly #exchange: Exchange
  #found: Discovered | undefined
  #asking: Promise<Discovered> | undefined

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  get broken(): readonly string[] {
    return this.#found?.broken ?? []
  }

  async resources(options: RequestOptions = {}): Promise<readonly ResourceInfo[]> {
    return (this.#found ?? (await this.#ask(options))).resources
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
    const known = this.#found && find(this.#found.resources)
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

  #ask({ signal }: RequestOptions): Promise<Discovered> {
    this.#asking ??= this.#discover().finally(() => {
      this.#asking = undefined
    })
    return abortable(this.#asking, signal)
  }

  async #discover(): Promise<Discovered> {
    const [core, groups] = await Promise.all([this.#get('/api', AGGREGATED), this.#get('/apis', AGGREGATED)])
    const found = await this.#read(core, groups)
    const news = found.broken.filter((label) => !this.broken.includes(label))
    if (news.length > 0)
      this.#exchange.runtime.logger.warn('The server cannot tell about some API groups', { groups: news })
    this.#found = found
    return found
  }

  async #read(core: unknown, groups: unknown): Promise<Discovered> {
    if (isAggregated(core) && isAggregated(groups)) {
      const parts = [readAggregated(core), readAggregated(groups)]
      return { resources: parts.flatMap((p) => p.resources), broken: parts.flatMap((p) => p.broken) }
    }
    const [coreVersions, groupVersions] = await Promise.all([
      isAggregated(core) ? readCoreVersions(await this.#get('/api')) : readCoreVersions(core),
      isAggregated(groups) ? readGroupVersions(await this.#get('/apis')) : readGroupVersions(groups),
    ])
    return this.#versions([...coreVersions, ...groupVersions])
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

  async #get(path: string, accept = 'application/json'): Promise<unknown> {
    const call = { asked: { raw: `discover ${path}` }, method: 'GET', path, headers: { accept } }
    const { body } = await this.#exchange.answer(call, {})
    return JSON.parse(Buffer.from(body).toString())
  }
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
