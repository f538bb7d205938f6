/** Chance that a seed repeats: numbers from 0, inclusive, to 1, exclusive (a 32-bit xorshift). */
export function seededRandom(seed: number): () => number {
  // A state of 0 would stay 0, and small seeds begin with small numbers unless they are spread.
  let state = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
