import {
  apiError,
  type KubeObject,
  type Labels,
  type Logger,
  matchesLabels,
  parseLabelSelector,
  silentLogger,
} from '@binnacle/core'
import { NAMESPACE_INDEX } from './index-functions.ts'
import type { Indexer } from './indexer.ts'
import type { Store } from './store.ts'

/** Labels to match: all of them, a selector as kubectl writes it, or a function. An empty one matches everything. */
export type LabelMatch = string | { readonly [label: string]: string } | ((labels: Labels) => boolean)

export interface GenericNamespaceLister<T> {
  list(labels?: LabelMatch): T[]
  /** Throws NotFoundError, as the client does. */
  get(name: string): T
}
/** Reads out of the cache what one would otherwise ask the server for. */
export interface GenericLister<T> {
  list(labels?: LabelMatch): T[]
  /** At cluster scope by name; else by `namespace/name`. Throws NotFoundError, as the client does. */
  get(name: string): T
  byNamespace(namespace: string): GenericNamespaceLister<T>
}

/** Calls `append` with every object of the store that the labels match. */
export function listAll<T extends KubeObject>(
  store: Store<T>,
  labels: LabelMatch | undefined,
  append: (object: T) => void,
): void {
  appendMatching(store, labels, append)
}

/** The same in one namespace, or in all if it is empty. Through the namespace index; without one it looks at everything and warns. */
export function listAllByNamespace<T extends KubeObject>(
  indexer: Indexer<T>,
  namespace: string,
  labels: LabelMatch | undefined,
  append: (object: T) => void,
  logger: Logger = silentLogger,
): void {
  if (namespace === '') return listAll(indexer, labels, append)
  if (NAMESPACE_INDEX in indexer.getIndexers()) {
    return appendMatching(indexer.byIndex(NAMESPACE_INDEX, namespace), labels, append)
  }
  logger.warn(`There is no index called "${NAMESPACE_INDEX}": every object was looked at to find those of ${namespace}`)
  appendMatching(indexer, labels, (object) => {
    if (object.metadata.namespace === namespace) append(object)
  })
}

function appendMatching<T extends KubeObject>(
  objects: Iterable<T>,
  labels: LabelMatch | undefined,
  append: (object: T) => void,
): void {
  const matches = matcherOf(labels)
  for (const object of objects) if (!matches || matches(object.metadata.labels ?? {})) append(object)
}

/** Undefined if everything matches: then nobody reads labels. */
function matcherOf(labels: LabelMatch | undefined): ((labels: Labels) => boolean) | undefined {
  if (labels === undefined || typeof labels === 'function') return labels
  if (typeof labels === 'string') {
    const requirements = parseLabelSelector(labels)
    return requirements.length === 0 ? undefined : (found) => matchesLabels(requirements, found)
  }
  const wanted = Object.entries(labels)
  if (wanted.length === 0) return undefined
  return (found) => wanted.every(([label, value]) => Object.hasOwn(found, label) && found[label] === value)
}

interface ResourceName {
  readonly group: string
  readonly plural: string
}

/** Guarantees: what it finds is what the cache has; it never asks the server. */
class CacheLister<T extends KubeObject> implements GenericLister<T> {
  readonly #indexer: Indexer<T, 'namespace'>
  readonly #resource: ResourceName

  constructor(indexer: Indexer<T, 'namespace'>, resource: ResourceName) {
    this.#indexer = indexer
    this.#resource = resource
  }

  list(labels?: LabelMatch): T[] {
    const found: T[] = []
    listAll(this.#indexer, labels, (object) => found.push(object))
    return found
  }

  get(name: string): T {
    const object = this.#indexer.getByKey(name)
    if (object === undefined) throw notFound(this.#resource, name)
    return object
  }

  byNamespace(namespace: string): GenericNamespaceLister<T> {
    return {
      list: (labels) => {
        const found: T[] = []
        listAllByNamespace(this.#indexer as Indexer<T>, namespace, labels, (object) => found.push(object))
        return found
      },
      get: (name) => this.get(`${namespace}/${name}`),
    }
  }
}

function notFound({ group, plural }: ResourceName, name: string): Error {
  const kind = group === '' ? plural : `${plural}.${group}`
  return apiError(
    {
      code: 404,
      reason: 'NotFound',
      message: `${kind} "${name}" not found in the cache`,
      details: { name, group, kind: plural },
    },
    { request: { method: 'GET', path: `(cache of ${kind})` } },
  )
}

export const GenericLister: {
  new <T extends KubeObject>(
    indexer: Indexer<T, 'namespace'>,
    resource: { readonly group: string; readonly plural: string },
  ): GenericLister<T>
} = CacheLister
