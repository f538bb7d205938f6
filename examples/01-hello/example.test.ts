import { harness } from '@binnacle/testing'
import { expect, it } from 'vitest'
import { stage } from '../stage.ts'
import { op } from './operator.ts'
import { KopfExample } from './resource.ts'

it('greets a new object, notices its change and says goodbye', async () => {
  await using t = await harness(op, { ...stage, resources: [KopfExample] })

  await t.cluster.create(KopfExample, {
    metadata: { name: 'sample' },
    spec: { field: 'a compass' },
  })
  await t.settled()
  await t.expect.object(KopfExample, 'sample', { status: { greeting: 'Hello, sample!' } })

  await t.cluster.patch(KopfExample, 'sample', { spec: { field: 'a map' } })
  await t.settled()
  await t.expect.object(KopfExample, 'sample', { status: { greeting: 'Not a compass any more, but a map!' } })

  await t.cluster.delete(KopfExample, 'sample')
  await t.settled()
  await t.expect.object(KopfExample, 'sample', undefined)
  t.expect.called('greet', 1)
  t.expect.called('notice/spec.field', 1)
  t.expect.called('sayGoodbye', 1)
  expect(t.logs.map(({ message }) => message)).toContain('Goodbye, sample!')
})
