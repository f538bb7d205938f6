import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kopfPython } from './builds.mjs'
import { ClusterProcess } from './cluster-process.ts'
import { eventually, Program } from './program.ts'

/** Kopf from PyPI, run by its own command as a service account with the permissions that its documentation lists. */
const account = 'system:serviceaccount:default:kopf'
const rules = [
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch', 'patch'] },
  { apiGroups: ['clients.example.com'], resources: ['widgets', 'widgets/status'], verbs: ['list', 'watch', 'patch'] },
]
const source = fileURLToPath(new URL('kopf/operator.py', import.meta.url))

describe('an operator of Kopf', () => {
  let cluster: ClusterProcess
  let operator: Program
  let python = ''
  const start = () =>
    new Program(python, ['-m', 'kopf', 'run', '--all-namespaces', '--standalone', source], {
      env: { KUBECONFIG: cluster.kubeconfig(account), PYTHONDONTWRITEBYTECODE: '1' },
    })
  const widget = (name: string, size: number) => ({ metadata: { name, namespace: 'default' }, spec: { size } })
  const phaseOf = async (name: string) => (await cluster.client.find('widgets', name))?.['status']

  beforeAll(async () => {
    python = await kopfPython()
    cluster = await ClusterProcess.start([account])
    await cluster.allow(account, rules)
    await cluster.client.create('widgets', widget('early', 1))
    operator = start()
    await operator.line({ event: 'started' })
  }, 600_000)
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]()
    await cluster?.[Symbol.asyncDispose]()
  })

  it('handles the creation of what was there before and of what comes, after a retry', async () => {
    expect(await operator.line({ event: 'create', name: 'early' })).toMatchObject({ size: 1, retry: 1 })
    await cluster.client.create('widgets', widget('late', 2))
    await operator.line({ event: 'create', name: 'late' })
    const status = await eventually('status of creation', async () => {
      const of = await phaseOf('late')
      return of?.['phase'] === 'Created' && of
    })
    expect(status).toMatchObject({ observed: 2, create: { retry: 1 } })
    const late = await cluster.client.get('widgets', 'late')
    expect(late.metadata.finalizers).toEqual(['kopf.zalando.org/KopfFinalizerMarker'])
    expect(late.metadata.annotations).toHaveProperty('kopf.zalando.org/last-handled-configuration')
  })

  it('handles an update with its difference, and posts an event', async () => {
    await cluster.client.patch('widgets', 'late', { spec: { size: 5 } })
    expect(await operator.line({ event: 'update', name: 'late' })).toMatchObject({ old: 2, new: 5 })
    await eventually('status of the update', async () => (await phaseOf('late'))?.['phase'] === 'Updated')
    const event = await eventually('event', async () => {
      const { items } = await cluster.client.list('events', { namespace: 'default' })
      return items.find(({ reason }) => reason === 'Resized')
    })
    expect(event).toMatchObject({ message: 'from 2 to 5', involvedObject: { kind: 'Widget', name: 'late' } })
  })

  it('fills an index, and lets a timer read it', async () => {
    const full = { '1': ['early'], '5': ['late'] }
    await operator.until('tick with both', (lines) =>
      lines.some(({ event, sizes }) => event === 'tick' && JSON.stringify(sizes) === JSON.stringify(full)),
    )
    const ticks = () => operator.lines.filter(({ event, name }) => event === 'tick' && name === 'early').length
    const before = ticks()
    await operator.until('two more ticks', () => ticks() >= before + 2)
  })

  it('hears of events of a built-in kind, by its filter', async () => {
    const metadata = { namespace: 'default', labels: { team: 'web' } }
    await cluster.client.create('configmaps', { metadata: { ...metadata, name: 'web' } })
    await cluster.client.create('configmaps', { metadata: { namespace: 'default', name: 'other' } })
    await operator.line({ event: 'event', name: 'web', type: 'ADDED' })
    await cluster.client.delete('configmaps', 'web')
    await operator.line({ event: 'event', name: 'web', type: 'DELETED' })
    expect(operator.lines.filter(({ name }) => name === 'other')).toEqual([])
  })

  it('handles a deletion before the object goes, and takes it out of the index', async () => {
    await cluster.client.delete('widgets', 'late')
    expect(await operator.line({ event: 'delete', name: 'late' })).toMatchObject({ size: 5 })
    await eventually('end of the object', async () => (await cluster.client.find('widgets', 'late')) === undefined)
    await operator.until('tick without it', (lines) => JSON.stringify(lines.at(-1)?.['sizes']) === '{"1":["early"]}')
  })

  it('goes on after a restart, and repeats nothing', async () => {
    await operator.stop('SIGINT')
    expect(operator.lines.at(-1)).toMatchObject({ event: 'stopped' })
    await cluster.client.patch('widgets', 'early', { spec: { size: 9 } })
    operator = start()
    expect(await operator.line({ event: 'update', name: 'early' })).toMatchObject({ old: 1, new: 9 })
    expect(operator.lines.filter(({ event }) => event === 'create')).toEqual([])
    await cluster.client.delete('widgets', 'early')
    await operator.line({ event: 'delete', name: 'early' })
    await eventually('end of the object', async () => (await cluster.client.find('widgets', 'early')) === undefined)
  })
})
