import { describe, expect, it } from 'vitest'
import { systemClock } from './clock.ts'
import { silentLogger } from './logger.ts'
import { noMetrics } from './metrics.ts'
import { runtimeOf } from './runtime.ts'
import { VirtualClock } from './virtual-clock.ts'

describe('the runtime', () => {
  it('is the system and silence where nothing is given', () => {
    const runtime = runtimeOf({})
    expect(runtime).toMatchObject({ clock: systemClock, logger: silentLogger, metrics: noMetrics })
    const chance = runtime.random()
    expect(chance >= 0 && chance < 1).toBe(true)
  })

  it('is what is given', () => {
    const clock = new VirtualClock()
    expect(runtimeOf({ clock, random: () => 0.5, logger: undefined })).toMatchObject({ clock, logger: silentLogger })
  })

  it('can be silent all the way down', () => {
    const { logger, metrics } = runtimeOf({})
    logger.child({ a: 1 }).error(new Error('nobody hears'))
    for (const log of [logger.debug, logger.info, logger.warn]) log('nobody hears')
    metrics.counter('c', 'help').add(1)
    metrics.gauge('g', 'help').set(1)
    metrics.histogram('h', 'help').observe(1)
    expect(logger.child({})).toBe(silentLogger)
  })
})
