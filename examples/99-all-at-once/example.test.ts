import { harness } from '@binnacle/testing'
import { expect, it } from 'vitest'
import { KopfExample } from '../01-hello/resource.ts'
import { sample } from '../sample.ts'
import { eventually, stage } from '../stage.ts'
import { op } from './operator.ts'

it('runs each of its handlers as often as it should, from creation to deletion', async () => {
  await using t = await harness(op, { ...stage, resources: [KopfExample] })
  const { name } = sample.metadata
  const lines = () => t.logs.map(({ message }) => message)
  await t.cluster.create(KopfExample, sample as never)
  await t.until(KopfExample, name, (object) => {
    const status = object?.status as { readonly [field: string]: unknown } | undefined
    return status?.['created'] === true && status['alike'] === 1
  })
  t.expect.called('createOnce', 2)
  t.expect.called('labelled', 1)
  t.expect.called('update', 0)
  t.expect.called('follow/spec.field', 1)
  expect(t.indices.byField.get('value').size).toBe(1)

  await t.cluster.patch(KopfExample, name, { spec: { field: 'changed' } })
  await eventually(t, () => t.runs.of('update').length === 1 && t.runs.of('follow/spec.field').length === 2)
  expect(t.indices.byField.has('value')).toBe(false)

  await t.cluster.delete(KopfExample, name)
  await eventually(t, async () => (await t.cluster.find(KopfExample, name)) === undefined)
  t.expect.called('remove', 1)
  t.expect.called('createOnce', 2)
  expect(lines()).toContain('the watch has ended: resource-deleted')
  await eventually(t, () => t.health().background.running === 0)
  expect(t.indices.byField.size).toBe(0)
  expect(t.operator.shared).toMatchObject({ started: 1, ended: 0 })
})
