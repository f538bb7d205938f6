/**
 * BLAKE2b (RFC 7693) without a key, for any length of the digest: Node offers 64 bytes only, and a shorter digest is not its beginning.
 * Kopf makes short names of long ones with it; for inputs of that size it is fast enough.
 */
const MASK = 0xffffffffffffffffn
const IV: readonly bigint[] = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
]
/** The order in which each round takes the words of a block; the last two rounds are as the first two. */
const ORDER = [
  '0123456789abcdef',
  'ea489fd61c02b753',
  'b8c052fdae367194',
  '7931dcbe265a40f8',
  '905724afe1bc683d',
  '2c6a0b834d75fe19',
  'c51fed4a0763928b',
  'db7ec13950f4862a',
  '6fe9b308c2d714a5',
  'a2847615fb9e3cd0',
]
const BLOCK = 128
/** Columns, then diagonals. */
const MIXES = ['048c', '159d', '26ae', '37bf', '05af', '16bc', '278d', '349e']

export function blake2b(input: Uint8Array, length: number): Uint8Array {
  const state = [...IV]
  state[0] = at(state, 0) ^ 0x01010000n ^ BigInt(length)
  const blocks = Math.max(1, Math.ceil(input.length / BLOCK))
  for (let block = 0; block < blocks; block++) {
    const end = Math.min(input.length, (block + 1) * BLOCK)
    compress(state, words(input.subarray(block * BLOCK, end)), BigInt(end), block === blocks - 1)
  }
  const digest = new Uint8Array(64)
  const view = new DataView(digest.buffer)
  state.forEach((word, i) => {
    view.setBigUint64(i * 8, word, true)
  })
  return digest.subarray(0, length)
}

function compress(state: bigint[], message: readonly bigint[], counted: bigint, last: boolean): void {
  const v = [...state, ...IV]
  v[12] = at(v, 12) ^ counted
  if (last) v[14] = at(v, 14) ^ MASK
  for (let round = 0; round < 12; round++) {
    const order = ORDER[round % 10] ?? ''
    MIXES.forEach((places, i) => {
      mix(v, places, at(message, hex(order, 2 * i)), at(message, hex(order, 2 * i + 1)))
    })
  }
  state.forEach((word, i) => {
    state[i] = word ^ at(v, i) ^ at(v, i + 8)
  })
}

function mix(v: bigint[], places: string, x: bigint, y: bigint): void {
  const [a, b, c, d] = [hex(places, 0), hex(places, 1), hex(places, 2), hex(places, 3)]
  const half = (word: bigint, first: bigint, second: bigint) => {
    v[a] = (at(v, a) + at(v, b) + word) & MASK
    v[d] = rotated(at(v, d) ^ at(v, a), first)
    v[c] = (at(v, c) + at(v, d)) & MASK
    v[b] = rotated(at(v, b) ^ at(v, c), second)
  }
  half(x, 32n, 24n)
  half(y, 16n, 63n)
}

function rotated(word: bigint, by: bigint): bigint {
  return ((word >> by) | (word << (64n - by))) & MASK
}

function words(bytes: Uint8Array): bigint[] {
  const padded = new Uint8Array(BLOCK)
  padded.set(bytes)
  const view = new DataView(padded.buffer)
  return Array.from({ length: 16 }, (_, i) => view.getBigUint64(i * 8, true))
}

function hex(digits: string, place: number): number {
  return Number.parseInt(digits.charAt(place), 16)
}

function at(list: readonly bigint[], place: number): bigint {
  return list[place] ?? 0n
}
