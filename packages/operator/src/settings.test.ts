import { BinnacleError } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { settingsOf } from './settings.ts'

describe('settings', () => {
  it('have defaults for everything', () => {
    expect(settingsOf()).toMatchObject({
      process: { exitGrace: '5s' },
      execution: { defaultBackoff: '60s' },
      queueing: { workerLimit: 100 },
    })
  })

  it('of the run win over those of the operator, member by member', () => {
    const settings = settingsOf(
      { process: { exitGrace: 1 }, queueing: { workerLimit: 5 } },
      { queueing: { workerLimit: 7 } },
    )
    expect(settings).toMatchObject({
      process: { exitGrace: 1 },
      queueing: { workerLimit: 7, errorDelays: [1, ...Array(14).fill(expect.anything())] },
    })
  })

  it('that are not given at all change nothing', () => {
    expect(settingsOf(undefined, {}, undefined)).toEqual(settingsOf())
  })

  it.each([
    ['process.exitGrace', { process: { exitGrace: 'soon' } }],
    ['watching.inactivityTimeout', { watching: { inactivityTimeout: -1 } }],
    ['persistence.consistencyTimeout', { persistence: { consistencyTimeout: Number.NaN } }],
    ['queueing.errorDelays', { queueing: { errorDelays: [] } }],
    ['queueing.errorDelays', { queueing: { errorDelays: [1, 'x'] } }],
    ['queueing.workerLimit', { queueing: { workerLimit: 0 } }],
    ['queueing.workerLimit', { queueing: { workerLimit: 1.5 } }],
    ['execution.defaultBackoff', { execution: { defaultBackoff: '5 sec' } }],
  ])('that cannot be are refused by name: %s', (name, input) => {
    expect(() => settingsOf(input as never)).toThrow(BinnacleError)
    expect(() => settingsOf(input as never)).toThrow(`Setting ${name}: `)
  })

  it('of a section that does not exist are refused, with those that do', () => {
    expect(() => settingsOf({ queuing: {} } as never)).toThrow('There are no settings "queuing"')
  })

  it('may be a policy or a function where a backoff is asked for', () => {
    const defaultBackoff = () => 5
    expect(settingsOf({ execution: { defaultBackoff } }).execution.defaultBackoff).toBe(defaultBackoff)
  })
})
