import { harness } from '@binnacle/testing'
import { expect, it } from 'vitest'
import { KopfExample } from '../01-hello/resource.ts'
import { sample } from '../sample.ts'
import { stage } from '../stage.ts'
import { op } from './operator.ts'

it('makes one pod for an object, owned by it, and notes its uid', async () => {
  await using t = await harness(op, { ...stage, resources: [KopfExample] })
  const { metadata: parent } = await t.cluster.create(KopfExample, sample)
  const object = await t.until(KopfExample, 'kopf-example-1', (found) => found?.status?.children !== undefined)
  await t.settled()
  const { items } = await t.cluster.list('pods', { namespace: t.namespace })
  expect(items).toHaveLength(1)
  const [pod] = items
  expect(object?.status?.children).toEqual([pod?.metadata.uid])
  expect(pod?.metadata.name).toMatch(/^kopf-example-1-/)
  expect(pod?.metadata.labels).toEqual({ somelabel: 'somevalue', 'example.com/parent': parent.uid })
  expect(pod?.metadata.ownerReferences).toMatchObject([{ kind: 'KopfExample', uid: parent.uid, controller: true }])
})
