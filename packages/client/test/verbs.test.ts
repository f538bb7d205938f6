import { explain, VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { connect, resource, typed } from '../src/index.ts'
import { bytes, memoryTransport, type Reply, type Seen } from './memory-transport.ts'

/** What goes over the wire for the verbs that have a form of their own. */

const Backup = resource({
  group: 'example.com',
  version: 'v1',
  kind: 'Backup',
  schema: { spec: typed<{ size: number }>(), status: typed<{ phase: string }>() },
})

function resourcesOf(
  list: { group: string; version: string; plural: string; kind: string; categories?: string[]; scope?: string }[],
) {
  const of = (core: boolean) => ({
    kind: 'APIGroupDiscoveryList',
    items: list
      .filter(({ group }) => (group === '') === core)
      .map(({ group, version, plural, kind, categories, scope = 'Namespaced' }) => ({
        metadata: { name: group },
        versions: [
          { version, resources: [{ resource: plural, responseKind: { kind }, scope, verbs: ['get'], categories }] },
        ],
      })),
  })
  return (path: string): Reply | undefined =>
    path === '/api' ? { body: of(true) } : path === '/apis' ? { body: of(false) } : undefined
}

const DEPLOYMENTS = resourcesOf([
  { group: '', version: 'v1', plural: 'pods', kind: 'Pod', categories: ['all'] },
  { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap' },
  { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', scope: 'Cluster' },
  { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', categories: ['all'] },
  { group: 'apps', version: 'v1beta1', plural: 'deployments', kind: 'Deployment', categories: ['all'] },
])

async function clientOf(answer: (request: Seen) => Reply) {
  const transport = memoryTransport((request) => DEPLOYMENTS(request.path) ?? answer(request))
  const client = await connect({ transport, namespace: 'shop' })
  return { client, sent: () => transport.seen.filter(({ path }) => path !== '/api' && path !== '/apis') }
}

const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: {} }

describe('a patch', () => {
  it('is a merge patch, a JSON patch, or a strategic one, by its form and its strategy', async () => {
    const { client, sent } = await clientOf(() => ({ body: object }))
    await client.patch('deployments.apps', 'a', { spec: { replicas: 2 } })
    await client.patch('deployments.apps', 'a', [{ op: 'remove', path: '/spec/replicas' }])
    const containers = [
      { name: 'c', image: 'x:2' },
      { name: 'd', $patch: 'delete' as const },
    ]
    await client.patch(
      'deployments.apps',
      'a',
      { spec: { template: { spec: { containers } } } },
      { strategy: 'strategic' },
    )
    expect(sent().map(({ headers }) => headers['content-type'])).toEqual([
      'application/merge-patch+json',
      'application/json-patch+json',
      'application/strategic-merge-patch+json',
    ])
    expect(sent()[2]?.json).toEqual({ spec: { template: { spec: { containers } } } })
  })

  it('of a strategic form is checked by the compiler', async () => {
    const { client } = await clientOf(() => ({ body: object }))
    // @ts-expect-error: replicas is a number
    await client.patch('deployments.apps', 'a', { spec: { replicas: 'two' } }, { strategy: 'strategic' })
    // @ts-expect-error: a merge patch replaces lists as a whole, so that items must be complete
    await client.patch('deployments.apps', 'a', { spec: { template: { spec: { containers: [{ image: 'x' }] } } } })
  })

  it('reaches the status, as apply and replace do, by the subresource', async () => {
    const { client, sent } = await clientOf(() => ({ body: object }))
    const subresource = 'status'
    await client.patch(Backup, 'a', { status: { phase: 'x' } }, { subresource })
    await client.apply(Backup, { metadata: { name: 'a' }, spec: { size: 1 }, status: { phase: 'x' } }, { subresource })
    expect(sent().map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
      'PATCH /apis/example.com/v1/namespaces/shop/backups/a/status',
      'PATCH /apis/example.com/v1/namespaces/shop/backups/a/status',
    ])
    expect(sent()[1]?.url.search).toBe('?fieldManager=binnacle&force=true')
    expect(sent()[1]?.headers['content-type']).toBe('application/apply-patch+yaml')
  })
})

describe('metadata alone', () => {
  const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: { name: 'a' } }
  const wanted = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }

  it.each([
    ['as such', partial],
    ['by a server that sends all', object],
  ])('is what get gives, sent %s', async (_, body) => {
    const { client, sent } = await clientOf(() => ({ body }))
    const pod = await client.get('pods', 'a', { metadataOnly: true })
    expect(pod).toEqual(wanted)
    expect(sent()[0]?.headers.accept).toBe(
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
    )
    // @ts-expect-error: there is no spec
    expect(pod.spec).toBeUndefined()
  })

  it('is what list, items and watch give', async () => {
    const list = {
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadataList',
      metadata: { resourceVersion: '7' },
      items: [partial],
    }
    const { client, sent } = await clientOf(({ url }) =>
      url.searchParams.has('watch')
        ? { body: `${JSON.stringify({ type: 'ADDED', object: partial })}\n` }
        : { body: list },
    )
    expect(await client.list('pods', { metadataOnly: true })).toEqual({
      apiVersion: 'v1',
      kind: 'PodList',
      metadata: { resourceVersion: '7' },
      items: [wanted],
    })
    for await (const item of client.items('pods', { metadataOnly: true })) expect(item).toEqual(wanted)
    for await (const event of client.watch('pods', { metadataOnly: true }))
      expect(event).toEqual({ type: 'ADDED', object: wanted })
    expect(sent()[0]?.headers.accept).toContain('as=PartialObjectMetadataList;')
    expect(sent()[2]?.headers.accept).toContain('as=PartialObjectMetadata;')
  })
})

describe('a category', () => {
  it('has its resources, each in its preferred version', async () => {
    const { client } = await clientOf(() => ({}))
    expect((await client.discovery.category('all')).map(({ apiVersion, plural }) => `${apiVersion} ${plural}`)).toEqual(
      ['v1 pods', 'apps/v1 deployments'],
    )
    expect(await client.discovery.category('none')).toEqual([])
  })
})

describe('applyAll', () => {
  it('applies what others stand on first, and answers in the order of the set', async () => {
    const { client, sent } = await clientOf(({ json }) => ({ body: json }))
    const set = [
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'other' } },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } },
    ]
    expect((await client.applyAll(set)).map(({ metadata }) => metadata.name)).toEqual(['d', 'p', 'c', 'other'])
    expect(sent().map(({ url }) => url.pathname)).toEqual([
      '/api/v1/namespaces/other',
      '/api/v1/namespaces/other/configmaps/c',
      '/apis/apps/v1/namespaces/shop/deployments/d',
      '/api/v1/namespaces/shop/pods/p',
    ])
  })

  it('waits for kinds that the set itself defines', async () => {
    const clock = new VirtualClock()
    const definitions = {
      group: 'apiextensions.k8s.io',
      version: 'v1',
      plural: 'customresourcedefinitions',
      kind: 'CustomResourceDefinition',
      scope: 'Cluster',
    }
    const backups = { group: 'example.com', version: 'v1', plural: 'backups', kind: 'Backup' }
    let asked = 0
    const transport = memoryTransport((request) => {
      if (request.path === '/apis') asked++
      return resourcesOf(asked > 4 ? [definitions, backups] : [definitions])(request.path) ?? { body: request.json }
    })
    const client = await connect({ transport, clock })
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'backups.example.com' },
      spec: { group: 'example.com', names: { kind: 'Backup' }, versions: [{ name: 'v1' }] },
    }
    const applying = client.applyAll([
      { apiVersion: 'example.com/v1', kind: 'Backup', metadata: { name: 'b' } },
      definition,
    ])
    await clock.advance('5s')
    expect(await applying).toHaveLength(2)
    expect(transport.seen.at(-1)?.url.pathname).toBe('/apis/example.com/v1/namespaces/default/backups/b')
  })

  it('says which object of the set lacks what', async () => {
    const { client } = await clientOf(() => ({}))
    const text = await client.applyAll([{ kind: 'Pod', metadata: { name: 'a' } }]).catch((error) => explain(error))
    expect(text).toMatch(/^Object 1 of the set, "a", has no apiVersion or no kind\n/)
    const unknown = await client
      .applyAll([{ apiVersion: 'x/v1', kind: 'Y', metadata: { name: 'a' } }])
      .catch((error) => explain(error))
    expect(unknown).toContain('The server does not serve "x/v1/Y"')
  })
})

describe('a log', () => {
  it('comes line by line, empty ones included, whatever its bytes', async () => {
    const { client, sent } = await clientOf(() => ({
      headers: { 'content-type': 'text/plain' },
      body: (async function* () {
        for (const part of ['one\n\ntw', 'o\n\xff', '\nlast']) yield Buffer.from(part, 'latin1')
      })(),
    }))
    const lines: string[] = []
    for await (const line of client.logs('web', {
      container: 'c',
      tail: 10,
      since: '1m',
      previous: true,
      timestamps: true,
    }))
      lines.push(line)
    expect(lines).toEqual(['one', '', 'two', '\ufffd', 'last'])
    expect(sent()[0]?.path).toBe(
      '/api/v1/namespaces/shop/pods/web/log?container=c&tailLines=10&sinceSeconds=60&previous=true&timestamps=true',
    )
  })

  it('that is followed may be silent for days, and ends when it is left', async () => {
    const clock = new VirtualClock()
    let left = false
    const transport = memoryTransport(() => ({
      body: (async function* () {
        try {
          yield bytes('one\n')
          await clock.sleep('2d')
          yield bytes('two\n')
          yield bytes('three\n')
        } finally {
          left = true
        }
      })(),
    }))
    const client = await connect({ transport, clock })
    const lines: string[] = []
    const reading = (async () => {
      for await (const line of client.logs('web', { follow: true })) {
        lines.push(line)
        if (line === 'two') break
      }
    })()
    await clock.advance('3d')
    await reading
    expect(lines).toEqual(['one', 'two'])
    expect(left).toBe(true)
  })

  it('that is not followed ends with an error when the server falls silent', async () => {
    const clock = new VirtualClock()
    const transport = memoryTransport(() => ({
      body: (async function* () {
        yield bytes('one\n')
        await new Promise(() => {})
      })(),
    }))
    const client = await connect({ transport, clock })
    const reading = (async () => {
      for await (const _ of client.logs('web'));
    })().catch((error) => explain(error))
    await clock.advance('61s')
    expect(await reading).toContain('was silent')
  })
})
