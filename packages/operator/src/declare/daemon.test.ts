import { describe, expect, it } from 'vitest'
import { daemonHandler } from './daemon.ts'
import { Registry } from './registry.ts'
import { backgroundVerbs, timerHandler } from './timer.ts'

const fn = () => {}

describe('a daemon as declared', () => {
  it('has its defaults filled in, and times in seconds', () => {
    expect(daemonHandler('kex', [fn])).toMatchObject({
      activity: 'daemon',
      id: 'fn',
      errors: 'temporary',
      initialDelay: 0,
      finalizer: true,
      cancellationBackoff: undefined,
      cancellationTimeout: undefined,
      cancellationPolling: undefined,
      result: ['status', 'fn'],
    })
    const options = { initialDelay: '1m', cancellationBackoff: 1, cancellationTimeout: '3s', cancellationPolling: '2m' }
    expect(daemonHandler('kex', [options, fn])).toMatchObject({
      initialDelay: 60,
      cancellationBackoff: 1,
      cancellationTimeout: 3,
      cancellationPolling: 120,
    })
  })

  it('takes the name of its cause when its function has none', () => {
    expect(daemonHandler('kex', [(() => () => {})()]).id).toBe('daemon')
    expect(timerHandler('kex', [{ field: 'spec.x', interval: 1 }, (() => () => {})()]).id).toBe('timer/spec.x')
  })

  it.each([
    ['no function', () => daemonHandler('kex', [{}, undefined]), 'is not a function'],
    [
      'a time that is none',
      () => daemonHandler('kex', [{ cancellationTimeout: 'soon' }, fn]),
      'cancellationTimeout that is none',
    ],
    [
      'polling without a pause',
      () => daemonHandler('kex', [{ cancellationPolling: 0 }, fn]),
      'cancellationPolling of no time',
    ],
    ['a former state', () => daemonHandler('kex', [{ field: 'spec.x', old: 1 }, fn]), 'only one state'],
    ['a timer without a function', () => timerHandler('kex', [{}, undefined]), 'is not a function'],
    ['a timer without rest', () => timerHandler('kex', [{ interval: 0 }, fn]), 'would never rest'],
    ['a sharp timer without an interval', () => timerHandler('kex', [{ sharp: true, idle: 1 }, fn]), 'has no interval'],
  ])('is refused with %s', (_, declare, message) => {
    expect(declare).toThrow(message)
  })
})

describe('the ids of daemons and timers', () => {
  it('are shared with no other handler of the resource', () => {
    const registry = new Registry('op', new Map())
    const { daemon, timer } = backgroundVerbs(registry)
    expect(daemon('kex', fn)).toEqual({ id: 'fn' })
    expect(() => timer('kex', { interval: 1 }, fn)).toThrow('Two handlers of kex have the id "fn"')
    expect(timer('pods', { interval: 1 }, fn)).toEqual({ id: 'fn' })
    registry.seal()
    expect(() => daemon('kex', { id: 'late' }, fn)).toThrow('is declared after')
  })
})
