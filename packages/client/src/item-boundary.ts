/**
 * Where an item of a list ends, by a guess: before the next place that looks like the beginning of this one. Items of one list begin alike, up to
 * their metadata, and to search for these bytes costs a tenth of following every brace and quote.
 * Does not guarantee: to be right. An object may contain others that begin like itself, so whoever asks has to see whether what stands
 * before the guess can be parsed; since no part of an object can, that is proof.
 */

const METADATA = Buffer.from('"metadata":{')
const BETWEEN = Buffer.from('},')
/** Room for apiVersion and kind. */
const LONGEST_BEGINNING = 256
/** A wrong guess costs as much as many right ones gain. */
const COST_OF_WRONG = 8
const TOO_MUCH = 128

export class ItemBoundary {
  /** The end of one item and the beginning of the next. */
  #between = BETWEEN
  /** What wrong guesses have cost, less what right ones have gained. Past the limit nothing is guessed any more. */
  #cost = 0

  /** The index behind the item that begins at `start`; undefined if it cannot be guessed from the bytes that are there. */
  guess(bytes: Buffer, start: number, end: number): number | undefined {
    if (this.#cost > TOO_MUCH || !this.#knows(bytes, start, end)) return undefined
    const from = start + this.#between.length - BETWEEN.length
    const found = bytes.subarray(from, end).indexOf(this.#between)
    if (found === -1) return undefined
    if (this.#cost > 0) this.#cost--
    return from + found + 1
  }

  /** The last guess was wrong. */
  wrong(): void {
    this.#cost += COST_OF_WRONG
  }

  /** Whether it is known how items begin; learned from this one if it begins in another way than those before. */
  #knows(bytes: Buffer, start: number, end: number): boolean {
    const length = this.#between.length - BETWEEN.length
    const same = length > 0 && bytes.compare(this.#between, BETWEEN.length, undefined, start, start + length) === 0
    if (same) return start + length <= end
    const beginning = bytes.subarray(start, Math.min(end, start + LONGEST_BEGINNING))
    const metadata = beginning.indexOf(METADATA)
    if (metadata === -1) return false
    this.#between = Buffer.concat([BETWEEN, beginning.subarray(0, metadata + METADATA.length)])
    return true
  }
}
