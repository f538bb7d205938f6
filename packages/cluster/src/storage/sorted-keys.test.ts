import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SortedKeys } from './sorted-keys.ts'

const all = (keys: SortedKeys) => Array.from({ length: keys.size }, (_, i) => keys.at(i))

describe('sorted keys', () => {
  it('are what a sorted array is, after any history (property)', () => {
    const step = fc.record({ from: fc.nat(3000), count: fc.nat(1500), remove: fc.boolean(), again: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.array(fc.nat(3000), { maxLength: 20 }), (steps, asked) => {
        const keys = new SortedKeys()
        const model = new Set<string>()
        for (const { from, count, remove, again } of steps) {
          for (let i = 0; i < count; i++) {
            const key = `k${(from + i * 7) % 3001}`
            if (remove && model.delete(key)) keys.delete(key)
            else if (!remove && !model.has(key)) keys.add(key)
            if (!remove) model.add(key)
          }
          if (again) keys.become(model)
        }
        const sorted = [...model].sort()
        expect(all(keys)).toEqual(sorted)
        expect(keys.at(sorted.length)).toBeUndefined()
        for (const number of asked) {
          expect(keys.at(number)).toBe(sorted[number])
          expect(keys.position(`k${number}`)).toBe(sorted.filter((key) => key < `k${number}`).length)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('become a million at once', () => {
    const keys = new SortedKeys()
    keys.become(Array.from({ length: 1_000_000 }, (_, i) => `m${i}`))
    expect([keys.size, keys.at(0), keys.at(999_999), keys.position('m1')]).toEqual([1_000_000, 'm0', 'm999999', 1])
  })
})
