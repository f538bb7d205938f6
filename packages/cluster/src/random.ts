/**
 * Everything that looks like chance: uids, generated names, deadlines. One source feeds them all, so that a seed repeats a run.
 */
export type Random = () => number

/** A small generator with 32 bits of state (mulberry32): the same seed gives the same numbers on every machine. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const hex32 = (random: Random) =>
  Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0')

/** A version 4 UUID. */
export function uid(random: Random): string {
  const [a, b, c, d] = [hex32(random), hex32(random), hex32(random), hex32(random)]
  const variant = '89ab'[Math.floor(random() * 4)]
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${d}`
}

/** No vowels, no look-alikes: a random suffix never spells a word. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'

/** The name that metadata.generateName asks for: the prefix cut so that the whole fits into 63 characters, and five random ones. */
export function generatedName(prefix: string, random: Random): string {
  const suffix = Array.from({ length: 5 }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')
  return prefix.slice(0, 58) + suffix
}
