import { harness } from '@binnacle/testing'
import { expect, it } from 'vitest'
import { KopfExample } from '../01-hello/resource.ts'
import { sample } from '../sample.ts'
import { stage } from '../stage.ts'
import { op } from './operator.ts'

it('keeps what the handler returned in the status', async () => {
  await using t = await harness(op, { ...stage, resources: [KopfExample] })
  await t.cluster.create(KopfExample, sample)
  const object = await t.until(KopfExample, 'kopf-example-1', (found) => found?.status?.noteDuration !== undefined)
  expect(object?.status?.noteDuration).toEqual({ message: 'It will take 1m', items: 2 })
  await t.settled()
  t.expect.called('noteDuration', 1)
  expect(t.logs.map(({ message }) => message)).toContain('kopf-example-1 will take 1m')
})
