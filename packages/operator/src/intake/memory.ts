import type { KubeObject } from '@binnacle/core'
import type { ServedKind } from '../declare/served-kind.ts'
import type { ObjectMemory } from '../object-memory.ts'

/** The memories of all objects, by uid. An object that is deleted and made anew under its name is another object. */
export class Memories {
  readonly #memories = new Map<string, ObjectMemory>()
  readonly #makeMemo: () => object

  constructor(makeMemo: () => object) {
    this.#makeMemo = makeMemo
  }

  get(uid: string): ObjectMemory | undefined {
    return this.#memories.get(uid)
  }

  /** The object is there, in this state. */
  notice(kind: ServedKind, body: KubeObject, initial: boolean): void {
    const { uid } = body.metadata
    const known = this.#memories.get(uid)
    if (known) {
      known.body = body
      // A list from a server that lags behind may have missed it.
      known.exists = true
      return
    }
    this.#memories.set(uid, {
      kind,
      uid,
      body,
      exists: true,
      initial,
      released: false,
      memo: this.#makeMemo(),
      awaited: undefined,
      afterlife: new Map(),
      failures: 0,
    })
  }

  /** The object is gone; this was its last state. False when it was not known. */
  lose(uid: string, last: KubeObject): boolean {
    const memory = this.#memories.get(uid)
    if (!memory) return false
    memory.body = last
    memory.exists = false
    return true
  }

  forget(uid: string): void {
    this.#memories.delete(uid)
  }
}
