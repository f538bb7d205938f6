import { harness } from '@binnacle/testing'
import { expect, it } from 'vitest'
import { KopfExample } from '../01-hello/resource.ts'
import { stage } from '../stage.ts'
import { op } from './operator.ts'

const pod = (name: string, ...containers: string[]) => ({
  metadata: { name },
  spec: { containers: containers.map((container) => ({ name: container, image: 'x' })) },
})

it('knows all pods before the first handler runs, and follows them', async () => {
  await using t = await harness(op, { ...stage, resources: [KopfExample], start: false })
  await t.cluster.create('pods', pod('a', 'main'))
  await t.cluster.create('pods', pod('b', 'main', 'sidecar'))
  await t.cluster.create(KopfExample, { metadata: { name: 'sample' }, spec: { field: 'x' } })
  await t.start()
  await t.settled()
  await t.expect.object(KopfExample, 'sample', {
    status: { survey: { pods: ['a', 'b'], containers: ['main', 'main', 'sidecar'] } },
  })

  await t.cluster.delete('pods', 'a')
  await t.settled()
  expect(t.indices.podNames.get(t.namespace).toArray()).toEqual(['b'])
  expect(t.health().streams.find(({ resource }) => resource === 'pods')?.cache).toBe('indexed only')
})
