import { expect, it } from 'vitest'
import { VirtualClock } from '../test/virtual-clock.ts'
import { Timetable } from './timetable.ts'

it('runs what is due in the order of its times, behind one sleep', async () => {
  const clock = new VirtualClock()
  const timetable = new Timetable(clock)
  const ran: string[] = []
  timetable.after(5, () => ran.push(`five at ${clock.monotonic()}`))
  timetable.after(2, () => ran.push(`two at ${clock.monotonic()}`))
  const cancel = timetable.after(1, () => ran.push('never'))
  cancel()
  expect(clock.sleeping).toBe(1)
  await clock.advance(10)
  expect(ran).toEqual(['two at 2', 'five at 5'])
  expect(clock.sleeping).toBe(0)
})

it('beats together for all of one interval and ends with the last of them', async () => {
  const clock = new VirtualClock()
  const timetable = new Timetable(clock)
  const ran: string[] = []
  const first = timetable.every(60, () => ran.push(`a ${clock.monotonic()}`))
  await clock.advance(30)
  const second = timetable.every(60, () => ran.push(`b ${clock.monotonic()}`))
  await clock.advance(60)
  first()
  await clock.advance(60)
  expect(ran).toEqual(['a 60', 'b 60', 'b 120'])
  second()
  await clock.advance(0)
  expect(clock.sleeping).toBe(0)
})

it('runs nothing after it was stopped', async () => {
  const clock = new VirtualClock()
  const timetable = new Timetable(clock)
  let ran = false
  timetable.after(1, () => {
    ran = true
  })
  timetable.stop()
  timetable.after(1, () => {
    ran = true
  })
  await clock.advance(5)
  expect(ran).toBe(false)
  expect(clock.sleeping).toBe(0)
})
