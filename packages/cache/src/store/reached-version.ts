import { abortable, compareResourceVersions, type ResourceVersion } from '@binnacle/core'

interface Waiter {
  readonly version: ResourceVersion
  resolve(): void
}

/**
 * The version that a store has reached, and those who wait for it to reach theirs.
 * Guarantees: a wait ends as soon as the store is at the version or past it (by comparison, never by equality alone: versions are skipped);
 * a wait that was given up leaves nothing behind.
 * Does not guarantee: growth. A server that was restored from a backup has smaller versions, and the store follows it.
 */
export class ReachedVersion {
  #version: ResourceVersion = ''
  readonly #waiters = new Set<Waiter>()

  get version(): ResourceVersion {
    return this.#version
  }

  note(version: ResourceVersion | undefined): void {
    if (version === undefined || version === '') return
    this.#version = version
    if (this.#waiters.size === 0) return
    for (const waiter of this.#waiters) if (this.#has(waiter.version)) this.#release(waiter)
  }

  async wait(version: ResourceVersion, signal: AbortSignal): Promise<void> {
    if (this.#has(version)) return
    let waiter: Waiter | undefined
    const reached = new Promise<void>((resolve) => {
      waiter = { version, resolve }
      this.#waiters.add(waiter)
    })
    try {
      await abortable(reached, signal)
    } finally {
      if (waiter) this.#waiters.delete(waiter)
    }
  }

  #has(version: ResourceVersion): boolean {
    if (version === this.#version) return true
    const order = compareResourceVersions(this.#version, version)
    return order !== undefined && order >= 0
  }

  #release(waiter: Waiter): void {
    this.#waiters.delete(waiter)
    waiter.resolve()
  }
}

/** The version that an object carries, if it is one that carries versions. */
export function versionOf(object: unknown): ResourceVersion | undefined {
  const version = (object as { metadata?: { resourceVersion?: unknown } } | null | undefined)?.metadata?.resourceVersion
  return typeof version === 'string' && version !== '' ? version : undefined
}
