import { getEventListeners } from 'node:events'
import { VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { StopReason } from '../declare/stopped.ts'
import { AlarmClock } from './alarm-clock.ts'
import { Rest, StopControl } from './stop-control.ts'

async function withControl(story: (control: StopControl, clock: VirtualClock) => Promise<void>): Promise<void> {
  const clock = new VirtualClock()
  const alarms = new AlarmClock(clock)
  const end = new AbortController()
  const running = alarms.run(end.signal)
  await story(new StopControl(alarms), clock)
  end.abort()
  await running
}

describe('`stopped`', () => {
  it('is a real AbortSignal, without a reason until it is aborted', () =>
    withControl(async ({ stopped, ...rest }) => {
      void rest
      expect(stopped).toBeInstanceOf(AbortSignal)
      expect(stopped.aborted).toBe(false)
      expect(stopped.reason).toBeUndefined()
      expect(() => AbortSignal.any([stopped])).not.toThrow()
    }))

  it('tells why it was aborted, and how far the stopping has come', () =>
    withControl(async (control) => {
      control.stop('filters-mismatch')
      control.stop('resource-deleted')
      const { reason } = control.stopped
      expect(reason).toBeInstanceOf(StopReason)
      expect(reason).toMatchObject({ why: 'filters-mismatch', stage: 'signalled' })
      control.cancel()
      expect(reason?.stage).toBe('cancelled')
      control.abandon()
      expect(reason?.stage).toBe('abandoned')
      expect(reason?.message).toContain('does not match the filters')
    }))

  it('aborts whatever it is handed to', () =>
    withControl(async (control) => {
      const work = new Promise((_, reject) => {
        control.stopped.addEventListener('abort', () => reject(control.stopped.reason))
      })
      control.stop('resource-deleted')
      await expect(work).rejects.toBe(control.stopped.reason)
    }))
})

describe('waiting', () => {
  it('ends with the time, and then says that it was not stopped', () =>
    withControl(async (control, clock) => {
      const waited = control.stopped.wait('10s')
      await clock.advance(10)
      expect(await waited).toBe(false)
      expect(clock.monotonic()).toBe(10)
    }))

  it('ends with the stop, in no time, and says so', () =>
    withControl(async (control, clock) => {
      const waits = [control.stopped.wait('10s'), control.stopped.wait()]
      await clock.advance(3)
      control.stop('resource-deleted')
      expect(await Promise.all(waits)).toEqual([true, true])
      expect(clock.monotonic()).toBe(3)
    }))

  it('rejects with the reason after a stop by force', () =>
    withControl(async (control, clock) => {
      control.stop('resource-deleted')
      control.cancel()
      const refused = expect(control.stopped.wait(1)).rejects.toBe(control.stopped.reason)
      await clock.advance(0)
      await refused
    }))

  it('gives way to others, also in a loop that does not heed its answer', () =>
    withControl(async (control, clock) => {
      let rounds = 0
      const deaf = (async () => {
        for (;;) {
          await control.stopped.wait(10)
          rounds++
        }
      })()
      control.stop('resource-deleted')
      const ended = expect(deaf).rejects.toBe(control.stopped.reason)
      await clock.advance(60)
      control.cancel()
      await ended
      expect(rounds).toBe(71)
    }))

  it('leaves no listener on the signal', () =>
    withControl(async (control, clock) => {
      for (let i = 0; i < 3; i++) {
        const waited = control.stopped.wait(1)
        await clock.advance(1)
        await waited
      }
      expect(getEventListeners(control.stopped, 'abort')).toHaveLength(0)
    }))
})

describe('every', () => {
  it('yields at once and after each pause, counts, and ends when stopped', () =>
    withControl(async (control, clock) => {
      const rounds: (readonly [number, number])[] = []
      const loop = (async () => {
        for await (const round of control.stopped.every('10s')) rounds.push([round, clock.monotonic()])
      })()
      await clock.advance(25)
      control.stop('operator-exiting')
      await loop
      expect(rounds).toEqual([
        [0, 0],
        [1, 10],
        [2, 20],
      ])
    }))

  it('yields nothing once it is stopped', () =>
    withControl(async (control) => {
      control.stop('operator-exiting')
      for await (const round of control.stopped.every(1)) throw new Error(`round ${round}`)
    }))
})

describe('a call', () => {
  it('has a signal that force aborts, whether it was asked for before or after', () =>
    withControl(async (control) => {
      control.beginCall()
      const { force } = control
      control.stop('resource-deleted')
      expect(force.aborted).toBe(false)
      control.cancel()
      expect([force.aborted, force.reason]).toEqual([true, control.stopped.reason])
      control.endCall()
      control.beginCall()
      expect(control.force.aborted).toBe(true)
      expect(control.force).not.toBe(force)
    }))
})

describe('a rest', () => {
  it('ends with its time, and can be used again', () =>
    withControl(async (control, clock) => {
      const ends: unknown[] = []
      const rest = new Rest((stopped) => ends.push([clock.monotonic(), stopped]))
      const begun = clock.monotonic()
      control.rest(rest, 10)
      await clock.advance(10)
      control.rest(rest, 5)
      await clock.advance(5)
      expect(ends).toEqual([
        [begun + 10, false],
        [begun + 15, false],
      ])
    }))

  it('ends in the step of the stop, also of one by force, and once', () =>
    withControl(async (control, clock) => {
      const ends: boolean[] = []
      control.rest(new Rest((stopped) => ends.push(stopped)), 10)
      control.stop('resource-deleted')
      expect(ends).toEqual([true])
      control.cancel()
      await clock.advance(20)
      expect(ends).toEqual([true])
    }))
})

describe('several waits at a time', () => {
  it('end each with its own time, whichever was begun by one that had ended before', () =>
    withControl(async (control, clock) => {
      const ends: string[] = []
      const wait = (name: string, length: number) => control.stopped.wait(length).then(() => ends.push(name))
      const first = wait('first', 1)
      await clock.advance(1)
      await first
      const long = wait('long', 10)
      const short = wait('short', 2)
      await clock.advance(2)
      await short
      const again = wait('again', 3)
      await clock.advance(8)
      await Promise.all([long, again])
      expect(ends).toEqual(['first', 'short', 'again', 'long'])
    }))

  it('are not held up by one that something else has woken', () =>
    withControl(async (control, clock) => {
      const wakes: (() => void)[] = []
      const listen = (wake: () => void) => {
        wakes.push(wake)
        return () => {}
      }
      const woken = control.pause(10, listen)
      let ended = false
      void control.stopped.wait(12).then(() => {
        ended = true
      })
      for (const wake of wakes) wake()
      await woken
      void control.stopped.wait(100)
      await clock.advance(12)
      expect(ended).toBe(true)
    }))
})
