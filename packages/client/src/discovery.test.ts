import { explain, resource, VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { memoryTransport, type Reply, refusal } from '../test/memory-transport.ts'
import type { Client } from './client.ts'
import { connect } from './connect.ts'

const VERBS = ['get', 'list']

interface Served {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly scope?: 'Namespaced' | 'Cluster'
  readonly shortNames?: string[]
  readonly subresources?: string[]
}

const SERVED: readonly Served[] = [
  { group: '', version: 'v1', plural: 'pods', kind: 'Pod', shortNames: ['po'], subresources: ['status', 'log'] },
  { group: '', version: 'v1', plural: 'nodes', kind: 'Node', scope: 'Cluster' },
  { group: '', version: 'v1', plural: 'events', kind: 'Event' },
  { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event' },
  {
    group: 'apps',
    version: 'v1',
    plural: 'deployments',
    kind: 'Deployment',
    shortNames: ['deploy'],
    subresources: ['status'],
  },
  { group: 'apps', version: 'v1beta1', plural: 'deployments', kind: 'Deployment' },
  { group: 'apps', version: 'v1beta1', plural: 'oldies', kind: 'Oldie' },
  { group: 'v1.example.com', version: 'v2', plural: 'foos', kind: 'Foo' },
  // A short name that is the plural of another resource.
  { group: 'trap.example.com', version: 'v1', plural: 'traps', kind: 'Trap', shortNames: ['pods', 'pod'] },
]

function groups(): Map<string, Map<string, Served[]>> {
  const all = new Map<string, Map<string, Served[]>>()
  for (const served of SERVED) {
    const versions = all.get(served.group) ?? new Map<string, Served[]>()
    all.set(served.group, versions)
    versions.set(served.version, [...(versions.get(served.version) ?? []), served])
  }
  return all
}

function aggregated(which: (group: string) => boolean): object {
  const items = [...groups()]
    .filter(([group]) => which(group))
    .map(([group, versions]) => ({
      metadata: group === '' ? {} : { name: group },
      versions: [...versions].map(([version, resources]) => ({
        version,
        freshness: 'Current',
        resources: resources.map((r) => ({
          resource: r.plural,
          responseKind: { group: r.group, version, kind: r.kind },
          scope: r.scope ?? 'Namespaced',
          singularResource: r.kind.toLowerCase(),
          verbs: VERBS,
          shortNames: r.shortNames,
          subresources: r.subresources?.map((subresource) => ({ subresource })),
        })),
      })),
    }))
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items }
}

function modern(path: string): Reply {
  return { body: aggregated((group) => (path === '/api') === (group === '')) }
}

function legacy(path: string): Reply {
  if (path === '/api') return { body: { kind: 'APIVersions', versions: ['v1'] } }
  if (path === '/apis') {
    const list = [...groups()].filter(([group]) => group !== '')
    const entry = ([name, versions]: [string, Map<string, Served[]>]) => ({
      name,
      // The server need not list the preferred one first.
      versions: [...versions.keys()].reverse().map((version) => ({ version, groupVersion: `${name}/${version}` })),
      preferredVersion: { version: [...versions.keys()][0] },
    })
    return { body: { kind: 'APIGroupList', groups: list.map(entry) } }
  }
  const [, , first = '', second] = path.split('/')
  const resources =
    groups()
      .get(second === undefined ? '' : first)
      ?.get(second ?? first) ?? []
  const entries = resources.flatMap((r) => [
    {
      name: r.plural,
      singularName: '',
      namespaced: r.scope !== 'Cluster',
      kind: r.kind,
      verbs: VERBS,
      shortNames: r.shortNames,
    },
    ...(r.subresources ?? []).map((subresource) => ({
      name: `${r.plural}/${subresource}`,
      kind: r.kind,
      verbs: VERBS,
    })),
  ])
  return { body: { kind: 'APIResourceList', resources: entries } }
}

async function served(answer: (path: string) => Reply): Promise<{ client: Client; paths: () => string[] }> {
  const transport = memoryTransport(({ url }) => answer(url.pathname))
  const client = await connect({ transport, errorBackoffs: [] })
  return { client, paths: () => transport.seen.map(({ path }) => path) }
}

describe.each([
  ['in one document', modern],
  ['in many documents', legacy],
])('discovery %s', (_, answer) => {
  it.each([
    ['pods', 'v1', 'Pod'],
    ['pod', 'v1', 'Pod'],
    ['Pod', 'v1', 'Pod'],
    ['po', 'v1', 'Pod'],
    ['v1/pods', 'v1', 'Pod'],
    ['pods.v1', 'v1', 'Pod'],
    ['events', 'v1', 'Event'],
    ['events.events.k8s.io', 'events.k8s.io/v1', 'Event'],
    ['deployments', 'apps/v1', 'Deployment'],
    ['deployments.apps', 'apps/v1', 'Deployment'],
    ['deployments.v1.apps', 'apps/v1', 'Deployment'],
    ['deployments.v1beta1.apps', 'apps/v1beta1', 'Deployment'],
    ['apps/v1beta1/deployments', 'apps/v1beta1', 'Deployment'],
    ['deploy', 'apps/v1', 'Deployment'],
    ['Deployment.apps', 'apps/v1', 'Deployment'],
    ['oldies', 'apps/v1beta1', 'Oldie'],
    ['foos.v1.example.com', 'v1.example.com/v2', 'Foo'],
    ['foos.v2.v1.example.com', 'v1.example.com/v2', 'Foo'],
  ])('understands %s', async (name, apiVersion, kind) => {
    const { client } = await served(answer)
    expect(await client.discovery.resolve(name)).toMatchObject({ apiVersion, kind })
  })

  it.each(['nothings', 'pods.apps', 'deployments.v9.apps', 'apps/v9/deployments', 'v1/deployments'])(
    'does not know %s',
    async (name) => {
      const { client } = await served(answer)
      expect(await client.discovery.resolve(name)).toBeUndefined()
    },
  )

  it('tells all about a resource', async () => {
    const { client } = await served(answer)
    expect(await client.discovery.resolve('pods')).toEqual({
      group: '',
      version: 'v1',
      apiVersion: 'v1',
      kind: 'Pod',
      plural: 'pods',
      singular: 'pod',
      scope: 'Namespaced',
      namespaced: true,
      preferred: true,
      verbs: VERBS,
      shortNames: ['po'],
      categories: [],
      subresources: ['status', 'log'],
    })
    expect((await client.discovery.resolve('nodes'))?.scope).toBe('Cluster')
  })

  it('finds a declared resource by its group, version and plural', async () => {
    const { client } = await served(answer)
    const Deployment = resource({ group: 'apps', version: 'v1', kind: 'Deployment' })
    expect((await client.discovery.resolve(Deployment))?.subresources).toEqual(['status'])
    const Absent = resource({ group: 'apps', version: 'v2', kind: 'Deployment' })
    expect(await client.discovery.resolve(Absent)).toBeUndefined()
  })
})

describe('discovery', () => {
  it('asks the server once for all who ask', async () => {
    const { client, paths } = await served(modern)
    await Promise.all([
      client.discovery.resolve('pods'),
      client.discovery.resolve('nodes'),
      client.discovery.resources(),
    ])
    await client.discovery.resolve('deploy')
    expect(paths()).toEqual(['/api', '/apis'])
  })

  it('says what it knows, so that a server need not tell again what has not changed', async () => {
    let generation = 1
    const transport = memoryTransport(({ url, headers }) => {
      const etag = `"${generation}"`
      if (headers['if-none-match'] === etag) return { status: 304, headers: { etag } }
      return { ...modern(url.pathname), headers: { etag } }
    })
    const client = await connect({ transport, errorBackoffs: [] })
    const known = await client.discovery.resources()
    await client.discovery.refresh()
    expect(await client.discovery.resources()).toEqual(known)
    expect(transport.seen.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, undefined, '"1"', '"1"'])
    generation = 2
    await client.discovery.refresh()
    expect(await client.discovery.resources()).toEqual(known)
    expect(transport.seen.slice(4).map(({ headers }) => headers['if-none-match'])).toEqual(['"1"', '"1"'])
  })

  it('takes an answer without a document for a refusal if it knows none', async () => {
    const transport = memoryTransport(() => ({ status: 304 }))
    const client = await connect({ transport, errorBackoffs: [] })
    await expect(client.discovery.resources()).rejects.toThrow()
  })

  it('asks once more when a name is unknown, and then knows what is new', async () => {
    let installed = false
    const { client, paths } = await served((path) => {
      if (path === '/apis' && !installed) return { body: { kind: 'APIGroupDiscoveryList', items: [] } }
      return modern(path)
    })
    expect(await client.discovery.resolve('foos')).toBeUndefined()
    installed = true
    expect((await client.discovery.resolve('foos'))?.kind).toBe('Foo')
    expect(paths()).toHaveLength(4)
  })

  it('reports a broken group and goes on without it', async () => {
    const { client } = await served((path) =>
      path === '/apis/apps/v1' ? refusal(503, 'ServiceUnavailable', 'down') : legacy(path),
    )
    expect((await client.discovery.resolve('pods'))?.kind).toBe('Pod')
    expect(client.discovery.broken).toEqual(['apps/v1'])
    const stale = await served((path) => {
      const reply = modern(path)
      return {
        body: JSON.parse(
          JSON.stringify(reply.body).replace(
            '"version":"v2","freshness":"Current"',
            '"version":"v2","freshness":"Stale"',
          ),
        ),
      }
    })
    await stale.client.discovery.resources()
    expect(stale.client.discovery.broken).toEqual(['v1.example.com/v2'])
  })

  it('survives documents that are damaged', async () => {
    const { client } = await served(() => ({
      body: { kind: 'APIGroupDiscoveryList', items: [null, { versions: 5 }, { versions: [{ resources: [7, {}] }] }] },
    }))
    expect(await client.discovery.resolve('pods')).toBeUndefined()
  })

  it('keeps what it knew of a group that is broken for a while, and forgets what is gone', async () => {
    let trouble: 'none' | 'broken' | 'gone' = 'none'
    const { client } = await served((path) => {
      if (trouble === 'broken' && path === '/apis/apps/v1') return refusal(503, 'ServiceUnavailable', 'down')
      if (trouble === 'gone' && path === '/apis') return { body: { kind: 'APIGroupList', groups: [] } }
      return legacy(path)
    })
    const version = async () => (await client.discovery.resolve('deployments'))?.version
    await client.discovery.resources()
    trouble = 'broken'
    await client.discovery.refresh()
    expect(client.discovery.broken).toEqual(['apps/v1'])
    expect((await client.discovery.resolve('deployments.v1.apps'))?.kind).toBe('Deployment')
    trouble = 'gone'
    await client.discovery.refresh()
    expect(await version()).toBeUndefined()
    trouble = 'none'
    expect(await version()).toBe('v1')
  })

  it('obeys the deadline of whoever asks, and the signal of a narrowed client', async () => {
    const clock = new VirtualClock()
    const transport = memoryTransport(() => new Promise(() => {}))
    const client = await connect({ transport, clock })
    const enough = new AbortController()
    const late = expect(client.get('pods', 'a', { timeout: '2s' })).rejects.toThrow(/No answer within 2 s/)
    const left = expect(client.with({ signal: enough.signal }).get('pods', 'a')).rejects.toThrow('enough')
    await clock.advance('2s')
    await late
    enough.abort(new Error('enough'))
    await left
    await client[Symbol.asyncDispose]()
    expect(clock.sleeping).toBe(0)
  })

  it('is not possible where something else than an API server answers', async () => {
    const { client } = await served(() => ({ body: '<html>login</html>' }))
    await expect(client.get('pods', 'a')).rejects.toMatchObject({
      name: 'NetworkError',
      message: expect.stringMatching(/^The answer to GET \/apis? is not JSON/),
    })
  })

  it('goes on for the others when one gives up', async () => {
    const { client, paths } = await served(modern)
    const controller = new AbortController()
    const first = client.discovery.resolve('pods', { signal: controller.signal })
    const second = client.discovery.resolve('pods')
    controller.abort(new Error('enough'))
    await expect(first).rejects.toThrow('enough')
    expect((await second)?.kind).toBe('Pod')
    expect(paths()).toHaveLength(2)
  })

  it('makes the verbs say which name was meant', async () => {
    const { client } = await served(modern)
    const error = await client.list('deploymnets').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'BIN_UNKNOWN_RESOURCE' })
    expect(explain(error)).toMatch(
      /^The server does not serve "deploymnets"\nDid you mean deployments\.apps\? Install its/,
    )
    await expect(client.list('a/b/c/d')).rejects.toMatchObject({ code: 'BIN_RESOURCE' })
  })
})
