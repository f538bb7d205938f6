import type { ListerWatcher } from '@binnacle/cache'
import type { Client } from '@binnacle/client'
import type { KubeObject, List, ListOptions, ResourceLike, WatchEvent, WatchOptions } from '@binnacle/core'

/** Which part of a kind is read. */
export interface ReadingScope {
  readonly namespace?: string
  readonly labels?: string
  readonly fields?: string
}

export interface ReadingOptions {
  readonly client: Client
  readonly resource: ResourceLike
  /** Asked before the first request, and kept. */
  readonly scope: (signal: AbortSignal | undefined) => ReadingScope | Promise<ReadingScope>
  /** A watch has brought something. */
  readonly onHeard: () => void
}

/**
 * Lists and watches of one kind, counted, so that somebody who waits can be told how far they are.
 * Guarantees: adds nothing to what the client does.
 */
export class Reading<T extends KubeObject> implements ListerWatcher<T> {
  readonly #options: ReadingOptions
  #scope: ReadingScope | undefined
  #objects = 0
  #of: number | undefined

  constructor(options: ReadingOptions) {
    this.#options = options
  }

  /** Objects of the list that is being read, of so many. */
  get received(): { readonly objects: number; readonly of?: number } {
    return { objects: this.#objects, ...(this.#of !== undefined && { of: this.#of }) }
  }

  /** What the server was asked to leave out; undefined before it was asked. */
  get scope(): ReadingScope | undefined {
    return this.#scope
  }

  async list(asked: ListOptions): Promise<List<T>> {
    const { client, resource } = this.#options
    const page = await client.list(resource, { ...(await this.#decided(asked.signal)), ...asked })
    this.#objects = page.items.length + (asked.continue === undefined ? 0 : this.#objects)
    const { remainingItemCount } = page.metadata
    if (remainingItemCount !== undefined) this.#of = this.#objects + remainingItemCount
    return page as List<T>
  }

  async *watch(asked: WatchOptions): AsyncGenerator<WatchEvent<T>> {
    const { client, resource, onHeard } = this.#options
    const scope = await this.#decided(asked.signal)
    if (asked.sendInitialEvents) this.#objects = 0
    for await (const event of client.watch(resource, { ...scope, ...asked })) {
      if (event.type === 'ADDED') this.#objects++
      if (event.type !== 'ERROR') onHeard()
      yield event as WatchEvent<T>
    }
  }

  async #decided(signal: AbortSignal | undefined): Promise<ReadingScope> {
    this.#scope ??= await this.#options.scope(signal)
    return this.#scope
  }
}
