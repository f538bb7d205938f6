import { harness } from '@binnacle/testing'
import { operator } from 'binnacle'
import { expect, it } from 'vitest'
import { KopfExample } from '../01-hello/resource.ts'
import { sample } from '../sample.ts'
import { eventually, stage } from '../stage.ts'
import { program } from './program.ts'

it('tells the program around it what it knows, beside another operator, for as long as the program works', async () => {
  const neighbour = operator('neighbour')
  neighbour.on.create('kopfexamples.kopf.dev', function alsoArrive() {})
  await using t = await harness(neighbour, { ...stage, resources: [KopfExample] })
  const { cluster: client, clock, namespace } = t
  const work = async ({ names }: { readonly names: Set<string> }) => {
    await client.create(KopfExample, sample)
    await eventually(t, () => names.has('kopf-example-1') && t.runs.of('alsoArrive').length === 1)
    await client.patch(KopfExample, 'kopf-example-1', { spec: { field: 'other' } })
    await t.until(KopfExample, 'kopf-example-1', (found) => found?.status?.change?.changes === 1)
  }
  const { names } = await program(work, { client, clock, namespaces: namespace })
  expect([...names]).toEqual(['kopf-example-1'])
  await client.delete(KopfExample, 'kopf-example-1')
  await t.settled()
  expect([...names]).toEqual(['kopf-example-1'])
  t.expect.called('alsoArrive', 1)
})
