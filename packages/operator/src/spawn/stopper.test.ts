import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stopStep } from './stopper.ts'

const polling = 60
const length = fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined })
const ORDER = ['signalled', 'cancelled', 'abandoned']

describe('the stages of a stop', () => {
  it.each([
    ['polite, until the backoff is over', 2, { backoff: 3, timeout: 4 }, 'signalled', 1],
    ['by force, from then on', 3, { backoff: 3, timeout: 4 }, 'cancelled', 4],
    ['by force at once, without a backoff', 0, { backoff: undefined, timeout: 4 }, 'cancelled', 4],
    ['given up, when the timeout since the force is over', 7, { backoff: 3, timeout: 4 }, 'abandoned', undefined],
    ['polite for ever, without a timeout', 1e6, { backoff: 3, timeout: undefined }, 'signalled', polling],
  ] as const)('%s', (_, age, limits, stage, again) => {
    expect(stopStep(age, { ...limits, polling })).toEqual({ stage, again })
  })

  it('only go forward, and take backoff and timeout together', () => {
    fc.assert(
      fc.property(
        length,
        length,
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 0, max: 300 }),
        (backoff, timeout, a, b) => {
          const at = (age: number) => stopStep(age, { backoff, timeout, polling })
          const [earlier, later] = [at(Math.min(a, b)), at(Math.max(a, b))]
          expect(ORDER.indexOf(earlier.stage)).toBeLessThanOrEqual(ORDER.indexOf(later.stage))
          const over = timeout !== undefined && a >= (backoff ?? 0) + timeout
          expect(at(a).stage === 'abandoned').toBe(over)
          expect(at(a).again === undefined).toBe(over)
          expect(timeout === undefined && at(a).stage !== 'signalled').toBe(false)
        },
      ),
    )
  })
})
