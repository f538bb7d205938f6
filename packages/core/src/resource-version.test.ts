import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareResourceVersions } from './resource-version.ts'

describe('resource versions', () => {
  it('compare as integers of any size do', () => {
    const version = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n }), fc.bigInt({ min: 0n, max: 20n }))
    fc.assert(
      fc.property(version, version, (a, b) => {
        const order = Math.sign(compareResourceVersions(String(a), String(b)) ?? Number.NaN)
        expect(order).toBe(a < b ? -1 : a > b ? 1 : 0)
      }),
    )
  })

  it.each(['', 'abc', '-1', '1.5', '01', ' 1', '1 ', '0x10', '1e3', '１'])('do not compare with %j', (odd) => {
    expect(compareResourceVersions(odd, '5')).toBeUndefined()
    expect(compareResourceVersions('5', odd)).toBeUndefined()
  })
})
