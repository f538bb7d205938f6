import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from './clock.ts'

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length

describe('the system clock', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('sleeps for the duration', async () => {
    const woken = vi.fn()
    void systemClock.sleep('2s').then(woken)
    await vi.advanceTimersByTimeAsync(1999)
    expect(woken).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(woken).toHaveBeenCalledOnce()
  })

  it('never wakes before a fraction of a millisecond is over', async () => {
    const woken = vi.fn()
    void systemClock.sleep(0.0015).then(woken)
    await vi.advanceTimersByTimeAsync(1)
    expect(woken).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(woken).toHaveBeenCalledOnce()
  })

  it('sleeps for longer than a timer of Node can, in parts', async () => {
    const woken = vi.fn()
    void systemClock.sleep('60d').then(woken)
    await vi.advanceTimersByTimeAsync(59 * 86_400_000)
    expect(woken).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(86_400_000)
    expect(woken).toHaveBeenCalledOnce()
  })

  it('leaves neither a timer nor a listener behind when aborted', async () => {
    const controller = new AbortController()
    const sleep = systemClock.sleep('1h', controller.signal)
    expect(vi.getTimerCount()).toBe(1)
    controller.abort(new Error('enough'))
    await expect(sleep).rejects.toThrow('enough')
    expect(vi.getTimerCount()).toBe(0)
    expect(listeners(controller.signal)).toBe(0)
  })

  it('leaves neither a timer nor a listener behind when aborted in a later part of a long sleep', async () => {
    const controller = new AbortController()
    const sleep = systemClock.sleep('60d', controller.signal)
    const refused = expect(sleep).rejects.toThrow('enough')
    await vi.advanceTimersByTimeAsync(30 * 86_400_000)
    controller.abort(new Error('enough'))
    await refused
    expect(vi.getTimerCount()).toBe(0)
    expect(listeners(controller.signal)).toBe(0)
  })

  it('leaves no listener behind when the sleep is over', async () => {
    const { signal } = new AbortController()
    const sleep = systemClock.sleep(1, signal)
    expect(listeners(signal)).toBe(1)
    await vi.advanceTimersByTimeAsync(1000)
    await sleep
    expect(listeners(signal)).toBe(0)
  })

  it('does not begin to sleep on a signal that is aborted already', async () => {
    await expect(systemClock.sleep(1, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('refuses what is no duration', async () => {
    await expect(systemClock.sleep(-1)).rejects.toMatchObject({ code: 'BIN_DURATION' })
  })
})

describe('a call after a while', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('comes once, in a later turn, however short the while', async () => {
    const called = vi.fn()
    systemClock.after(0, called)
    systemClock.after('2s', called)
    expect(called).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1999)
    expect(called).toHaveBeenCalledOnce()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(called).toHaveBeenCalledTimes(2)
  })

  it('does not come once it is called off, in whichever part of a long while, and leaves no timer behind', async () => {
    const called = vi.fn()
    systemClock.after(0, called)()
    systemClock.after('2s', called)()
    const callOff = systemClock.after('60d', called)
    await vi.advanceTimersByTimeAsync(30 * 86_400_000)
    expect(vi.getTimerCount()).toBe(1)
    callOff()
    expect(vi.getTimerCount()).toBe(0)
    expect(called).not.toHaveBeenCalled()
  })
})

describe('the time of the system clock', () => {
  it('only grows', () => {
    const first = systemClock.monotonic()
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(first)
    expect(systemClock.now()).toBeInstanceOf(Date)
  })
})
