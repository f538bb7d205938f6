import type { KubeObject } from '@binnacle/core'
import type { ServedKind } from '../declare/served-kind.ts'
import { isBelow } from '../gate/consistent.ts'
import { NO_LOOP } from '../gate/tight-loop.ts'
import type { ObjectMemory } from '../object-memory.ts'
import { NO_CHANGE } from '../outcome/patch.ts'

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

  all(): Iterable<ObjectMemory> {
    return this.#memories.values()
  }

  /** The object is there, in this state; or in a newer one, if that is known. */
  notice(kind: ServedKind, body: KubeObject, initial: boolean, now: number): ObjectMemory {
    const { uid } = body.metadata
    const known = this.#memories.get(uid)
    if (known) {
      if (!isBelow(known.floor, body, now)) known.body = body
      // A list from a server that lags behind may have missed it.
      known.exists = true
      return known
    }
    const memory: ObjectMemory = {
      kind,
      uid,
      body,
      exists: true,
      outOfSight: false,
      initial,
      news: [],
      told: NO_CHANGE,
      released: false,
      memo: this.#makeMemo(),
      memos: undefined,
      awaited: undefined,
      lastWrite: undefined,
      loop: NO_LOOP,
      floor: undefined,
      afterlife: undefined,
      failures: 0,
    }
    this.#memories.set(uid, memory)
    return memory
  }

  /** The object is gone; this was its last state. Undefined when it was not known. */
  lose(uid: string, last: KubeObject): ObjectMemory | undefined {
    const memory = this.#memories.get(uid)
    if (!memory) return undefined
    memory.body = last
    memory.exists = false
    return memory
  }

  /** The object cannot be seen any more. Undefined when it was not known. */
  loseSightOf(uid: string): ObjectMemory | undefined {
    const memory = this.#memories.get(uid)
    if (!memory) return undefined
    memory.exists = false
    memory.outOfSight = true
    this.#memories.delete(uid)
    return memory
  }

  forget(uid: string): void {
    this.#memories.delete(uid)
  }
}
