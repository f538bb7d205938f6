import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { Duration } from './duration.ts'
import { VirtualClock } from './virtual-clock.ts'

function sleepers(clock: VirtualClock) {
  const woken: string[] = []
  const lay = (name: string, duration: Duration, signal?: AbortSignal) =>
    void clock.sleep(duration, signal).then(
      () => woken.push(`${name}@${clock.monotonic()}`),
      (reason: unknown) => woken.push(`${name}!${reason}`),
    )
  return { woken, lay }
}

describe('a virtual clock', () => {
  it('stands still until it is moved', async () => {
    const clock = new VirtualClock({ start: new Date('2030-05-05T00:00:00Z') })
    expect([clock.monotonic(), clock.now().toISOString()]).toEqual([0, '2030-05-05T00:00:00.000Z'])
    await clock.advance('1m30s')
    expect([clock.monotonic(), clock.now().toISOString()]).toEqual([90, '2030-05-05T00:01:30.000Z'])
  })

  it('starts at the same moment in every test', () => {
    expect(new VirtualClock().now().toISOString()).toBe('2026-01-01T00:00:00.000Z')
  })

  it('wakes sleepers in the order in which they fall due, those of one moment in the order in which they lay down', async () => {
    const clock = new VirtualClock()
    const { woken, lay } = sleepers(clock)
    lay('c', 3)
    lay('a', 1)
    lay('b1', 2)
    lay('b2', '2s')
    await clock.advance(3)
    expect(woken).toEqual(['a@1', 'b1@2', 'b2@2', 'c@3'])
  })

  it('does not wake who falls due later', async () => {
    const clock = new VirtualClock()
    const { woken, lay } = sleepers(clock)
    lay('late', 5)
    await clock.advance(4.999)
    expect(woken).toEqual([])
    expect(clock.untilNext).toBeCloseTo(0.001)
  })

  it('wakes those who lie down again in between, at the time at which they would wake', async () => {
    const clock = new VirtualClock()
    const ticks: number[] = []
    const ticking = (async () => {
      for (let i = 0; i < 4; i++) {
        await clock.sleep(10)
        ticks.push(clock.monotonic())
      }
    })()
    await clock.advance(35)
    expect(ticks).toEqual([10, 20, 30])
    await clock.advance(5)
    await ticking
    expect(ticks).toEqual([10, 20, 30, 40])
  })

  it('does not lose a tick to the rounding of fractions', async () => {
    const clock = new VirtualClock()
    let ticks = 0
    void (async () => {
      for (;;) {
        await clock.sleep('100ms')
        ticks++
      }
    })()
    await clock.advance(0.3)
    expect(ticks).toBe(3)
    await clock.advance('9.7s')
    expect(ticks).toBe(100)
    expect(clock.monotonic()).toBe(10)
  })

  it('lets a loop that waits for a deadline reach it', async () => {
    const clock = new VirtualClock()
    const deadline = clock.monotonic() + 1 / 3
    let rounds = 0
    const waiting = (async () => {
      for (let left = deadline; left > 0; left = deadline - clock.monotonic()) {
        rounds++
        await clock.sleep(left)
      }
    })()
    await clock.advance(1)
    await waiting
    expect(rounds).toBeLessThan(4)
  })

  it('goes to the next thing that falls due, and says when there is nothing', async () => {
    const clock = new VirtualClock()
    const { woken, lay } = sleepers(clock)
    lay('b', 7)
    lay('a', '5s')
    expect(await clock.advanceToNext()).toBe(true)
    expect(woken).toEqual(['a@5'])
    expect([clock.untilNext, clock.sleeping]).toEqual([2, 1])
    expect(await clock.advanceToNext()).toBe(true)
    expect(await clock.advanceToNext()).toBe(false)
    expect([clock.untilNext, clock.sleeping, clock.monotonic()]).toEqual([undefined, 0, 7])
  })

  it('wakes who is due without moving on', async () => {
    const clock = new VirtualClock()
    const { woken, lay } = sleepers(clock)
    lay('now', 0)
    lay('later', 1)
    clock.wakeDue()
    await Promise.resolve()
    expect(woken).toEqual(['now@0'])
  })

  it('calls back in the order in which calls fall due, and forgets one that is called off', async () => {
    const clock = new VirtualClock()
    const calls: string[] = []
    clock.after(2, () => calls.push('late'))
    const callOff = clock.after(1, () => calls.push('called off'))
    clock.after(1, () => calls.push('early'))
    callOff()
    expect(clock.sleeping).toBe(2)
    await clock.advance(3)
    expect(calls).toEqual(['early', 'late'])
  })

  it('forgets an aborted sleeper, and leaves no listener behind', async () => {
    const clock = new VirtualClock()
    const { woken, lay } = sleepers(clock)
    const controller = new AbortController()
    lay('a', 5, controller.signal)
    lay('b', 6, controller.signal)
    await clock.advance(5)
    controller.abort('enough')
    expect([clock.sleeping, clock.untilNext]).toEqual([0, undefined])
    await clock.advance(5)
    expect(woken).toEqual(['a@5', 'b!enough'])
    expect(clock.sleeping).toBe(0)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
    lay('c', 1, controller.signal)
    await clock.advance(0)
    expect(woken.at(-1)).toBe('c!enough')
    expect(clock.sleeping).toBe(0)
  })

  it('refuses what is no duration, and keeps nobody asleep for it', async () => {
    const clock = new VirtualClock()
    await expect(clock.sleep(-1)).rejects.toMatchObject({ code: 'BIN_DURATION' })
    expect(clock.sleeping).toBe(0)
  })

  it('settles before it moves, between two moments, and at the end', async () => {
    const settle = vi.fn(async () => {
      history.push(clock.monotonic())
    })
    const history: number[] = []
    const clock = new VirtualClock({ settle })
    void clock.sleep(1)
    void clock.sleep(2)
    await clock.advance(5)
    expect(history).toEqual([0, 1, 2, 5])
  })

  it('need not settle before it moves where its owner knows that all is at rest', async () => {
    let settled = 0
    const clock = new VirtualClock({
      settle: async () => {
        settled++
      },
    })
    void clock.sleep(5)
    expect(await clock.moveToNext()).toBe(true)
    expect([clock.monotonic(), settled]).toEqual([5, 1])
    expect(await clock.moveToNext()).toBe(false)
  })

  it('ends with advice where somebody sleeps for no time again and again', async () => {
    const clock = new VirtualClock({ settle: () => Promise.resolve() })
    const controller = new AbortController()
    const spinning = (async () => {
      for (;;) await clock.sleep(0, controller.signal)
    })()
    await expect(clock.advance(1)).rejects.toMatchObject({ code: 'BIN_NOT_SETTLED' })
    controller.abort(new Error('enough'))
    await expect(spinning).rejects.toThrow('enough')
  })

  it('wakes everyone at the moment that he asked for, however time is cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(50)), fc.array(fc.nat(20)), async (durations, pieces) => {
        const clock = new VirtualClock({ settle: async () => void (await Promise.resolve()) })
        const woken: [number, number][] = []
        for (const [i, ms] of durations.entries())
          void clock.sleep(ms / 1000).then(() => woken.push([i, Math.round(clock.monotonic() * 1000)]))
        let total = 0
        for (const piece of pieces) {
          await clock.advance(piece / 1000)
          total += piece
        }
        const due = [...durations.entries()].filter(([, ms]) => ms <= total && pieces.length > 0)
        expect(woken).toEqual(due.sort(([i, a], [j, b]) => a - b || i - j))
      }),
    )
  })
})

describe('a virtual clock that moves by itself', () => {
  it('goes on whenever everything waits for time, in order, and stands still when it is told to', async () => {
    const clock = new VirtualClock()
    const { woken, lay } = sleepers(clock)
    const stop = new AbortController()
    const moving = clock.moveByItself(stop.signal)
    lay('b', '2h')
    lay('a', '1m')
    await clock.sleep('1d')
    expect(woken).toEqual(['a@60', 'b@7200'])
    expect(clock.monotonic()).toBe(86_400)
    stop.abort()
    await moving
    lay('c', 1)
    await new Promise((resolve) => setImmediate(resolve))
    expect([woken.length, clock.monotonic()]).toEqual([2, 86_400])
  })

  it('waits for somebody to sleep', async () => {
    const clock = new VirtualClock()
    const stop = new AbortController()
    const moving = clock.moveByItself(stop.signal)
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(clock.monotonic()).toBe(0)
    await clock.sleep(5)
    expect(clock.monotonic()).toBe(5)
    stop.abort()
    await moving
  })

  it('ends with what does not come to rest', async () => {
    const clock = new VirtualClock({ settle: () => Promise.reject(new Error('restless')) })
    await expect(clock.moveByItself(new AbortController().signal)).rejects.toThrow('restless')
  })
})
