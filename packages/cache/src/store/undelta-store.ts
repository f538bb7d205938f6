import type { ResourceVersion } from '@binnacle/core'
import type { KeyFunc } from '../keys.ts'
import { KeyedStore, type Store } from './store.ts'

/** Calls back with the whole content after every mutation. */
export interface UndeltaStore<T> extends Store<T> {}

/** Guarantees: one call for each mutation, after it, with everything; reads call nobody; a mutation that throws calls nobody. */
class TellingStore<T> extends KeyedStore<T> implements UndeltaStore<T> {
  readonly #push: (content: readonly T[]) => void

  constructor(push: (content: readonly T[]) => void, keyFunc: KeyFunc<T>) {
    super(keyFunc)
    this.#push = push
  }

  override update(object: T): void {
    super.update(object)
    this.#push(this.list())
  }

  override delete(object: T): void {
    super.delete(object)
    this.#push(this.list())
  }

  override replace(objects: readonly T[], resourceVersion: ResourceVersion): void {
    super.replace(objects, resourceVersion)
    this.#push(this.list())
  }
}

export const UndeltaStore: {
  new <T>(push: (content: readonly T[]) => void, keyFunc: KeyFunc<T>): UndeltaStore<T>
} = TellingStore
