import { deepEqual, type FieldKeys, type KubeObject } from '@binnacle/core'
import { essenceOf } from '../cause/essence.ts'
import { News } from './news.ts'
import type { Listen } from './stop-control.ts'

/**
 * When an object has last changed essentially: what the idle clock of timers counts from, whether or not there are change handlers.
 * Guarantees: what no user writes, such as the status or the marks of operators, moves nothing.
 */
export class EssentialChanges {
  readonly #tracked: readonly FieldKeys[]
  readonly #news = new News()
  #essence: object
  #at: number
  #count = 0

  constructor(body: KubeObject, tracked: readonly FieldKeys[], now: number) {
    this.#tracked = tracked
    this.#essence = essenceOf(body, tracked)
    this.#at = now
  }

  /** Seconds on the monotonic clock; of the first sight, while nothing has changed. */
  get at(): number {
    return this.#at
  }

  /** How many changes there have been: two of one moment are two. */
  get count(): number {
    return this.#count
  }

  notice(body: KubeObject, now: number): void {
    const essence = essenceOf(body, this.#tracked)
    if (deepEqual(essence, this.#essence)) return
    this.#essence = essence
    this.#at = now
    this.#count++
    this.#news.tell()
  }

  get listen(): Listen {
    return this.#news.listen
  }
}
