/**
 * The ring that forgets: the last changes of one kind, oldest first.
 * Guarantees: since(v) is either every change after v, in order, or undefined because one of them is forgotten.
 */
import type { Change } from './change.ts'

export class History {
  readonly #size: number
  readonly #ring: (Change | undefined)[]
  #start = 0
  #count = 0
  /** Changes up to this version may be missing; all later ones are here. */
  #floor: number

  constructor(size: number, floor: number) {
    this.#size = Math.max(1, size)
    this.#ring = []
    this.#floor = floor
  }

  get floor(): number {
    return this.#floor
  }

  add(change: Change): void {
    if (this.#count === this.#size) this.#dropOldest()
    this.#ring[(this.#start + this.#count) % this.#size] = change
    this.#count++
  }

  #dropOldest(): void {
    const oldest = this.#ring[this.#start]
    if (oldest) this.#floor = oldest.revision
    this.#ring[this.#start] = undefined
    this.#start = (this.#start + 1) % this.#size
    this.#count--
  }

  forget(floor: number): void {
    this.#ring.length = 0
    this.#start = 0
    this.#count = 0
    this.#floor = floor
  }

  since(revision: number): readonly Change[] | undefined {
    if (revision < this.#floor) return undefined
    const found: Change[] = []
    for (let i = this.#count - 1; i >= 0; i--) {
      const change = this.#ring[(this.#start + i) % this.#size]
      if (change === undefined || change.revision <= revision) break
      found.push(change)
    }
    return found.reverse()
  }
}
