import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from '@binnacle/client'
import { Cluster } from '@binnacle/cluster'
import { type ConnectionInfo, LoginError, type Operator, operator, resource, toCRD } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { type Harness, harness } from '../../src/harness.ts'
import { World } from '../../src/world.ts'
import { Kex } from '../kex.ts'

const sample = { metadata: { name: 'a', namespace: 'default' }, spec: { field: 'x' } }

function resident(name: string): Operator {
  const op = operator(name)
  op.on.create(Kex, { id: 'create', result: false }, ({ patch }) => {
    patch.status[name] = 'seen'
  })
  return op
}

describe('several operators in one process', () => {
  it('share one kind and one client, and end one by one', async () => {
    await using world = await World.virtual({ resources: [Kex] })
    const { client, clock } = world
    const logger = { level: 'silent' } as const
    await using one = await resident('one').start({ client, clock, logger })
    {
      await using two = await resident('two').start({ client, clock, logger })
      await client.create(Kex, sample)
      await world.until(Kex, 'default/a', (object) => object?.status?.one === 'seen' && object.status.two === 'seen')
      expect([one.health().live, two.health().live]).toEqual([true, true])
    }
    await client.create(Kex, { ...sample, metadata: { name: 'b', namespace: 'default' } })
    await world.until(Kex, 'default/b', (object) => object?.status?.one === 'seen')
    expect((await client.get(Kex, 'default/b')).status.two).toBeUndefined()
  })

  it('may be two runs of one operator, each with its own indices and figures', async () => {
    await using world = await World.virtual({ resources: [Kex] })
    const { client, clock } = world
    const op = resident('one')
    const options = { client, clock, logger: { level: 'silent' } } as const
    await using one = await op.start({ ...options, namespaces: ['default'] })
    await using other = await op.start({ ...options, namespaces: ['other'] })
    await client.create(Kex, sample)
    await world.until(Kex, 'default/a', (object) => object?.status?.one === 'seen')
    expect([one.health().streams[0]?.objects, other.health().streams[0]?.objects]).toEqual([1, 0])
  })
})

describe('an operator of many kinds with many objects', () => {
  it('is no leak in the eyes of Node, which warns of more than ten listeners', async () => {
    const warnings: string[] = []
    const hear = (warning: Error) => void warnings.push(warning.name)
    process.on('warning', hear)
    const kinds = Array.from({ length: 12 }, (_, n) => resource({ group: 'many.dev', version: 'v1', kind: `Kind${n}` }))
    const op = operator('many')
    let running = 0
    for (const kind of kinds) {
      op.on.create(kind, { id: 'create' }, async () => {
        running += 1
        await t.clock.sleep(1)
      })
      op.daemon(kind, { id: 'daemon' }, ({ stopped }) => stopped.wait())
    }
    await using t: Harness = await harness(op, { resources: kinds })
    for (const kind of kinds) await t.cluster.create(kind, { metadata: { name: 'a' }, spec: {} })
    await t.advance('5s')
    expect(running).toBe(12)
    await t.operator.pause()
    await t.operator.resume()
    await t.advance('5s')
    await t.stop()
    // Node tells of it in the next turn of the loop.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', hear)
    expect(warnings).toEqual([])
  })
})

describe('in development', () => {
  it('objects are frozen all the way down, for handlers, event handlers, daemons and indices', async () => {
    const errors: unknown[] = []
    const spoil = ({ body }: { readonly body: object }) => {
      try {
        const { metadata } = body as { metadata: { labels: { [label: string]: string } } }
        metadata.labels['x'] = 'changed'
      } catch (error) {
        errors.push((error as Error).name)
      }
    }
    const op = operator('frozen')
    op.on.create(Kex, { id: 'create' }, spoil as never)
    op.on.event(Kex, { id: 'event' }, spoil as never)
    op.daemon(Kex, { id: 'daemon' }, spoil as never)
    await using t = await harness(op, { resources: [Kex], dev: true })
    await t.cluster.create(Kex, { ...sample, metadata: { ...sample.metadata, labels: { x: 'y' } } })
    await t.settled()
    expect(new Set(errors)).toEqual(new Set(['TypeError']))
    expect(errors.length).toBeGreaterThanOrEqual(3)
  })
})

/** An API server that knows one token at a time, in front of an embedded cluster. */
async function guarded(cluster: Cluster) {
  const state = { accepted: 'one' }
  const server = createServer((incoming, response) => {
    if (incoming.headers.authorization !== `Bearer ${state.accepted}`) {
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end('{"kind":"Status","code":401,"reason":"Unauthorized"}')
      return
    }
    const { method, headers, url } = incoming
    const out = request(`${cluster.url}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    out.on('error', () => response.destroy())
    response.on('close', () => out.destroy())
    incoming.pipe(out)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    state,
    cut: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function clusterWithKex(): Promise<Cluster> {
  const cluster = await Cluster.start()
  await using admin = await connect({ kubeconfig: cluster.connection })
  await admin.create('customresourcedefinitions.apiextensions.k8s.io' as never, toCRD(Kex) as never)
  return cluster
}

describe('an operator with login handlers', () => {
  it('gets its credentials from them, and others when the server refuses these', async () => {
    const cluster = await clusterWithKex()
    await using gate = await guarded(cluster)
    const asked: string[] = []
    const op = resident('member')
    op.on.login(function vault({ activity, settings, ...rest }): ConnectionInfo {
      asked.push(`${activity} ${typeof settings.queueing} ${'client' in rest}`)
      return { server: gate.url, token: gate.state.accepted }
    })
    {
      await using running = await op.start({ logger: { level: 'silent' } })
      gate.state.accepted = 'two'
      gate.cut()
      await using admin = await connect({ kubeconfig: cluster.connection })
      await admin.create(Kex, sample)
      for (let status: unknown; status !== 'seen'; ) {
        status = (await admin.get(Kex, 'default/a')).status?.member
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      expect(running.health().live).toBe(true)
    }
    expect(asked).toEqual(['login object false', 'login object false'])
    await cluster.stop()
  })

  it('ends with a LoginError when they have nothing that the server accepts, at the start and later', async () => {
    const cluster = await clusterWithKex()
    await using gate = await guarded(cluster)
    const op = resident('member')
    op.on.login(() => ({ server: gate.url, token: 'one' }))
    const options = { logger: { level: 'silent' } } as const
    {
      await using running = await op.start(options)
      gate.state.accepted = 'two'
      gate.cut()
      await expect(running.ended).rejects.toBeInstanceOf(LoginError)
      expect(running.health().live).toBe(false)
    }
    await expect(op.start(options)).rejects.toThrow('refuses the credentials, and the login handlers give no others')
    await cluster.stop()
  })
})
