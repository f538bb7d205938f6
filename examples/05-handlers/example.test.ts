import { harness } from '@binnacle/testing'
import { expect, it } from 'vitest'
import { KopfExample } from '../01-hello/resource.ts'
import { sample } from '../sample.ts'
import { eventually, stage } from '../stage.ts'
import { op } from './operator.ts'

it('calls each handler once for each change that concerns it', async () => {
  await using t = await harness(op, { ...stage, resources: [KopfExample] })
  const calls = () => t.runs.map(({ handler }) => handler)
  await t.cluster.create(KopfExample, sample)
  await eventually(t, () => calls().length === 4)
  await t.settled()
  expect(calls()).toEqual(['beThere', 'createFirst', 'createSecond', 'fieldChanged/spec.field'])

  await t.cluster.patch(KopfExample, 'kopf-example-1', { spec: { field: 'other', items: ['item3'] } })
  await eventually(t, () => calls().length === 6)
  await t.settled()
  expect(calls().slice(4)).toEqual(['updated', 'fieldChanged/spec.field'])

  await t.restart()
  await eventually(t, () => calls().length === 7)
  expect(calls().slice(6)).toEqual(['beThere'])

  await t.cluster.delete(KopfExample, 'kopf-example-1')
  await t.until(KopfExample, 'kopf-example-1', (found) => found === undefined)
  await t.settled()
  expect(calls().slice(7)).toEqual(['deleteFirst', 'deleteSecond'])
  const lines = t.logs.map(({ message }) => message)
  expect(lines).toContain('fieldChanged: nothing → value')
  expect(lines).toContain('fieldChanged: value → other')
  expect(lines).toContain('updated: change spec.field, change spec.items')
  expect(lines.filter((line) => line.startsWith('beThere'))).toEqual(['beThere: create', 'beThere: resume'])
})
