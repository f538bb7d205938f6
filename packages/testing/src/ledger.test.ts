import type { Run } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Ledger } from './ledger.ts'

const at = new Date('2026-01-01T00:00:00Z')
const run = (more: Partial<Run> = {}): Run => ({
  handler: 'made',
  cause: 'create',
  object: 'KopfExample default/a',
  uid: '1',
  attempt: 0,
  at,
  outcome: 'running',
  error: undefined,
  result: undefined,
  ...more,
})

describe('calls of handlers', () => {
  it('are one entry each, with the latest outcome, in the order in which they began', () => {
    const ledger = new Ledger()
    const [first, second] = [run(), run({ handler: 'other' })]
    ledger.run(first)
    ledger.run(second)
    expect(ledger.runs.map(({ outcome }) => outcome)).toEqual(['running', 'running'])
    ledger.run({ ...second, outcome: 'success' })
    ledger.run({ ...first, outcome: 'temporary' })
    expect(ledger.runs.map(({ handler, outcome }) => [handler, outcome])).toEqual([
      ['made', 'temporary'],
      ['other', 'success'],
    ])
  })

  it('are found by handler and by object', () => {
    const ledger = new Ledger()
    ledger.run(run())
    ledger.run(run({ object: 'KopfExample default/b', uid: '2' }))
    ledger.run(run({ object: 'KopfExample other/a', uid: '3' }))
    expect(ledger.runs.of('made')).toHaveLength(3)
    expect(ledger.runs.of('made', 'default/a').map(({ uid }) => uid)).toEqual(['1'])
    expect(ledger.runs.of('never')).toEqual([])
  })
})

describe('the timeline', () => {
  it('says so when nothing happened', () => {
    expect(new Ledger().timeline).toBe('nothing happened')
  })

  it('tells what happened, one line for each thing', () => {
    const ledger = new Ledger()
    ledger.note(at, 'the operator is ready')
    ledger.run(run({ attempt: 1, outcome: 'temporary', error: new Error('no route') }))
    ledger.write({
      object: 'KopfExample default/a',
      uid: '1',
      at,
      to: 'status',
      operations: [{ op: 'add', path: '/status/x' }],
    })
    expect(ledger.timeline.split('\n')).toEqual([
      '2026-01-01T00:00:00.000Z  the operator is ready',
      '2026-01-01T00:00:00.000Z  KopfExample default/a: create handler "made", attempt 2 temporary: Error: no route',
      '2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its status: add /status/x',
    ])
  })
})

it('keeps lines of loggers with all that their parents said', () => {
  const ledger = new Ledger()
  ledger.logger().child({ object: 'a' }).child({ more: 1 }).warn('careful', { field: 2 })
  ledger.logger().error(new Error('broken'))
  expect(ledger.logs).toEqual([
    { level: 'warn', message: 'careful', fields: { object: 'a', more: 1, field: 2 } },
    { level: 'error', message: 'Error: broken', fields: {} },
  ])
})
