import { harness } from '@binnacle/testing'
import { expect, it } from 'vitest'
import { KopfExample } from '../01-hello/resource.ts'
import { sample } from '../sample.ts'
import { eventually, stage } from '../stage.ts'
import { op } from './operator.ts'

it('posts events about the object', async () => {
  await using t = await harness(op, { ...stage, resources: [KopfExample] })
  await t.cluster.create(KopfExample, sample)
  const posted = async () => (await t.cluster.list('v1/events', { namespace: t.namespace })).items
  await eventually(t, async () => (await posted()).length === 5)
  const items = await posted()
  const told = items.map(({ type, reason }) => `${type} ${reason}`)
  expect(told.sort()).toEqual(
    ['Normal Begun', 'Normal Seen', 'Normal SomeReason', 'Warning RangeError', 'Warning Slow'].sort(),
  )
  expect(JSON.stringify(items)).toContain('Exception text')
})
