import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rustProgram } from './builds.mjs'
import { ClusterProcess } from './cluster-process.ts'
import { eventually, Program } from './program.ts'
import { eventOf, gone, settled } from './widget-story.ts'

/** A controller of kube-rs, as a service account, over TLS; it lists by pages of two, or streams its first objects. */
const account = 'system:serviceaccount:default:controller'
const rules = [
  { apiGroups: ['clients.example.com'], resources: ['widgets', 'widgets/status'], verbs: ['list', 'watch', 'patch'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch', 'create', 'patch'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
]
const early = ['a', 'b', 'c', 'd', 'e']

describe.each([
  { way: 'lists', flags: [] },
  { way: 'streams', flags: ['--stream'] },
])('a controller of kube-rs that $way its first objects', ({ flags }) => {
  let cluster: ClusterProcess
  let controller: Program

  beforeAll(async () => {
    const program = await rustProgram()
    cluster = await ClusterProcess.start([account])
    await cluster.allow(account, rules)
    for (const name of early) await cluster.client.create('widgets', { metadata: { name }, spec: { size: 1 } })
    controller = new Program(program, flags, { env: { KUBECONFIG: cluster.kubeconfig(account) } })
  }, 600_000)
  afterAll(async () => {
    await controller?.[Symbol.asyncDispose]()
    await cluster?.[Symbol.asyncDispose]()
  })

  it('finds the kinds that are served', async () => {
    const { key } = await controller.line({ event: 'found' })
    expect(key).toMatch(/^(apps and clients\.example\.com|clients\.example\.com and apps) in 1\.\d+$/)
  })

  it('settles what was there before, all of it', async () => {
    for (const name of early) await controller.line({ event: 'settled', key: `default/${name}` })
    for (const name of early) await settled(cluster.client, name, 1)
  })

  it('applies a child that it owns, with a status and an event', async () => {
    await cluster.client.create('widgets', { metadata: { name: 'late' }, spec: { size: 2 } })
    expect(await settled(cluster.client, 'late', 2)).toEqual({ phase: 'Settled', observed: 2 })
    const child = await cluster.client.get('configmaps', 'late')
    expect(child.data).toEqual({ size: '2', note: 'none' })
    expect(child.metadata.ownerReferences).toMatchObject([{ kind: 'Widget', name: 'late', controller: true }])
    const event = await eventOf(cluster.client, 'late')
    expect(event).toMatchObject({ reason: 'Settled', note: 'size 2', reportingController: 'kube-rs-controller' })
  })

  it('follows an update, and restores a child that somebody changes', async () => {
    await cluster.client.patch('widgets', 'late', { spec: { size: 3, note: 'x' } })
    await settled(cluster.client, 'late', 3)
    await cluster.client.patch('configmaps', 'late', { data: { size: '99' } })
    await eventually('the right size', async () => {
      const { data } = await cluster.client.get('configmaps', 'late')
      return data?.['size'] === '3' && data['note'] === 'x'
    })
  })

  it('lets go of what is deleted, whose child goes with it', async () => {
    expect((await cluster.client.get('widgets', 'late')).metadata.finalizers).toEqual(['clients.example.com/held'])
    await cluster.client.delete('widgets', 'late')
    await gone(cluster.client, 'widgets', 'late')
    await gone(cluster.client, 'configmaps', 'late')
    await controller.until('release', (lines) =>
      lines.some(({ event, key }) => event === 'released' && String(key).includes('late')),
    )
  })

  it('met no error, and ends when it is told to', async () => {
    // A reconciliation may still be due for what is gone by then, which is told as an error.
    const errors = controller.lines.filter(
      ({ event, key }) => event === 'error' && !String(key).includes('local store'),
    )
    expect(errors).toEqual([])
    expect(await controller.stop()).toBe(0)
    expect(controller.lines.at(-1)).toMatchObject({ event: 'stopped' })
  })
})
