import fc from 'fast-check'
import { expect, it } from 'vitest'
import { seededRandom } from './seeded-random.ts'

const numbers = (seed: number) => Array.from({ length: 50 }, seededRandom(seed))

it('repeats itself with the same seed, and not with another', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      expect(numbers(seed)).toEqual(numbers(seed))
      expect(numbers(seed)).not.toEqual(numbers(seed + 2))
      for (const number of numbers(seed)) expect(number >= 0 && number < 1).toBe(true)
    }),
  )
})
