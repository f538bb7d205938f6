import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BackoffSequence, exponential } from './backoff.ts'

const never = () => 0
const almostOne = () => 1 - Number.EPSILON

describe('exponential backoff', () => {
  it('doubles from one second by default', () => {
    const policy = exponential()
    expect([0, 1, 2, 3].map((attempt) => policy.delay(attempt, never))).toEqual([1, 2, 4, 8])
  })

  it('grows by the factor from the first wait', () => {
    const policy = exponential({ initial: '500ms', factor: 3, jitter: 0 })
    expect([0, 1, 2].map((attempt) => policy.delay(attempt, almostOne))).toEqual([0.5, 1.5, 4.5])
  })

  it('spreads a wait by the share that is allowed', () => {
    const policy = exponential({ initial: 10, jitter: 0.5 })
    expect(policy.delay(0, never)).toBe(10)
    expect(policy.delay(0, () => 0.5)).toBe(12.5)
  })

  it('spreads the longest wait as well, so that those who failed together do not stay together', () => {
    const policy = exponential({ max: '1m', jitter: 0.2 })
    expect(policy.delay(100, never)).toBe(50)
    expect(policy.delay(100, almostOne)).toBeCloseTo(60)
  })

  it('is never longer than the maximum, never negative, and never shrinks from one attempt to the next', () => {
    const options = fc.record({
      initial: fc.double({ min: 0, max: 100, noNaN: true }),
      factor: fc.double({ min: 1, max: 1e6, noNaN: true }),
      max: fc.double({ min: 0, max: 1e6, noNaN: true }),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(options, random, fc.nat(100_000), (given, chance, attempt) => {
        const policy = exponential(given)
        const delay = policy.delay(attempt, () => chance)
        expect(delay).toBeGreaterThanOrEqual(0)
        expect(delay).toBeLessThanOrEqual(given.max)
        expect(policy.delay(attempt + 1, () => chance)).toBeGreaterThanOrEqual(delay)
      }),
    )
  })

  it('stays at zero if it begins there', () => {
    expect(exponential({ initial: 0, factor: 10 }).delay(5000, almostOne)).toBe(0)
  })

  it.each([{ factor: 0 }, { factor: Number.NaN }, { jitter: -1 }, { jitter: Number.POSITIVE_INFINITY }])(
    'refuses %o',
    (options) => {
      expect(() => exponential(options)).toThrow(expect.objectContaining({ code: 'BIN_SETTINGS' }))
    },
  )
})

describe('a sequence of waits', () => {
  it('grows until it is reset', () => {
    const waits = new BackoffSequence(exponential(), never)
    expect([waits.next(), waits.next(), waits.next()]).toEqual([1, 2, 4])
    waits.reset()
    expect(waits.next()).toBe(1)
  })
})
