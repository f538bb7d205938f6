import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, connect } from '@binnacle/client'
import { Cluster, respond } from '@binnacle/cluster'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { goProgram } from './builds.mjs'
import { type Line, Program } from './program.ts'

/**
 * SharedIndexInformers of client-go, in both ways to learn the first objects. The cluster is in this process, so that the test can cut watches and take
 * away history; the program reaches it over TLS, signed in by a token.
 */
const definition = JSON.parse(readFileSync(fileURLToPath(new URL('crd.json', import.meta.url)), 'utf8'))
const web = { team: 'web' }

async function permit(client: Client, user: string): Promise<void> {
  const verbs = ['list', 'watch']
  const rules = [
    { apiGroups: [''], resources: ['configmaps'], verbs },
    { apiGroups: ['clients.example.com'], resources: ['widgets'], verbs },
  ]
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user }
  await client.create('clusterroles', { metadata: { name: user }, rules })
  await client.create('clusterrolebindings', {
    metadata: { name: user },
    roleRef,
    subjects: [{ kind: 'User', name: user }],
  })
}

async function make(client: Client, name: string, labels: Record<string, string> = web): Promise<void> {
  await client.create('configmaps', { metadata: { name, labels } })
  await client.create('widgets', { metadata: { name, labels }, spec: { size: 1 } })
}

describe.each([
  { way: 'streams', watchList: true },
  { way: 'lists', watchList: false },
])('an informer of client-go that $way its first objects', ({ watchList }) => {
  const directory = mkdtempSync(join(tmpdir(), 'informer-'))
  let cluster: Cluster
  let client: Client
  let informer: Program

  beforeAll(async () => {
    const program = await goProgram('informer')
    cluster = await Cluster.start({ rbac: true, users: [{ name: 'gopher' }], crds: [definition] })
    client = await connect({ kubeconfig: cluster.connection })
    await permit(client, 'gopher')
    await make(client, 'a')
    await make(client, 'b')
    writeFileSync(join(directory, 'config'), cluster.kubeconfig('gopher'), { mode: 0o600 })
    const env = { KUBECONFIG: join(directory, 'config'), KUBE_FEATURE_WatchListClient: String(watchList) }
    informer = new Program(program, [], { env })
  }, 600_000)
  afterAll(async () => {
    await informer?.[Symbol.asyncDispose]()
    await client?.[Symbol.asyncDispose]()
    await cluster?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  const heard = (event: string, name: string, more: Line = {}) =>
    Promise.all(
      ['configmaps', 'widgets'].map((resource) => informer.line({ resource, event, key: `default/${name}`, ...more })),
    )
  const keysOf = async (question: string) => {
    const asked = informer.lines.length
    informer.tell(question)
    return informer.until(
      'answer',
      (lines) => lines.slice(asked).find((line) => line['question'] === question)?.['keys'],
    )
  }
  /** What asked for objects, and how it was answered. */
  const reads = (resource: string) =>
    cluster.requests.filter(({ user, path }) => user === 'gopher' && path.includes(`/${resource}`))

  it('is synced with what was there', async () => {
    await heard('add', 'a', { initial: true })
    await heard('add', 'b', { initial: true })
    for (const resource of ['configmaps', 'widgets']) await informer.line({ resource, event: 'synced' })
    for (const resource of ['configmaps', 'widgets']) {
      const first = reads(resource)[0]
      expect(first?.path.includes('sendInitialEvents=true')).toBe(watchList)
      expect(first?.verb).toBe(watchList ? 'watch' : 'list')
    }
  })

  it('hears of what is created, changed and deleted, and indexes it', async () => {
    await make(client, 'c')
    await heard('add', 'c', { initial: false })
    for (const resource of ['configmaps', 'widgets'] as const) {
      expect(await keysOf(`${resource} team web`)).toEqual(['default/a', 'default/b', 'default/c'])
      await client.patch(resource, 'c', { metadata: { labels: { team: 'db' } } })
    }
    await heard('update', 'c')
    for (const resource of ['configmaps', 'widgets'] as const) {
      expect(await keysOf(`${resource} team web`)).toEqual(['default/a', 'default/b'])
      expect(await keysOf(`${resource} team db`)).toEqual(['default/c'])
      await client.delete(resource, 'c')
    }
    await heard('delete', 'c', { tombstone: false })
    expect(await keysOf('widgets team db')).toEqual([])
  })

  it('goes on where it was after its watches are cut', async () => {
    cluster.actor.cutWatches()
    await make(client, 'd')
    await heard('add', 'd', { initial: false })
    expect(informer.lines.filter(({ event, key }) => event === 'add' && key === 'default/a')).toHaveLength(2)
  })

  it('learns from a new list, after 410, what was deleted and changed while nobody told it', async () => {
    const closed = cluster.faults.always({ verb: 'watch', user: 'client-go-informer' }, respond(429, { retryAfter: 1 }))
    cluster.actor.cutWatches()
    for (const resource of ['configmaps', 'widgets'] as const) {
      await client.delete(resource, 'b')
      await client.patch(resource, 'a', { metadata: { annotations: { changed: 'yes' } } })
    }
    await make(client, 'e')
    cluster.actor.compact()
    closed[Symbol.dispose]()
    await heard('delete', 'b', { tombstone: true })
    await heard('add', 'e')
    await heard('update', 'a')
    expect(await keysOf('configmaps team web')).toEqual(['default/a', 'default/d', 'default/e'])
    expect(await keysOf('widgets team web')).toEqual(['default/a', 'default/d', 'default/e'])
  })

  it('meets a changed schema as an ordinary new list', async () => {
    await client.patch('customresourcedefinitions', 'widgets.clients.example.com', [
      {
        op: 'add',
        path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/extra',
        value: { type: 'string' },
      },
    ])
    await client.create('widgets', { metadata: { name: 'f', labels: web }, spec: { size: 1, extra: 'yes' } })
    await informer.line({ resource: 'widgets', event: 'add', key: 'default/f' })
    await client.delete('widgets', 'f')
    await informer.line({ resource: 'widgets', event: 'delete', key: 'default/f' })
  })

  it('ends when it is told to', async () => {
    expect(await informer.stop()).toBe(0)
    expect(informer.lines.at(-1)).toEqual({ event: 'stopped' })
  })
})
