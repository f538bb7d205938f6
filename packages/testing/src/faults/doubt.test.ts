import type { Run, Write } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Doubt } from './doubt.ts'

const AT = new Date('2026-01-01T00:00:00Z')
const KEY = 'op KopfExample default/a: handler "make"'

function run(outcome: Run['outcome'], handler = 'make'): Run {
  const object = 'KopfExample default/a'
  return {
    handler,
    cause: 'create',
    object,
    uid: '1',
    attempt: 0,
    at: AT,
    outcome,
    error: undefined,
    result: undefined,
  }
}

function write(to: Write['to']): Write {
  return { object: 'KopfExample default/a', uid: '1', at: AT, to, operations: [] }
}

describe('a handler may run again', () => {
  it('if it ran when the fault struck', () => {
    const doubt = new Doubt()
    doubt.run('op', run('running'))
    doubt.strike()
    expect(doubt.spare).toEqual(new Map([[KEY, 1]]))
  })

  it('if it had ended, and only its status was written', () => {
    const doubt = new Doubt()
    doubt.run('op', run('running'))
    doubt.run('op', run('success'))
    doubt.acknowledged('op', write('status'))
    doubt.strike()
    doubt.strike()
    expect(doubt.spare).toEqual(new Map([[KEY, 2]]))
  })
})

describe('a handler may not run again', () => {
  it('once its end is acknowledged', () => {
    const doubt = new Doubt()
    doubt.run('op', run('running'))
    doubt.run('op', run('success'))
    doubt.acknowledged('op', write('object'))
    doubt.strike()
    expect(doubt.spare).toEqual(new Map())
  })

  it('because of what another operator has not heard of', () => {
    const doubt = new Doubt()
    doubt.run('op', run('success'))
    doubt.acknowledged('other', write('object'))
    doubt.run('other', run('success', 'watch'))
    doubt.acknowledged('op', write('object'))
    doubt.strike()
    expect([...doubt.spare.keys()]).toEqual(['other KopfExample default/a: handler "watch"'])
  })
})
