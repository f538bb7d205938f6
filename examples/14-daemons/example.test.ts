import { harness } from '@binnacle/testing'
import { expect, it } from 'vitest'
import { KopfExample } from '../01-hello/resource.ts'
import { stage } from '../stage.ts'
import { op } from './operator.ts'

it('accompanies an object, follows its changes, and lets it go', async () => {
  await using t = await harness(op, { ...stage, resources: [KopfExample] })
  await t.cluster.create(KopfExample, { metadata: { name: 'sample' }, spec: { field: 'a' } })
  await t.advance('6s')
  await t.expect.object(KopfExample, 'sample', { status: { warm: true } })
  t.expect.called('warmUp', 3)

  await t.cluster.patch(KopfExample, 'sample', { spec: { field: 'b' } })
  await t.advance('5s')
  await t.cluster.delete(KopfExample, 'sample')
  await t.settled()
  await t.expect.object(KopfExample, 'sample', undefined)
  const lines = t.logs.map(({ message }) => message)
  expect(lines).toContain('sample, round 0: field is a')
  expect(lines).toContain('sample, round 2: field is b')
  expect(lines).toContain('sample is left alone: resource-deleted')
  expect(t.health().background).toEqual({ running: 0, stopping: 0, abandoned: 0 })
}, 60_000)
