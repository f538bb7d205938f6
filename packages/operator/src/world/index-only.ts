import type { KubeObject } from '@binnacle/core'
import type { CacheChange } from '../intake/intake.ts'

/**
 * The cache of a kind that nothing but indices reads: once the index functions have run, it keeps who the object is, and not its body.
 * Guarantees: a change carries the whole body in the step in which it is told, and no longer; what a list repeats is not kept either.
 * Assumes: `known` is what the cache has under the name of an object.
 */
export class IndexOnly {
  readonly #known: (body: KubeObject) => KubeObject | undefined
  /** Bodies between their arrival and the step that tells of them. */
  readonly #bodies = new Map<string, KubeObject>()

  constructor(known: (body: KubeObject) => KubeObject | undefined) {
    this.#known = known
  }

  /** Bodies that wait to be told. */
  get size(): number {
    return this.#bodies.size
  }

  /** What the cache keeps. */
  readonly transform = (body: KubeObject): KubeObject => {
    if (!isSameState(this.#known(body), body)) this.#bodies.set(stateKey(body), body)
    const { apiVersion, kind, metadata } = body
    const { name, namespace, uid, resourceVersion } = metadata
    const kept = { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion }
    return { apiVersion, kind, metadata: kept as KubeObject['metadata'] }
  }

  /** The change with the body that it is about. */
  whole(change: CacheChange): CacheChange {
    return change.type === 'delete' || !change.object ? change : { ...change, object: this.#take(change.object) }
  }

  #take(kept: KubeObject): KubeObject {
    const key = stateKey(kept)
    const body = this.#bodies.get(key) ?? kept
    this.#bodies.delete(key)
    return body
  }
}

function stateKey({ metadata }: KubeObject): string {
  return `${metadata.uid} ${metadata.resourceVersion}`
}

function isSameState(known: KubeObject | undefined, body: KubeObject): boolean {
  return known !== undefined && stateKey(known) === stateKey(body)
}
