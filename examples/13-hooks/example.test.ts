import { harness } from '@binnacle/testing'
import { expect, it } from 'vitest'
import { KopfExample } from '../01-hello/resource.ts'
import { sample } from '../sample.ts'
import { stage } from '../stage.ts'
import { op } from './operator.ts'

it('warms up before the first object, and cools down after the last', async () => {
  await using t = await harness(op, { ...stage, resources: [KopfExample], health: 0 })
  const lines = () => t.logs.map(({ message }) => message)
  expect(lines()).toContain('Warm')
  await t.cluster.create(KopfExample, sample)
  await t.until(KopfExample, 'kopf-example-1', (found) => found?.status?.register?.questions === 2)
  await t.settled()
  const answer = await fetch(`${t.operator.healthUrl}/healthz`)
  expect(await answer.json()).toMatchObject({ live: true, probes: { questions: 2 } })
  await t.stop()
  expect(lines()).toContain('Cold after 2 questions; the pool is still open')
})
