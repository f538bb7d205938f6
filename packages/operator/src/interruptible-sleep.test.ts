import { VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { InterruptibleSleep } from './interruptible-sleep.ts'

describe('a sleep', () => {
  it('ends when its time has come', async () => {
    const clock = new VirtualClock()
    const sleep = new InterruptibleSleep(clock)
    const woken = sleep.until(clock.monotonic() + 5).then(() => clock.monotonic())
    const begun = clock.monotonic()
    await clock.advance(10)
    expect((await woken) - begun).toBe(5)
  })

  it('ends at once when it is interrupted, whether it has a time or not, and leaves no timer', async () => {
    const clock = new VirtualClock()
    const sleep = new InterruptibleSleep(clock)
    for (const due of [clock.monotonic() + 5, undefined]) {
      const woken = sleep.until(due)
      sleep.interrupt()
      await woken
    }
    expect(clock.sleeping).toBe(0)
  })

  it('is not ended by an interruption from before it', async () => {
    const clock = new VirtualClock()
    const sleep = new InterruptibleSleep(clock)
    sleep.interrupt()
    let ended = false
    const woken = sleep.until(undefined).then(() => {
      ended = true
    })
    await clock.advance(60)
    expect(ended).toBe(false)
    sleep.interrupt()
    await woken
  })
})
