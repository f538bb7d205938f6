import type { Client } from '@binnacle/client'
import type { ResourceLike } from '@binnacle/core'
import type { Installable, World } from './world.ts'

/** The namespace of embedded clusters: they live for one story, so it need not be shared with anybody. */
const DEFAULT = 'default'

/**
 * The part of a world that one story has for itself.
 * Guarantees: on a cluster that stays, the namespace is a new one, and is let go at the end with all that is in it.
 */
export class OwnNamespace implements AsyncDisposable {
  readonly name: string
  /** An administrator's client, in the namespace. */
  readonly client: Client
  readonly #world: World
  readonly #kinds: readonly Installable[]

  private constructor(world: World, name: string, kinds: readonly Installable[]) {
    this.name = name
    this.client = world.client.with({ namespace: name })
    this.#world = world
    this.#kinds = kinds
  }

  static async in(world: World, kinds: readonly Installable[]): Promise<OwnNamespace> {
    if (world.cluster) return new OwnNamespace(world, DEFAULT, kinds)
    const { metadata } = await world.client.create('namespaces', { metadata: { generateName: 'harness-' }, spec: {} })
    return new OwnNamespace(world, metadata.name, kinds)
  }

  /** Whether the cluster has other inhabitants. */
  get shared(): boolean {
    return this.#world.cluster === undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.shared) return
    for (const kind of this.#kinds) if (!('metadata' in kind) && kind.scope !== 'Cluster') await this.#release(kind)
    await this.#world.client.delete('namespaces', this.name)
  }

  /** Whatever still carries a finalizer would keep the namespace for ever. */
  async #release(kind: ResourceLike): Promise<void> {
    for (const { metadata } of (await this.client.list(kind)).items) {
      if (!metadata.finalizers?.length) continue
      await this.client.edit(kind, metadata.name, (draft: { metadata: { finalizers?: string[] } }) => {
        delete draft.metadata.finalizers
      })
    }
  }
}
