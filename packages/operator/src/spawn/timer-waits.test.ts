import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timerHandler } from '../declare/timer.ts'
import { nextCall, untilIdle } from './timer-waits.ts'

const timer = (options: object) => timerHandler('kex', [options, () => {}])

describe('the next call of a timer', () => {
  it.each([
    ['an interval after the end of the last one', { interval: 10 }, 3, { after: 10 }],
    ['on the grid, when it is sharp', { interval: 10, sharp: true }, 3, { after: 7 }],
    ['at the next place of the grid, after a call that took longer', { interval: 10, sharp: true }, 23, { after: 7 }],
    ['after a change, when it is only idle', { idle: 5 }, 3, { after: 'change' }],
    ['an interval later, when it is idle too', { idle: 5, interval: 10 }, 3, { after: 10 }],
    ['never, with neither', {}, 3, undefined],
  ] as const)('comes %s', (_, options, elapsed, next) => {
    expect(nextCall(timer(options), elapsed)).toEqual(next)
  })

  it('is never in the past, and never further away than the interval', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.nat(10_000), fc.boolean(), (interval, elapsed, sharp) => {
        const after = Number(nextCall(timer({ interval, sharp }), elapsed)?.after)
        expect(after).toBeGreaterThan(0)
        expect(after).toBeLessThanOrEqual(interval)
        if (sharp) expect((elapsed + after) % interval).toBe(0)
      }),
    )
  })

  it('waits until the object has been idle for long enough', () => {
    expect(untilIdle(timer({ idle: 10 }), 4)).toBe(6)
    expect(untilIdle(timer({ idle: 10 }), 14)).toBe(0)
    expect(untilIdle(timer({ interval: 10 }), 0)).toBe(0)
  })
})
