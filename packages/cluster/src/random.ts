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

/** A version 4 UUID. */
export function uid(random: Random): string {
  const hex = Array.from({ length: 32 }, (_, i) => {
    if (i === 12) return '4'
    const digit = Math.floor(random() * 16)
    return (i === 16 ? (digit & 3) | 8 : digit).toString(16)
  }).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** No vowels, no look-alikes: a random suffix never spells a word. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'

/** The name that metadata.generateName asks for: the prefix cut so that the whole fits into 63 characters, and five random ones. */
export function generatedName(prefix: string, random: Random): string {
  const suffix = Array.from({ length: 5 }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')
  return prefix.slice(0, 58) + suffix
}
