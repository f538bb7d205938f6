import { harness } from '@binnacle/testing'
import { expect, it } from 'vitest'
import { KopfExample } from '../01-hello/resource.ts'
import { sample } from '../sample.ts'
import { stage } from '../stage.ts'
import { op } from './operator.ts'

it('gets there in the end, although the line breaks and the operator is killed in between', async () => {
  await using t = await harness(op, { ...stage, resources: [KopfExample] })
  await t.cluster.create(KopfExample, sample)
  await t.until(KopfExample, 'kopf-example-1', () => t.runs.of('create').length === 1)
  t.link.cut()
  await t.crash()
  await t.until(KopfExample, 'kopf-example-1', (found) => found?.status?.ready === true)
  await t.settled()
  expect(t.runs.of('create').at(-1)).toMatchObject({ outcome: 'success' })
  expect(t.logs.map(({ message }) => message)).toContain('Something was logged here')

  await t.cluster.delete(KopfExample, 'kopf-example-1')
  await t.until(KopfExample, 'kopf-example-1', (found) => found === undefined)
  await t.settled()
  t.expect.called('remove', 1)
}, 60_000)
