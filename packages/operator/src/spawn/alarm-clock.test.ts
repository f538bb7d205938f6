import { VirtualClock } from '@binnacle/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AlarmClock } from './alarm-clock.ts'

async function withAlarms(story: (alarms: AlarmClock, clock: VirtualClock) => Promise<void>): Promise<void> {
  const clock = new VirtualClock()
  const alarms = new AlarmClock(clock)
  const end = new AbortController()
  const running = alarms.run(end.signal)
  await story(alarms, clock)
  end.abort()
  await running
  expect(clock.sleeping).toBe(0)
}

describe('an alarm clock', () => {
  it('costs one sleep at the clock, however many alarms there are, and none when there is no alarm', () =>
    withAlarms(async (alarms, clock) => {
      await clock.advance(0)
      expect(clock.sleeping).toBe(0)
      for (let i = 0; i < 1000; i++) alarms.after(1 + i, () => {})
      await clock.advance(0)
      expect(clock.sleeping).toBe(1)
      expect(alarms.size).toBe(1000)
      await clock.advance(1000)
      expect(alarms.size).toBe(0)
    }))

  it('never rings within the call that sets it', () =>
    withAlarms(async (alarms, clock) => {
      let rung = 0
      alarms.after(0, () => rung++)
      expect(rung).toBe(0)
      await clock.advance(0)
      expect(rung).toBe(1)
    }))

  it('rings for an earlier alarm that is set while it sleeps for a later one', () =>
    withAlarms(async (alarms, clock) => {
      const rung: string[] = []
      alarms.after(60, () => rung.push('late'))
      await clock.advance(10)
      alarms.after(1, () => rung.push('early'))
      await clock.advance(1)
      expect(rung).toEqual(['early'])
    }))

  it('lets go of cleared alarms', () =>
    withAlarms(async (alarms, clock) => {
      const clears = Array.from({ length: 1000 }, () => alarms.after(3600, () => {}))
      for (const clear of clears) clear()
      for (const clear of clears) clear()
      expect(alarms.size).toBe(0)
      await clock.advance(0)
      alarms.after(1, () => {})
      expect(alarms.size).toBe(1)
    }))

  it('counts right when an alarm that rings clears others of the same moment', () =>
    withAlarms(async (alarms, clock) => {
      let rung = 0
      const clears: (() => void)[] = []
      const clearAll = () => {
        rung++
        for (const clear of clears) clear()
      }
      for (let i = 0; i < 200; i++) clears.push(alarms.after(1, clearAll))
      await clock.advance(1)
      expect([rung, alarms.size]).toEqual([1, 0])
      alarms.after(1, () => {})
      expect(alarms.size).toBe(1)
    }))

  it('leaves what is set by an alarm that rings to a later turn', () =>
    withAlarms(async (alarms, clock) => {
      const rung: string[] = []
      alarms.after(1, () => {
        rung.push('first')
        alarms.after(0, () => rung.push('third'))
      })
      alarms.after(1, () => rung.push('second'))
      await clock.advance(1)
      expect(rung).toEqual(['first', 'second', 'third'])
    }))

  it('rings in the order in which alarms fall due, whichever are cleared', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ after: fc.integer({ min: 0, max: 50 }), cleared: fc.boolean() }), { maxLength: 300 }),
        (given) =>
          withAlarms(async (alarms, clock) => {
            const rung: number[] = []
            const clears = given.map(({ after }, i) => alarms.after(after, () => rung.push(i)))
            for (const [i, clear] of clears.entries()) if (given[i]?.cleared) clear()
            await clock.advance(60)
            const left = given.map(({ after, cleared }, i) => ({ after, cleared, i })).filter(({ cleared }) => !cleared)
            expect(rung).toEqual(left.sort((a, b) => a.after - b.after || a.i - b.i).map(({ i }) => i))
            expect(alarms.size).toBe(0)
          }),
      ),
      { numRuns: 40 },
    ))
})
