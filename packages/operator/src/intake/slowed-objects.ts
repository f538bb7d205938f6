import type { Clock } from '@binnacle/core'
import { isSlowed, waitAfter } from '../gate/tight-loop.ts'
import { nameOfObject, type ObjectMemory } from '../object-memory.ts'
import type { SlowedObject } from '../report/health.ts'
import type { SurroundingsOf } from '../run/look.ts'

const ADVICE =
  'Write only what differs from what is there, and filter on fields that the handler does not write itself; for work that repeats, declare a timer.'

/**
 * Objects that are slowed down because their handlers answer their own writes, and the word about it.
 * Guarantees: one line and one event for each loop, however long it lasts; an object leaves when its loop is over, or when it is gone.
 */
export class SlowedObjects {
  readonly #clock: Clock
  readonly #memories = new Map<string, ObjectMemory>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get list(): readonly SlowedObject[] {
    this.#forgetQuietOnes()
    return Array.from(this.#memories.values(), (memory) => ({
      object: nameOfObject(memory),
      handlers: memory.loop.handlers,
      waitSeconds: waitAfter(memory.loop.rounds),
    }))
  }

  /** After each cycle of the object. */
  note(memory: ObjectMemory, surroundings: SurroundingsOf): void {
    if (!isSlowed(memory.loop, this.#clock.monotonic()) || this.#memories.has(memory.uid)) return
    this.#forgetQuietOnes()
    this.#memories.set(memory.uid, memory)
    const { rounds, handlers } = memory.loop
    const names = handlers.map((id) => `"${id}"`).join(', ')
    const who = handlers.length === 1 ? `handler ${names}` : `handlers ${names}`
    const what = `was handled ${rounds} times in a row because of what its own ${who} wrote`
    const { logger, events } = surroundings(undefined)
    logger.warn(`${nameOfObject(memory)} ${what}, and is slowed down. ${ADVICE}`)
    events.warn('TightLoop', `It ${what}, and is slowed down. ${ADVICE}`)
  }

  forget(uid: string): void {
    this.#memories.delete(uid)
  }

  #forgetQuietOnes(): void {
    const now = this.#clock.monotonic()
    for (const [uid, { loop }] of this.#memories) if (!isSlowed(loop, now)) this.#memories.delete(uid)
  }
}
