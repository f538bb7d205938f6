import { type Clock, type Duration, type ResourceVersion, seconds, systemClock } from '@binnacle/core'
import { type KeyFunc, keyOf } from '../keys.ts'
import type { Store } from './store.ts'

export interface TimestampedEntry<T> {
  readonly object: T
  /** When it was put in, in seconds of a clock that only grows. */
  readonly timestamp: number
  readonly key: string
}
export interface ExpirationPolicy<T> {
  isExpired(entry: TimestampedEntry<T>): boolean
}

/** Older than the time to live; what is exactly that old is alive, and a time to live of zero never ends. */
export class TTLPolicy<T> implements ExpirationPolicy<T> {
  readonly #ttl: number
  readonly #clock: Clock

  constructor(ttl: Duration, clock: Clock = systemClock) {
    this.#ttl = seconds(ttl)
    this.#clock = clock
  }

  isExpired({ timestamp }: TimestampedEntry<T>): boolean {
    return this.#ttl > 0 && this.#clock.monotonic() - timestamp > this.#ttl
  }
}

/** A store whose items expire. They are found out, and removed, when they are read; `listKeys`, `has` and `size` do not look. */
export interface ExpirationCache<T> extends Store<T> {}

/**
 * Guarantees: what has expired is not handed out, and is gone once somebody has looked for it; what is put in again lives anew; all objects of
 * one `replace` are of one age.
 * Does not guarantee: that what nobody looks for goes. There is no timer.
 */
class ExpiringStore<T> implements ExpirationCache<T> {
  readonly #entries = new Map<string, TimestampedEntry<T>>()
  readonly #keyFunc: KeyFunc<T>
  readonly #policy: ExpirationPolicy<T>
  readonly #clock: Clock

  constructor(
    keyFunc: KeyFunc<T>,
    policy: Duration | ExpirationPolicy<T>,
    { clock = systemClock }: { readonly clock?: Clock } = {},
  ) {
    this.#keyFunc = keyFunc
    this.#clock = clock
    this.#policy = typeof policy === 'object' ? policy : new TTLPolicy<T>(policy, clock)
  }

  get size(): number {
    return this.#entries.size
  }

  add(object: T): void {
    this.update(object)
  }

  update(object: T): void {
    this.#put(object, this.#clock.monotonic())
  }

  delete(object: T): void {
    this.#entries.delete(keyOf(this.#keyFunc, object))
  }

  replace(objects: readonly T[], _resourceVersion: ResourceVersion): void {
    const keys = objects.map((object) => keyOf(this.#keyFunc, object))
    const timestamp = this.#clock.monotonic()
    this.#entries.clear()
    for (const [i, object] of objects.entries()) {
      const key = keys[i] as string
      this.#entries.set(key, { key, object, timestamp })
    }
  }

  get(object: T): T | undefined {
    return this.getByKey(keyOf(this.#keyFunc, object))
  }

  getByKey(key: string): T | undefined {
    const entry = this.#entries.get(key)
    return entry && this.#alive(entry) ? entry.object : undefined
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  list(): T[] {
    return [...this]
  }

  listKeys(): string[] {
    return [...this.#entries.keys()]
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const entry of this.#entries.values()) if (this.#alive(entry)) yield entry.object
  }

  resync(): void {}

  #put(object: T, timestamp: number): void {
    const key = keyOf(this.#keyFunc, object)
    this.#entries.set(key, { key, object, timestamp })
  }

  #alive(entry: TimestampedEntry<T>): boolean {
    const expired = this.#policy.isExpired(entry)
    if (expired) this.#entries.delete(entry.key)
    return !expired
  }
}

export const ExpirationCache: {
  new <T>(
    keyFunc: KeyFunc<T>,
    policy: Duration | ExpirationPolicy<T>,
    options?: { readonly clock?: Clock },
  ): ExpirationCache<T>
} = ExpiringStore
