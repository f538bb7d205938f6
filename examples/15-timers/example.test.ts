import { harness } from '@binnacle/testing'
import { it } from 'vitest'
import { KopfExample } from '../01-hello/resource.ts'
import { op } from './operator.ts'

it('counts the minutes, looks now and then, and archives what nobody has changed for long', async () => {
  await using t = await harness(op, { resources: [KopfExample] })
  await t.cluster.create(KopfExample, { metadata: { name: 'sample', namespace: 'default' }, spec: { field: 'a' } })
  await t.advance('5m30s')
  await t.expect.object(KopfExample, 'default/sample', { status: { minutes: 6 } })
  t.expect.called('look', 11)
  t.expect.called('archive', 0)

  await t.cluster.patch(KopfExample, 'default/sample', { spec: { field: 'b' } })
  await t.advance('9m')
  t.expect.called('archive', 0)
  await t.advance('1m')
  await t.expect.object(KopfExample, 'default/sample', { status: { archived: 'b' } })
  await t.advance('1h')
  t.expect.called('archive', 1)

  await t.cluster.delete(KopfExample, 'default/sample')
  await t.settled()
  await t.expect.object(KopfExample, 'default/sample', undefined)
})
