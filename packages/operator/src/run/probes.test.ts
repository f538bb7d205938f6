import { silentLogger, VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { type ActivityHandler, activityHandler } from '../declare/activity.ts'
import { Probes } from './probes.ts'

function probing(...handlers: readonly ActivityHandler[]) {
  const clock = new VirtualClock()
  const { signal } = new AbortController()
  const contextOf = (_: ActivityHandler, attempt: object) => attempt
  const probes = new Probes(handlers, {
    clock,
    random: () => 0.5,
    logger: silentLogger,
    defaultBackoff: 60,
    contextOf,
    signal,
  })
  return { clock, probes }
}

const probe = (id: string, fn: (context: { retry: number }) => unknown, options = {}) =>
  activityHandler('probe', [{ id, ...options }, fn])

describe('probe handlers', () => {
  it('are asked together, and their values kept for ten seconds', async () => {
    let calls = 0
    const { clock, probes } = probing(
      probe('count', () => ++calls),
      probe('nothing', () => undefined),
    )
    await Promise.all([probes.refresh(), probes.refresh()])
    await probes.refresh()
    expect([calls, probes.values]).toEqual([1, { count: 1, nothing: null }])
    await clock.advance(10)
    await probes.refresh()
    expect(probes.values).toEqual({ count: 2, nothing: null })
  })

  it('that fail are not called before their delay, and count as failed until they succeed', async () => {
    const retries: number[] = []
    const { clock, probes } = probing(
      probe('db', ({ retry }) => {
        retries.push(retry)
        if (retry < 1) throw new Error('no answer')
        return 'fine'
      }),
    )
    await probes.refresh()
    expect([probes.failures.get('db'), probes.values]).toEqual(['no answer', { db: null }])
    await clock.advance(20)
    await probes.refresh()
    expect(retries).toEqual([0])
    await clock.advance(60)
    await probes.refresh()
    expect([retries, probes.values, probes.failures.size]).toEqual([[0, 1], { db: 'fine' }, 0])
  })

  it('whose errors are ignored have nothing to say, and do no harm', async () => {
    const { probes } = probing(
      probe(
        'db',
        () => {
          throw new Error('no answer')
        },
        { errors: 'ignored' },
      ),
    )
    await probes.refresh()
    expect([probes.failures.size, probes.values]).toEqual([0, { db: null }])
  })

  it('that take too long for their timeout have failed', async () => {
    const { clock, probes } = probing(probe('slow', () => new Promise(() => {}), { timeout: '1s', retries: 1 }))
    const asked = probes.refresh()
    await clock.advance(1)
    await asked
    expect(probes.failures.get('slow')).toContain('has not succeeded within 1 s')
  })
})
