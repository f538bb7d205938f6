import { type Harness, harness } from '@binnacle/testing'
import { type Duration, operator, TemporaryError, type TimerExtras } from 'binnacle'
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

describe('A schedule', () => {
  /** The times of the calls, as the clock on the wall shows them. */
  async function calls(
    options: TimerExtras<unknown> & { readonly backoff?: number },
    length: Duration,
    tell: (t: Harness) => Promise<void> = async () => {},
    work: (call: number, t: Harness) => Promise<void> | void = () => {},
  ): Promise<readonly string[]> {
    const op = operator('timers')
    const seen: string[] = []
    let t: Harness | undefined
    op.timer(Kex, { id: 't', ...options }, async () => {
      if (!t) return
      seen.push(t.clock.now().toISOString().slice(11, 19))
      await work(seen.length, t)
    })
    await using running = await harness(op, { resources: [Kex] })
    t = running
    // To a round hour: where virtual time begins is nobody's business.
    await t.advance((3600_000 - (t.clock.now().getTime() % 3600_000)) / 1000 + 90)
    await t.cluster.create(Kex, { metadata: { namespace: 'default', name: 'k' }, spec: { field: 'a' } })
    await tell(t)
    await t.advance(length)
    return seen.map((time) => time.slice(3))
  }

  it('is followed by the clock of the operator, from the first moment after the first sight of the object', async () => {
    expect(await calls({ schedule: '*/5 * * * *' }, '16m')).toEqual(['05:00', '10:00', '15:00'])
  })

  it('is read in its time zone', async () => {
    expect(await calls({ schedule: '15 * * * *', timeZone: 'Asia/Kathmandu' }, '1h')).toEqual(['30:00'])
  })

  it('begins after the initial delay', async () => {
    expect(await calls({ schedule: '*/5 * * * *', initialDelay: '6m' }, '16m')).toEqual(['10:00', '15:00'])
  })

  it('waits for an idle object after each moment', async () => {
    const touch = async (t: Harness) => {
      await t.advance('3m')
      await t.cluster.patch(Kex, 'default/k', { spec: { field: 'b' } })
    }
    expect(await calls({ schedule: '*/5 * * * *', idle: '2m' }, '9m', touch)).toEqual(['06:30', '10:00'])
  })

  it('does not make up for moments that pass while a call runs', async () => {
    const slow = (call: number, t: Harness) => (call === 1 ? t.clock.sleep('7m') : undefined)
    expect(await calls({ schedule: '*/5 * * * *' }, '20m', undefined, slow)).toEqual(['05:00', '15:00', '20:00'])
  })

  it('a failure is repeated after its own delay, and then the schedule goes on', async () => {
    const fail = (call: number) => {
      if (call === 1) throw new Error('not today')
    }
    expect(await calls({ schedule: '*/5 * * * *', backoff: 30 }, '11m', undefined, fail)).toEqual([
      '05:00',
      '05:30',
      '10:00',
    ])
  })

  it('ends with its object, at once', async () => {
    const remove = async (t: Harness) => {
      await t.advance('3m')
      await t.cluster.delete(Kex, 'default/k')
      await t.settled()
      await t.expect.object(Kex, 'default/k', undefined)
    }
    expect(await calls({ schedule: '*/5 * * * *' }, '20m', remove)).toEqual([])
  })

  it.each([
    [{ schedule: '* * * * *', interval: 5 }, 'has a schedule, and an interval'],
    [{ schedule: '* * * * *', sharp: true }, 'is sharp, but has no interval'],
    [{ interval: 5, timeZone: 'Europe/Berlin' }, 'has a time zone, but no schedule'],
    [{ schedule: 'now and then' }, 'cannot be followed'],
  ])('%j is refused', (options, message) => {
    expect(() => operator('timers').timer(Kex, options, () => {})).toThrow(message)
  })
})
