import { expect, it } from 'vitest'
import { kex } from '../../test/sample.ts'
import { Correlator } from './correlator.ts'
import type { Remark } from './recorder.ts'

const remark = (message: string, more: Partial<Remark> = {}): Remark => ({
  object: kex(),
  related: undefined,
  type: 'Normal',
  reason: 'Said',
  message,
  action: undefined,
  level: undefined,
  ...more,
})

it('counts equal remarks on one event', () => {
  const correlator = new Correlator()
  const first = correlator.correlate(remark('x'), 0)
  expect(first).toMatchObject({ do: 'create', message: 'x' })
  if (first.do === 'create') correlator.remember(first.key, 'a.1')
  expect(correlator.correlate(remark('x'), 1)).toMatchObject({ do: 'count', name: 'a.1', count: 2 })
  expect(correlator.correlate(remark('x'), 2)).toMatchObject({ do: 'count', count: 3 })
  expect(correlator.correlate(remark('x', { reason: 'Other' }), 2)).toMatchObject({ do: 'create' })
  if (first.do === 'create') correlator.forget(first.key)
  expect(correlator.correlate(remark('x'), 3)).toMatchObject({ do: 'create' })
})

it('tells ten different remarks of one reason as one, until there is quiet for ten minutes', () => {
  const correlator = new Correlator()
  const said = (i: number, now: number) => {
    const decision = correlator.correlate(remark(`message ${i}`), now)
    if (decision.do === 'create') correlator.remember(decision.key, `a.${i}`)
    return decision
  }
  for (let i = 0; i < 9; i++) expect(said(i, i)).toMatchObject({ do: 'create', message: `message ${i}` })
  expect(said(9, 9)).toMatchObject({ do: 'create', message: '(combined from similar events): message 9' })
  expect(said(10, 10)).toMatchObject({ do: 'count', name: 'a.9', count: 2 })
  expect(said(11, 700)).toMatchObject({ do: 'create', message: 'message 11' })
})

it('lets 25 remarks about one object pass at once, and then one in five minutes', () => {
  const correlator = new Correlator()
  const passed = (now: number, uid = 'uid-a') =>
    correlator.correlate(remark('x', { object: kex({ uid }) }), now).do !== 'drop'
  expect(Array.from({ length: 30 }, () => passed(0)).filter(Boolean)).toHaveLength(25)
  expect(passed(0, 'uid-b')).toBe(true)
  expect(passed(299)).toBe(false)
  expect(passed(300)).toBe(true)
  expect(passed(301)).toBe(false)
})

it('counts what it does not post, and lets warnings pass where a flood of others is stopped', () => {
  const correlator = new Correlator()
  const first = correlator.correlate(remark('x'), 0)
  if (first.do === 'create') correlator.remember(first.key, 'a.1')
  for (let i = 0; i < 40; i++) correlator.correlate(remark('x'), 0)
  expect(correlator.correlate(remark('bad', { type: 'Warning' }), 0)).toMatchObject({ do: 'create' })
  expect(correlator.correlate(remark('x'), 300)).toMatchObject({ do: 'count', count: 42 })
})
