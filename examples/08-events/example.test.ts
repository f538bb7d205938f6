import { harness } from '@binnacle/testing'
import { expect, it } from 'vitest'
import { KopfExample } from '../01-hello/resource.ts'
import { sample } from '../sample.ts'
import { eventually, stage } from '../stage.ts'
import { op } from './operator.ts'

it('is told of each event once, whatever the other handler does, and leaves no mark', async () => {
  await using t = await harness(op, { ...stage, resources: [KopfExample] })
  await t.cluster.create(KopfExample, sample)
  await eventually(t, () => t.runs.of('print').length === 1)
  const { metadata } = await t.cluster.get(KopfExample, 'kopf-example-1')
  expect(metadata.annotations).toEqual({ someannotation: 'somevalue' })
  await t.cluster.delete(KopfExample, 'kopf-example-1')
  await eventually(t, () => t.runs.of('print').length === 2)
  await t.settled()
  const printed = t.logs.map(({ message }) => message).filter((line) => line.endsWith(': value'))
  expect(printed).toEqual(['ADDED kopf-example-1: value', 'DELETED kopf-example-1: value'])
  expect(t.runs.of('alwaysFails').map(({ outcome }) => outcome)).toEqual(['ignored', 'ignored'])
  t.expect.quiet()
})
