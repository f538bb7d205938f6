import { type Harness, harness } from '@binnacle/testing'
import { operator, TemporaryError, type TimerExtras } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Kex } from './kinds.ts'

/** The combinations of a timer's options, with the times of its calls on the virtual clock. */

/** The options that say when a timer is called. */
type Options = TimerExtras<{ readonly spec: { readonly field: string } }>

const kex = { metadata: { namespace: 'default', name: 'a' }, spec: { field: 'x' } }

async function withTimer(
  options: Options,
  fn: (call: number, t: Harness) => unknown,
  story: (t: Harness, times: readonly number[]) => Promise<void>,
): Promise<void> {
  const times: number[] = []
  let t: Harness | undefined
  const op = operator('timing')
  op.timer(Kex, { id: 'tick', ...options }, async ({ patch }) => {
    const here = t as Harness
    times.push(Math.round((here.clock.monotonic() - start) * 1000) / 1000)
    patch.status.calls = times.length
    await fn(times.length, here)
  })
  await using opened = await harness(op, { resources: [Kex], start: false })
  t = opened
  await t.start()
  const start = t.clock.monotonic()
  await t.cluster.create(Kex, kex)
  await t.settled()
  await story(t, times)
}

const edit = (t: Harness, field: string) => t.cluster.patch(Kex, 'default/a', { spec: { field } })
const nothing = () => {}

describe('a timer with an interval', () => {
  it('pauses between the end of a call and the next', () =>
    withTimer(
      { interval: 10 },
      (_, t) => t.clock.sleep(3),
      async (t, times) => {
        await t.advance(40)
        expect(times).toEqual([0, 13, 26, 39])
      },
    ))

  it('never overlaps itself, however long a call takes', () =>
    withTimer(
      { interval: 1, sharp: true },
      (_, t) => t.clock.sleep(2.5),
      async (t, times) => {
        await t.advance(7)
        expect(times).toEqual([0, 3, 6])
      },
    ))

  it('stays on the grid when it is sharp', () =>
    withTimer(
      { interval: 10, sharp: true },
      (_, t) => t.clock.sleep(3),
      async (t, times) => {
        await t.advance(35)
        expect(times).toEqual([0, 10, 20, 30])
      },
    ))

  it('begins after its initial delay, which a function may tell from the object', () =>
    withTimer(
      { interval: 10, initialDelay: ({ spec }) => (spec.field === 'x' ? '5s' : '1h') },
      nothing,
      async (t, times) => {
        await t.advance(20)
        expect(times).toEqual([5, 15])
      },
    ))

  it('waits for the delay of an error instead of the interval', () =>
    withTimer(
      { interval: 10 },
      (call) => {
        if (call === 1) throw new TemporaryError('not yet', { delay: 3 })
      },
      async (t, times) => {
        await t.advance(15)
        expect(times).toEqual([0, 3, 13])
      },
    ))
})

describe('a timer with an idle time', () => {
  it('is called once after each essential change, and not because of what it writes itself', () =>
    withTimer({ idle: 10 }, nothing, async (t, times) => {
      await t.advance(100)
      expect(times).toEqual([10])
      await edit(t, 'y')
      await t.advance(100)
      expect(times).toEqual([10, 110])
    }))

  it('waits longer with each change, and never less', () =>
    withTimer({ idle: 10 }, nothing, async (t, times) => {
      for (const field of ['1', '2', '3']) {
        await t.advance(6)
        await edit(t, field)
      }
      await t.advance(30)
      expect(times).toEqual([28])
    }))

  it('looks at the idle time before each call of an interval', () =>
    withTimer({ idle: 10, interval: 4 }, nothing, async (t, times) => {
      await t.advance(20)
      expect(times).toEqual([10, 14, 18])
      await edit(t, 'y')
      await t.advance(16)
      expect(times).toEqual([10, 14, 18, 30, 34])
    }))

  it('counts from the first sight, beside the initial delay', () =>
    withTimer({ idle: 10, initialDelay: 4, interval: 100 }, nothing, async (t, times) => {
      await t.advance(20)
      expect(times).toEqual([10])
    }))

  it('does not miss a change during a call', () =>
    withTimer(
      { idle: 10 },
      (call, t) => (call === 1 ? edit(t, 'y').then(() => t.clock.sleep(2)) : undefined),
      async (t, times) => {
        await t.advance(60)
        expect(times).toEqual([10, 20])
      },
    ))
})

describe('very many timers', () => {
  it('sleep in one sleep at the clock', async () => {
    const op = operator('many')
    let calls = 0
    op.timer(Kex, { id: 'tick', interval: '1h', finalizer: false }, () => void calls++)
    await using t = await harness(op, { resources: [Kex], start: false })
    const COUNT = 1000
    for (let i = 0; i < COUNT; i++)
      await t.cluster.create(Kex, { ...kex, metadata: { namespace: 'default', name: `k${i}` } })
    const clock = t.clock as Harness['clock'] & { readonly sleeping: number }
    await t.start()
    await t.settled()
    expect(t.health().background.running).toBe(COUNT)
    expect(calls).toBe(COUNT)
    expect(clock.sleeping).toBeLessThan(10)
  })
})
