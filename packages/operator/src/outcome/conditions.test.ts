import { expect, it } from 'vitest'
import { conditionEdit } from './conditions.ts'

const TYPE = 'hello.binnacle.dev/Handled'
const NOW = new Date('2026-01-01T00:00:00.500Z')
const failures = [{ id: 'make', message: 'boom' }]
const FAILED = {
  type: TYPE,
  status: 'False',
  reason: 'HandlerFailed',
  message: 'make: boom',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  observedGeneration: 3,
}
const edited = (status: object | undefined, verdicts: Parameters<typeof conditionEdit>[2], now = NOW) => {
  const body = { metadata: { generation: 3 }, ...(status && { status }) }
  conditionEdit(TYPE, body, verdicts, now)?.(body)
  return (body as { status?: { conditions?: object[] } }).status?.conditions
}

it('shows which handler has failed for good, beside the conditions of others', () => {
  expect(edited(undefined, { failures, finished: true })).toEqual([FAILED])
  const ready = { type: 'Ready', status: 'True' }
  expect(edited({ conditions: [ready] }, { failures, finished: false })).toEqual([ready, FAILED])
})

it('keeps the time of the transition while the status stays', () => {
  const later = new Date('2027-01-01T00:00:00Z')
  expect(edited({ conditions: [FAILED] }, { failures, finished: true }, later)).toEqual([FAILED])
})

it('turns true when all has been handled without a failure, and says nothing where it has never said anything', () => {
  expect(edited({ conditions: [FAILED] }, { failures: [], finished: true })).toMatchObject([
    { type: TYPE, status: 'True', reason: 'Handled' },
  ])
  expect(conditionEdit(TYPE, { status: { conditions: [FAILED] } }, { failures: [], finished: false }, NOW)).toBe(
    undefined,
  )
  expect(conditionEdit(TYPE, {}, { failures: [], finished: true }, NOW)).toBeUndefined()
})
