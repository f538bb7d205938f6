import { harness } from '@binnacle/testing'
import { expect, it } from 'vitest'
import { KopfExample } from '../01-hello/resource.ts'
import { sample } from '../sample.ts'
import { stage } from '../stage.ts'
import { op } from './operator.ts'

it('does each item once, and the one that fails again by itself', async () => {
  await using t = await harness(op, { ...stage, resources: [KopfExample] })
  await t.cluster.create(KopfExample, sample)
  const object = await t.until(KopfExample, 'kopf-example-1', (found) => found?.status?.['prepare/item2'] !== undefined)
  await t.settled()
  expect(object?.status).toEqual({ 'prepare/item1': { done: 'item1' }, 'prepare/item2': { done: 'item2' } })
  const outcomes = (handler: string) => t.runs.of(handler).map(({ outcome }) => outcome)
  expect(outcomes('prepare/item1')).toEqual(['success'])
  expect(outcomes('prepare/item2')).toEqual(['temporary', 'success'])
  expect(outcomes('prepare').at(-1)).toBe('success')
})
