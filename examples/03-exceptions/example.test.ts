import { harness } from '@binnacle/testing'
import { expect, it } from 'vitest'
import { KopfExample } from '../01-hello/resource.ts'
import { sample } from '../sample.ts'
import { eventually, stage } from '../stage.ts'
import { op } from './operator.ts'

const HANDLED = 'exceptions.binnacle.dev/last-handled-configuration'

it('retries what may succeed, and gives up what cannot, with an event for each', async () => {
  await using t = await harness(op, { ...stage, resources: [KopfExample] })
  await t.cluster.create(KopfExample, sample)
  await t.until(KopfExample, 'kopf-example-1', (found) => found?.metadata.annotations?.[HANDLED] !== undefined)
  await t.settled()
  const outcomes = (handler: string) => t.runs.of(handler).map(({ outcome }) => outcome)
  expect(outcomes('fatal')).toEqual(['permanent'])
  expect(outcomes('eventually')).toEqual(['temporary', 'temporary', 'temporary', 'success'])
  expect(outcomes('limited')).toEqual(['temporary', 'temporary', 'permanent'])
  expect(outcomes('strict')).toEqual(['permanent'])
  const told = async () =>
    (await t.cluster.list('v1/events', { namespace: t.namespace })).items.map(({ message }) => message)
  await eventually(t, async () => (await told()).length === 3)
  for (const handler of ['fatal', 'limited', 'strict']) expect((await told()).join()).toContain(handler)
})
