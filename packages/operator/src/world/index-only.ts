import type { KubeObject } from '@binnacle/core'
import type { CacheChange } from '../intake/intake.ts'

/**
 * The cache of a kind that nothing but indices reads: once the index functions have run, it keeps who the object is, and not its body.
 * Guarantees: a change carries the whole body in the step in which it is told, and no longer; what a list repeats is not kept either.
 * Assumes: `known` is what the cache has under the name of an object.
 */
export class IndexOnly {
  readonly #known: (body: KubeObject) => KubeObject | undefined
  #last: Family | undefined
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
    return new Kept(body, this.#family(body)) as unknown as KubeObject
  }

  /** One for all objects of an API version and kind. */
  #family({ apiVersion, kind }: KubeObject): Family {
    if (this.#last?.apiVersion !== apiVersion || this.#last.kind !== kind) this.#last = { apiVersion, kind }
    return this.#last
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

interface Family {
  readonly apiVersion: string
  readonly kind: string
}

/** Who an object is: its own metadata, since an object of it for each of very many would cost more than what is in it. */
class Kept {
  readonly name: string
  readonly namespace: string | undefined
  readonly uid: string
  readonly resourceVersion: string
  readonly #family: Family

  constructor({ metadata }: KubeObject, family: Family) {
    this.name = metadata.name
    this.namespace = metadata.namespace
    this.uid = metadata.uid
    this.resourceVersion = metadata.resourceVersion
    this.#family = family
  }

  get apiVersion(): string {
    return this.#family.apiVersion
  }

  get kind(): string {
    return this.#family.kind
  }

  get metadata(): this {
    return this
  }
}

function stateKey({ metadata }: KubeObject): string {
  return `${metadata.uid} ${metadata.resourceVersion}`
}

function isSameState(known: KubeObject | undefined, body: KubeObject): boolean {
  return known !== undefined && stateKey(known) === stateKey(body)
}
