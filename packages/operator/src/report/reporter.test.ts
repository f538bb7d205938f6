import { describe, expect, it } from 'vitest'
import type { Run } from './observer.ts'
import { type ReportedCall, reportingTo } from './reporter.ts'

const call: ReportedCall = {
  handler: { id: 'greet' },
  cause: 'create',
  body: {
    apiVersion: 'kopf.dev/v1',
    kind: 'KopfExample',
    metadata: { name: 'a', namespace: 'shop', uid: 'u-1', resourceVersion: '1' },
  },
  attempt: 2,
  at: Date.UTC(2026, 0, 1),
  begun: 7,
}

describe('an observer', () => {
  it('is told of a call when it begins and when it has ended', () => {
    const runs: Run[] = []
    const reporter = reportingTo({ run: (run) => runs.push(run) })
    reporter.begun(call)
    reporter.ended(call, { outcome: 'success', result: { size: 1 } })
    const common = { handler: 'greet', cause: 'create', object: 'KopfExample shop/a', uid: 'u-1', attempt: 2 }
    const at = new Date('2026-01-01T00:00:00Z')
    expect(runs).toEqual([
      { ...common, at, outcome: 'running', error: undefined, result: undefined },
      { ...common, at, outcome: 'success', error: undefined, result: { size: 1 } },
    ])
  })

  it('is not told of a failure while a handler waits for its steps', () => {
    const runs: Run[] = []
    const waiting = { outcome: 'waiting', error: new Error('steps') } as const
    reportingTo({ run: (run) => runs.push(run) }).ended(call, waiting)
    expect(runs).toMatchObject([{ outcome: 'waiting', error: undefined }])
  })

  it('that does not listen to calls costs nothing: nobody looks at the object', () => {
    const unread = {
      ...call,
      get body(): never {
        throw new Error('somebody has looked')
      },
    }
    const reporter = reportingTo({})
    reporter.begun(unread)
    reporter.ended(unread, { outcome: 'success', result: undefined })
  })
})
