import { KubeConfig } from '@binnacle/client'
import { Cluster } from '@binnacle/cluster'
import { operator } from 'binnacle'
import { expect, it } from 'vitest'
import { Kex } from '../test/kex.ts'
import { harness } from './harness.ts'
import { World } from './world.ts'

function greeter() {
  const op = operator('hello')
  op.on.create(Kex, ({ name, patch }) => {
    patch.status.greeting = `Hello, ${name}!`
  })
  op.on.delete(Kex, () => {})
  return op
}

it('a story on a cluster that exists has a namespace of its own, and leaves nothing there', async () => {
  await using cluster = await Cluster.start()
  const kubeconfig = KubeConfig.fromString(cluster.kubeconfig())
  await using other = await World.existing({ kubeconfig, resources: [Kex] })
  await other.client.create(Kex, { metadata: { name: 'sample', namespace: 'default' }, spec: {} })
  {
    await using t = await harness(greeter(), { kubeconfig, resources: [Kex] })
    expect(t.namespace).toMatch(/^harness-/)
    await t.cluster.create(Kex, { metadata: { name: 'sample' }, spec: {} })
    await t.until(Kex, 'sample', (object) => object?.status?.greeting === 'Hello, sample!')
    t.expect.called('create', 1)
    expect(() => t.cluster.requests).toThrow('Nothing stands between the operator and a cluster that exists')
  }
  const { items } = await other.client.list('namespaces')
  expect(
    items.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name),
  ).not.toContain(expect.stringMatching(/^harness-/))
  expect((await other.client.list(Kex, { namespace: 'default' })).items[0]?.status).toBeUndefined()
})

it('a story on a cluster of its own is in the default namespace', async () => {
  await using t = await harness(greeter(), { resources: [Kex] })
  await t.cluster.create(Kex, { metadata: { name: 'sample' }, spec: {} })
  await t.settled()
  await t.expect.object(Kex, 'sample', { metadata: { namespace: 'default' }, status: { greeting: 'Hello, sample!' } })
  expect(t.namespace).toBe('default')
})
