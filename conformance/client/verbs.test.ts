import {
  AlreadyExistsError,
  BadRequestError,
  BinnacleError,
  ConflictError,
  explain,
  InvalidError,
  NotFoundError,
  resource,
  toCRD,
  typed,
} from '@binnacle/client'
import { beforeAll, describe, expect, it } from 'vitest'
import { server } from './server.ts'

/** Every verb, on whichever server: what is true of one is true of the other. */

const s = server()

const Gauge = resource({
  group: 'verbs.example.com',
  version: 'v1',
  kind: 'Gauge',
  shortNames: ['gg'],
  categories: ['instruments'],
  schema: { spec: typed<{ level?: number; tags?: readonly string[] }>(), status: typed<{ seen?: number }>() },
})

beforeAll(async () => {
  const definitions = 'customresourcedefinitions.apiextensions.k8s.io'
  const definition = toCRD(Gauge)
  if (!(await s.client.find(definitions, 'gauges.verbs.example.com'))) {
    await s.client.create(definitions, definition as never).catch((error) => {
      if (!(error instanceof AlreadyExistsError)) throw error
    })
  }
  for (let attempt = 0; ; attempt++) {
    await s.client.discovery.refresh()
    if (await s.client.discovery.resolve(Gauge)) break
    if (attempt > 200) throw new Error('The definition is never served')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}, 30_000)

const settings = (name: string, data: { [key: string]: string } = {}) => ({ metadata: { name }, data })

describe('get and find', () => {
  it('give the object, with apiVersion and kind and without managedFields', async () => {
    await s.client.create('configmaps', settings('read', { k: 'Grüße ⚓' }))
    const read = await s.client.get('configmaps', 'read')
    expect(read).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { k: 'Grüße ⚓' } })
    expect(read.metadata).not.toHaveProperty('managedFields')
    expect(await s.client.find('configmaps', { name: 'read', namespace: s.namespace })).toEqual(read)
    expect(await s.client.get('configmaps', `${s.namespace}/read`)).toEqual(read)
    expect(await s.client.get('configmaps', read)).toEqual(read)
  })

  it('tell what does not exist', async () => {
    const error = await s.client.get('configmaps', 'nothing').catch((thrown) => thrown)
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error.message).toBe(
      `Cannot get configmaps "nothing" in namespace "${s.namespace}": configmaps "nothing" not found (404 NotFound)`,
    )
    expect(await s.client.find('configmaps', 'nothing')).toBeUndefined()
  })

  it('tell a kind that is not served from an object that does not exist', async () => {
    await expect(s.client.find('nonesuches', 'a')).rejects.toThrow(/does not serve "nonesuches"/)
    const Ghost = resource({ group: 'ghost.example.com', version: 'v1', kind: 'Ghost' })
    const error = await s.client.find(Ghost, 'a').catch((thrown) => thrown)
    expect(error).toBeInstanceOf(NotFoundError)
    expect(explain(error)).toContain('install its CustomResourceDefinition')
  })

  it('give metadata alone', async () => {
    await s.client.create('configmaps', {
      ...settings('meta', { k: 'v' }),
      metadata: { name: 'meta', labels: { app: 'x' } },
    })
    const read = await s.client.get('configmaps', 'meta', { metadataOnly: true })
    expect(Object.keys(read).sort()).toEqual(['apiVersion', 'kind', 'metadata'])
    expect(read).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'meta', labels: { app: 'x' } },
    })
  })

  it('keep managedFields if that is asked for', async () => {
    const client = await s.another({ managedFields: 'keep', fieldManager: 'keeper' })
    await client.create('configmaps', settings('managed', { k: 'v' }))
    const { metadata } = (await client.get('configmaps', 'managed')) as {
      metadata: { managedFields?: { manager: string }[] }
    }
    if (metadata.managedFields) expect(metadata.managedFields.map(({ manager }) => manager)).toContain('keeper')
    else expect(s.isReal).toBe(false)
  })
})

describe('create', () => {
  it('refuses a name that is taken, and a body that is not valid', async () => {
    await s.client.create('configmaps', settings('taken'))
    await expect(s.client.create('configmaps', settings('taken'))).rejects.toBeInstanceOf(AlreadyExistsError)
    await expect(s.client.create('configmaps', settings('Not A Name'))).rejects.toBeInstanceOf(InvalidError)
  })

  it('lets the server choose a name', async () => {
    const { metadata } = await s.client.create('configmaps', { metadata: { generateName: 'some-' }, data: {} })
    expect(metadata.name).toMatch(/^some-.{5}$/)
  })

  it('stores nothing in a dry run', async () => {
    const client = s.client.with({ dryRun: true })
    expect((await client.create('configmaps', settings('dry'))).metadata.uid).toBeTruthy()
    expect(await s.client.find('configmaps', 'dry')).toBeUndefined()
  })

  it('refuses fields that the server does not know if it shall be strict', async () => {
    const wrong = { ...settings('strict'), dataa: {} } as never
    await expect(s.client.create('configmaps', wrong, { fieldValidation: 'Strict' })).rejects.toBeInstanceOf(
      BadRequestError,
    )
  })
})

describe('list, pages and items', () => {
  // Its own, since an earlier run may have left its objects in another namespace.
  const labels = { set: s.namespace }

  beforeAll(async () => {
    for (let i = 0; i < 7; i++) {
      await s.client.create('configmaps', {
        metadata: { name: `page-${i}`, labels: { ...labels, odd: String(i % 2) } },
        data: {},
      })
    }
  })

  it('give the same objects, in pages or not', async () => {
    const whole = await s.client.list('configmaps', { labels })
    expect(whole).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMapList' })
    expect(whole.items.map(({ metadata }) => metadata.name)).toEqual([0, 1, 2, 3, 4, 5, 6].map((i) => `page-${i}`))
    expect(whole.items.every(({ kind, apiVersion }) => kind === 'ConfigMap' && apiVersion === 'v1')).toBe(true)
    expect((await s.client.list('configmaps', { labels, limit: 3 })).items).toEqual(whole.items)
    const sizes: number[] = []
    for await (const page of s.client.pages('configmaps', { labels, limit: 3 })) sizes.push(page.items.length)
    expect(sizes).toEqual([3, 3, 1])
    const items: unknown[] = []
    for await (const item of s.client.items('configmaps', { labels, limit: 2 })) items.push(item)
    expect(items).toEqual(whole.items)
  })

  it('select by labels and by fields, given as parts or as text', async () => {
    const names = async (options: object) =>
      (await s.client.list('configmaps', options)).items.map(({ metadata }) => metadata.name)
    expect(await names({ labels: { ...labels, odd: '1' } })).toEqual(['page-1', 'page-3', 'page-5'])
    expect(await names({ labels: `set in (${s.namespace}, other), odd notin (1)` })).toEqual([
      'page-0',
      'page-2',
      'page-4',
      'page-6',
    ])
    expect(await names({ fields: { 'metadata.name': 'page-2' } })).toEqual(['page-2'])
    expect(await names({ fields: 'metadata.name!=page-2', labels })).toHaveLength(6)
  })

  it('go over all namespaces', async () => {
    const { items } = await s.client.list('configmaps', { namespace: '*', labels })
    expect(items).toHaveLength(7)
  })

  it('give metadata alone', async () => {
    const { items } = await s.client.list('configmaps', { labels, metadataOnly: true })
    expect(items.map((item) => Object.keys(item))).toEqual(items.map(() => ['apiVersion', 'kind', 'metadata']))
    expect(items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' })
  })
})

describe('watch', () => {
  it('tells what happens, in its order, with bookmarks when asked for', async () => {
    const labels = { set: 'watch' }
    const { metadata } = await s.client.list('configmaps', { labels })
    const stop = new AbortController()
    const seen: string[] = []
    const watching = (async () => {
      const options = { labels, resourceVersion: metadata.resourceVersion, bookmarks: true, signal: stop.signal }
      for await (const { type, object } of s.client.watch('configmaps', options)) {
        if (type !== 'BOOKMARK' && type !== 'ERROR') seen.push(`${type} ${object.kind} ${object.data?.['k']}`)
        if (type === 'DELETED') stop.abort(new Error('enough'))
      }
    })().catch((error) => error.message)
    await s.client.create('configmaps', { metadata: { name: 'watched', labels }, data: { k: '1' } })
    await s.client.patch('configmaps', 'watched', { data: { k: '2' } })
    await s.client.delete('configmaps', 'watched')
    expect(await watching).toBe('enough')
    expect(seen).toEqual(['ADDED ConfigMap 1', 'MODIFIED ConfigMap 2', 'DELETED ConfigMap 2'])
  })

  it('is told when the server has forgotten the version to begin at', async () => {
    const seen: unknown[] = []
    await s.client.list(Gauge) // Which waits until the storage of the new kind is ready; a watch would be refused.
    // A kind's history begins with its definition, which is younger than the first version of the server.
    for await (const { type, object } of s.client.watch(Gauge, { resourceVersion: '1' })) {
      seen.push(type === 'ERROR' ? [type, object.code, object.reason] : type)
    }
    expect(seen).toEqual([['ERROR', 410, 'Expired']])
  })

  it('begins with the present state if asked to, and says where that ends', async () => {
    const labels = { set: 'initial' }
    await s.client.create('configmaps', { metadata: { name: 'initial', labels }, data: {} })
    const seen: string[] = []
    for await (const { type, object } of s.client.watch('configmaps', {
      labels,
      sendInitialEvents: true,
      bookmarks: true,
    })) {
      if (type === 'ERROR') throw new Error(object.message)
      seen.push(type)
      if (object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true') break
    }
    expect(seen).toEqual(['ADDED', 'BOOKMARK'])
  })

  it('gives metadata alone', async () => {
    const labels = { set: 'partial' }
    await s.client.create('configmaps', { metadata: { name: 'partial', labels }, data: { k: 'v' } })
    for await (const event of s.client.watch('configmaps', { labels, resourceVersion: '0', metadataOnly: true })) {
      expect(event).toMatchObject({
        type: 'ADDED',
        object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'partial' } },
      })
      expect(event.object).not.toHaveProperty('data')
      break
    }
  })

  it('ends when the server ends it', async () => {
    const { metadata } = await s.client.list(Gauge)
    let events = 0
    for await (const _ of s.client.watch(Gauge, { resourceVersion: metadata.resourceVersion, serverTimeout: '1s' }))
      events++
    expect(events).toBe(0)
  })
})

describe('replace and edit', () => {
  it('guard against lost updates by the version', async () => {
    const first = await s.client.create('configmaps', settings('replaced', { k: '1' }))
    const second = await s.client.replace('configmaps', { ...first, data: { k: '2' } })
    expect(second.data).toEqual({ k: '2' })
    const error = await s.client.replace('configmaps', { ...first, data: { k: '3' } }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ConflictError)
    expect(error.hint).toContain('Read the object again')
  })

  it('edit starts over when somebody else was faster, so that nobody is overwritten', async () => {
    await s.client.create('configmaps', settings('counter', { n: '0' }))
    const increment = () =>
      s.client.edit('configmaps', 'counter', (draft) => {
        draft.data = { n: String(Number(draft.data?.['n']) + 1) }
      })
    await Promise.all([increment(), increment(), increment(), increment()])
    expect((await s.client.get('configmaps', 'counter')).data).toEqual({ n: '4' })
  })
})

describe('patch', () => {
  it('merges', async () => {
    await s.client.create('configmaps', settings('merged', { a: '1', b: '2' }))
    const { data } = await s.client.patch('configmaps', 'merged', { data: { a: null, c: '3' } })
    expect(data).toEqual({ b: '2', c: '3' })
  })

  it('takes a JSON patch, tests included', async () => {
    await s.client.create('configmaps', settings('json', { a: '1' }))
    const { data } = await s.client.patch('configmaps', 'json', [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'add', path: '/data/b', value: '2' },
      { op: 'remove', path: '/data/a' },
    ])
    expect(data).toEqual({ b: '2' })
    const refused = s.client.patch('configmaps', 'json', [{ op: 'test', path: '/data/b', value: 'x' }])
    await expect(refused).rejects.toBeInstanceOf(InvalidError)
  })

  // A4: JSON-pointer escapes in patch paths.
  it('A4: reaches exactly the key that is meant, whatever characters it has', async () => {
    const annotations = { 'example.com/a': '1', 'example.com/a~1b': '2', 'example.com/a~0b': '3' }
    const created = await s.client
      .create(Gauge, { metadata: { name: 'pointer', annotations }, spec: {} })
      .catch(() => undefined)
    // A tilde is no part of a qualified name: such keys exist in free-form maps only.
    if (!created)
      await s.client.create(Gauge, { metadata: { name: 'pointer', annotations: { 'example.com/a': '1' } }, spec: {} })
    const pointer = (key: string) => `/metadata/annotations/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    await s.client.patch(Gauge, 'pointer', [
      { op: 'replace', path: pointer('example.com/a'), value: 'changed' },
      { op: 'add', path: pointer('example.com/b'), value: 'new' },
    ])
    const { metadata, spec } = await s.client.get(Gauge, 'pointer')
    expect(metadata.annotations).toMatchObject({ 'example.com/a': 'changed', 'example.com/b': 'new' })
    expect(spec).toEqual({})
  })

  it('merges lists of built-in kinds by their keys if it is strategic', async () => {
    const container = (name: string, image: string) => ({ name, image })
    await s.client.create('pods', {
      metadata: { name: 'strategic' },
      spec: { containers: [container('a', 'a:1'), container('b', 'b:1')] },
    })
    const patch = { spec: { containers: [{ name: 'b', image: 'b:2' }] } }
    const { spec } = await s.client.patch('pods', 'strategic', patch, { strategy: 'strategic' })
    expect(spec.containers.map(({ image }) => image).sort()).toEqual(['a:1', 'b:2'])
    const refused = s.client.patch(Gauge, 'a', { spec: {} }, { strategy: 'strategic' })
    await expect(refused).rejects.toMatchObject({ code: 415 })
  })
})

describe('apply', () => {
  it('creates, updates, and removes what is not applied any more', async () => {
    await s.client.apply('configmaps', settings('applied', { a: '1', b: '2' }))
    await s.client.patch('configmaps', 'applied', { data: { other: 'x' } }, { fieldManager: 'somebody' })
    const { data } = await s.client.apply('configmaps', settings('applied', { a: '2' }))
    expect(data).toEqual({ a: '2', other: 'x' })
  })

  it('takes fields over from others unless it may not', async () => {
    await s.client.apply('configmaps', settings('owned', { a: '1' }), { fieldManager: 'first' })
    const polite = s.client.apply('configmaps', settings('owned', { a: '2' }), { fieldManager: 'second', force: false })
    await expect(polite).rejects.toBeInstanceOf(ConflictError)
    expect(
      (await s.client.apply('configmaps', settings('owned', { a: '2' }), { fieldManager: 'second' })).data,
    ).toEqual({ a: '2' })
  })

  it('reaches the status by the subresource', async () => {
    await s.client.create(Gauge, { metadata: { name: 'applied' }, spec: { level: 1 } })
    const { spec, status } = await s.client.apply(
      Gauge,
      { metadata: { name: 'applied' }, spec: {}, status: { seen: 1 } },
      { subresource: 'status' },
    )
    expect({ spec, status }).toEqual({ spec: { level: 1 }, status: { seen: 1 } })
  })

  it('of a mixed set brings what others stand on first', async () => {
    const name = `${s.namespace}-set`
    const applied = await s.client.applyAll([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'in-set', namespace: name }, data: { a: '1' } },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    ])
    expect(applied.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Namespace'])
    await s.client.delete('namespaces', name)
  })
})

describe('subresources', () => {
  it('write the status and leave the spec alone, by patch, replace and edit', async () => {
    const subresource = 'status'
    const created = await s.client.create(Gauge, { metadata: { name: 'status' }, spec: { level: 1 } })
    expect(created.status).toBeUndefined()
    const patched = await s.client.patch(Gauge, 'status', { spec: { level: 9 }, status: { seen: 1 } }, { subresource })
    expect(patched).toMatchObject({ spec: { level: 1 }, status: { seen: 1 } })
    const replaced = await s.client.replace(Gauge, { ...patched, status: { seen: 2 } }, { subresource })
    expect(replaced).toMatchObject({ spec: { level: 1 }, status: { seen: 2 } })
    await s.client.edit(Gauge, 'status', (draft) => Object.assign(draft, { status: { seen: 3 } }), { subresource })
    expect((await s.client.get(Gauge, 'status', { subresource })).status).toEqual({ seen: 3 })
  })
})

describe('delete and deleteAll', () => {
  it('tell whether there was anything', async () => {
    await s.client.create('configmaps', settings('gone'))
    expect(await s.client.delete('configmaps', 'gone')).toBe(true)
    expect(await s.client.delete('configmaps', 'gone')).toBe(false)
  })

  it('delete this very object and no other of the same name', async () => {
    const old = await s.client.create('configmaps', settings('twice'))
    await s.client.delete('configmaps', 'twice')
    await s.client.create('configmaps', settings('twice'))
    await expect(s.client.delete('configmaps', old)).rejects.toBeInstanceOf(ConflictError)
    const preconditions = { resourceVersion: old.metadata.resourceVersion }
    await expect(s.client.delete('configmaps', 'twice', { preconditions })).rejects.toBeInstanceOf(ConflictError)
    expect(await s.client.delete('configmaps', await s.client.get('configmaps', 'twice'))).toBe(true)
  })

  it('wait for finalizers, and say nothing of the dependents unless told', async () => {
    await s.client.create(Gauge, { metadata: { name: 'held', finalizers: ['example.com/hold'] }, spec: {} })
    expect(await s.client.delete(Gauge, 'held', { propagation: 'Foreground' })).toBe(true)
    const held = await s.client.get(Gauge, 'held')
    expect(held.metadata.deletionTimestamp).toBeTruthy()
    expect(held.metadata.finalizers).toContain('example.com/hold')
    await s.client.patch(Gauge, 'held', { metadata: { finalizers: null } })
  })

  it('delete all that is selected, in one request', async () => {
    const labels = { set: 'many' }
    for (const name of ['m1', 'm2', 'm3']) await s.client.create('configmaps', { metadata: { name, labels }, data: {} })
    await s.client.deleteAll('configmaps', { labels })
    expect((await s.client.list('configmaps', { labels })).items).toEqual([])
    expect(await s.client.find('configmaps', 'read')).toBeDefined()
  })
})

describe('discovery', () => {
  it.each([
    'gauges',
    'gauge',
    'Gauge',
    'gg',
    'gauges.verbs.example.com',
    'gauges.v1.verbs.example.com',
    'verbs.example.com/v1/gauges',
  ])('knows the resource as %s', async (name) => {
    expect(await s.client.discovery.resolve(name)).toMatchObject({
      group: 'verbs.example.com',
      version: 'v1',
      plural: 'gauges',
      namespaced: true,
    })
  })

  it('knows what a category holds', async () => {
    expect((await s.client.discovery.category('instruments')).map(({ plural }) => plural)).toEqual(['gauges'])
    expect((await s.client.discovery.category('all')).map(({ plural }) => plural)).toContain('pods')
  })

  it('is the same by the older form', async () => {
    const key = (r: { apiVersion: string; plural: string; kind: string }) => `${r.apiVersion} ${r.plural} ${r.kind}`
    const groups = await s.client.request<{ groups: { preferredVersion: { groupVersion: string } }[] }>('GET', '/apis')
    const found = new Set((await s.client.discovery.resources()).map(key))
    // The kinds of other tests come and go between two requests; those of Kubernetes, and of this file, stay.
    const stays = (groupVersion: string) => /^(\w+|.*\.k8s\.io|verbs\.example\.com)\//.test(groupVersion)
    const preferred = groups.groups.map((group) => group.preferredVersion.groupVersion).filter(stays)
    for (const groupVersion of ['v1', ...preferred]) {
      const path = groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`
      const { resources } = await s.client.request<{ resources: { name: string; kind: string }[] }>('GET', path)
      for (const { name, kind } of resources.filter((r) => !r.name.includes('/'))) {
        expect(found).toContain(`${groupVersion} ${name} ${kind}`)
      }
    }
  })
})

describe('request', () => {
  it('reaches anything else', async () => {
    expect(await s.client.request('GET', '/version')).toMatchObject({ major: '1' })
    const path = `/api/v1/namespaces/${s.namespace}/configmaps`
    const list = await s.client.request<{ kind: string; items: unknown[] }>('GET', path, { query: { limit: 1 } })
    expect(list.items).toHaveLength(1)
  })
})

// A5: names and namespaces from dynamic input; A6: selectors from dynamic input.
describe('input from outside', () => {
  it.each(['..', '.', 'a/b', '../secrets/x', 'a%2fb', 'a?x=1', 'a#b', 'a b', 'é', '', '%2e%2e', '..%2f..'])(
    'A5: the name %j reaches no other endpoint',
    async (name) => {
      const reached: string[] = []
      const client = await s.another({ onRequest: ({ path }) => reached.push(path) })
      const outcome = await client.get('configmaps', { name, namespace: s.namespace }).catch((error) => error)
      expect(outcome).toBeInstanceOf(Error)
      if (!(outcome instanceof BinnacleError)) expect(outcome).toBeInstanceOf(NotFoundError)
      const prefix = `/api/v1/namespaces/${s.namespace}/configmaps/`
      const others = reached.filter((path) => !/^\/apis?$/.test(path))
      expect(others.every((path) => path.startsWith(prefix) && !path.slice(prefix.length).includes('/'))).toBe(true)
    },
  )

  it.each(['a,b=c', 'a) or (b', 'x,!y', 'a in (b)', ' ', 'a=b'])(
    'A6: the value %j adds no condition to a selector',
    async (value) => {
      const outcome = await s.client.list('configmaps', { labels: { app: value } }).catch((error) => error)
      expect(outcome).toBeInstanceOf(BinnacleError)
      expect(explain(outcome)).toContain('cannot be a key or a value in a selector')
    },
  )
})

describe('compression', () => {
  it('leaves a large list as it is', async () => {
    const labels = { set: 'large' }
    const data = { text: 'Grüße ⚓ '.repeat(4000) }
    for (const name of ['l1', 'l2', 'l3', 'l4'])
      await s.client.create('configmaps', { metadata: { name, labels }, data })
    const client = await s.another({ compression: 'gzip' })
    // The lists themselves are of different versions: others write to the same server.
    const { items } = await client.list('configmaps', { labels })
    expect(items).toHaveLength(4)
    expect(items).toEqual((await s.client.list('configmaps', { labels })).items)
  })
})
