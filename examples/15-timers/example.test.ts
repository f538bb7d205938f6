import { harness } from '@binnacle/testing'
import { it } from 'vitest'
import { KopfExample } from '../01-hello/resource.ts'
import { stage } from '../stage.ts'
import { op } from './operator.ts'

it('counts the first minute at once, and lets the object go', async () => {
  await using t = await harness(op, { ...stage, resources: [KopfExample] })
  await t.cluster.create(KopfExample, { metadata: { name: 'sample' }, spec: { field: 'a' } })
  await t.until(KopfExample, 'sample', (found) => found?.status?.minutes === 1)
  await t.cluster.delete(KopfExample, 'sample')
  await t.until(KopfExample, 'sample', (found) => found === undefined)
})

// An hour: on virtual time, wherever the other tests take place.
it('counts the minutes, looks now and then, and archives what nobody has changed for long', async () => {
  await using t = await harness(op, { resources: [KopfExample] })
  await t.cluster.create(KopfExample, { metadata: { name: 'sample' }, spec: { field: 'a' } })
  await t.advance('5m30s')
  await t.expect.object(KopfExample, 'sample', { status: { minutes: 6 } })
  t.expect.called('look', 11)
  t.expect.called('archive', 0)

  await t.cluster.patch(KopfExample, 'sample', { spec: { field: 'b' } })
  await t.advance('9m')
  t.expect.called('archive', 0)
  await t.advance('1m')
  await t.expect.object(KopfExample, 'sample', { status: { archived: 'b' } })
  await t.advance('1h')
  t.expect.called('archive', 1)

  await t.cluster.delete(KopfExample, 'sample')
  await t.settled()
  await t.expect.object(KopfExample, 'sample', undefined)
})
