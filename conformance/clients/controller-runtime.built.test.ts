import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { goProgram } from './builds.mjs'
import { ClusterProcess } from './cluster-process.ts'
import { eventually, Program } from './program.ts'
import { eventOf, gone, settled } from './widget-story.ts'

/** A reconciler of controller-runtime, twice, of which one leads by a Lease; as a service account, over TLS. */
const account = 'system:serviceaccount:default:reconciler'
const all = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']
const rules = [
  { apiGroups: ['clients.example.com'], resources: ['widgets', 'widgets/status', 'widgets/finalizers'], verbs: all },
  { apiGroups: [''], resources: ['configmaps'], verbs: all },
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
]
const widget = (name: string, size: number) => ({ metadata: { name }, spec: { size } })

describe('a reconciler of controller-runtime', () => {
  let cluster: ClusterProcess
  let first: Program
  let second: Program

  beforeAll(async () => {
    const program = await goProgram('reconciler')
    cluster = await ClusterProcess.start([account])
    await cluster.allow(account, rules)
    await cluster.client.create('widgets', widget('early', 1))
    const env = { KUBECONFIG: cluster.kubeconfig(account) }
    first = new Program(program, ['first'], { env })
    await first.line({ event: 'leads' })
    second = new Program(program, ['second'], { env })
    await second.line({ event: 'runs' })
  }, 600_000)
  afterAll(async () => {
    await second?.[Symbol.asyncDispose]()
    await first?.[Symbol.asyncDispose]()
    await cluster?.[Symbol.asyncDispose]()
  })

  const holder = async () => (await cluster.client.get('leases', 'default/widgets')).spec?.holderIdentity

  it('holds the lease, and settles what was there before', async () => {
    expect(await holder()).toMatch(/_/)
    await first.line({ event: 'settled', key: 'default/early' })
    const { metadata } = await cluster.client.get('widgets', 'early')
    expect(metadata.finalizers).toEqual(['clients.example.com/held'])
    expect(metadata.generation).toBe(1)
  })

  it('makes a child that it owns, and writes status, conditions and an event', async () => {
    await cluster.client.create('widgets', widget('late', 2))
    await first.line({ event: 'created', key: 'default/late' })
    const status = await settled(cluster.client, 'late', 2)
    expect(status).toMatchObject({
      phase: 'Settled',
      conditions: [{ type: 'Ready', status: 'True', message: 'by first' }],
    })
    const { metadata, data } = await cluster.client.get('configmaps', 'late')
    expect(data).toEqual({ size: '2', note: 'none' })
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'Widget', name: 'late', controller: true }])
    const event = await eventOf(cluster.client, 'late')
    expect(event).toMatchObject({ reason: 'Settled', note: 'size 2', related: { kind: 'ConfigMap', name: 'late' } })
  })

  it('follows an update, and restores a child that somebody deletes or changes', async () => {
    await cluster.client.patch('widgets', 'late', { spec: { size: 3 } })
    await settled(cluster.client, 'late', 3)
    const { metadata } = await cluster.client.get('configmaps', 'late')
    await cluster.client.delete('configmaps', 'late')
    const size = async () => (await cluster.client.find('configmaps', 'late'))?.data?.['size']
    await eventually('a new child', async () => {
      const child = await cluster.client.find('configmaps', 'late')
      return child !== undefined && child.metadata.uid !== metadata.uid
    })
    await cluster.client.patch('configmaps', 'late', { data: { size: '99' } })
    await eventually('the right size', async () => (await size()) === '3')
  })

  it('lets go of what is deleted, whose child goes with it', async () => {
    await cluster.client.delete('widgets', 'late')
    await first.line({ event: 'released', key: 'default/late' })
    await gone(cluster.client, 'widgets', 'late')
    await gone(cluster.client, 'configmaps', 'late')
    await first.line({ event: 'gone', key: 'default/late' })
  })

  it('hands over to the other when it ends', async () => {
    expect(second.lines.filter(({ event }) => event !== 'runs')).toEqual([])
    const before = await holder()
    expect(await first.stop()).toBe(0)
    await second.line({ event: 'leads' })
    expect(await holder()).not.toBe(before)
    expect((await cluster.client.get('leases', 'default/widgets')).spec?.leaseTransitions).toBeGreaterThan(0)
    await cluster.client.patch('widgets', 'early', { spec: { size: 7 } })
    expect((await settled(cluster.client, 'early', 7))['conditions']).toMatchObject([{ message: 'by second' }])
    await cluster.client.delete('widgets', 'early')
    await gone(cluster.client, 'widgets', 'early')
  })
})
