import { describe, expect, it } from 'vitest'
import { scaledClock } from './scaled-clock.ts'
import { VirtualClock } from './virtual-clock.ts'

describe('a scaled clock', () => {
  it('begins at the present time, and lets times, ages and sleeps pass faster alike', async () => {
    const inner = new VirtualClock({ start: new Date('2030-01-01T00:00:00Z') })
    await inner.advance('10s')
    const clock = scaledClock(60, inner)
    expect([clock.now().toISOString(), clock.monotonic()]).toEqual(['2030-01-01T00:00:10.000Z', 10])
    let woken: string | undefined
    void clock.sleep('5m').then(() => {
      woken = clock.now().toISOString()
    })
    await inner.advance('4.9s')
    expect(woken).toBeUndefined()
    await inner.advance('0.1s')
    expect([woken, clock.monotonic()]).toEqual(['2030-01-01T00:05:10.000Z', 310])
  })

  it('lets them pass slower, too', async () => {
    const inner = new VirtualClock()
    const clock = scaledClock(0.5, inner)
    await inner.advance('10s')
    expect(clock.monotonic()).toBe(5)
  })

  it('forgets a sleep that is called off', async () => {
    const inner = new VirtualClock()
    const stop = new AbortController()
    const sleeping = scaledClock(2, inner).sleep('1h', stop.signal)
    stop.abort(new Error('called off'))
    await expect(sleeping).rejects.toThrow('called off')
    expect(inner.sleeping).toBe(0)
  })

  it('calls back after a while of its own time, unless it is called off', async () => {
    const inner = new VirtualClock()
    const clock = scaledClock(60, inner)
    const calls: number[] = []
    clock.after('1m', () => calls.push(inner.monotonic()))
    clock.after('1m', () => calls.push(0))()
    await inner.advance('10s')
    expect(calls).toEqual([1])
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('does not stand still or go back: %d', (factor) => {
    expect(() => scaledClock(factor)).toThrow(`Time cannot pass ${factor} times as fast`)
  })
})
