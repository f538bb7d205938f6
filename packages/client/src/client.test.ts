import { getEventListeners } from 'node:events'
import { readFile } from 'node:fs/promises'
import { explain, resource, silentLogger, VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { memoryTransport, type Reply, refusal, type Seen } from '../test/memory-transport.ts'
import type { ConnectOptions } from './client.ts'
import { connect, VERSION } from './connect.ts'

const Kex = resource({ group: 'kopf.dev', version: 'v1', kind: 'KopfExample' })
const Node = resource({ group: '', version: 'v1', kind: 'Node', scope: 'Cluster' })
const ROOT = '/apis/kopf.dev/v1/namespaces/default/kopfexamples'

const stored = (name: string, more: object = {}) => ({
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  metadata: { name, namespace: 'default', uid: 'u1', resourceVersion: '5' },
  spec: {},
  ...more,
})

async function against(answer: (request: Seen) => Reply | Promise<Reply>, options: ConnectOptions = {}) {
  const clock = new VirtualClock()
  const transport = memoryTransport(answer)
  const client = await connect({ transport, clock, random: () => 0, ...options })
  return { client, clock, transport, last: () => transport.seen.at(-1) as Seen }
}

const echo = () => against(() => ({ body: stored('a') }))

describe('the verbs', () => {
  it('get reads one object, of the client namespace unless another is named', async () => {
    const { client, last } = await echo()
    expect(await client.get(Kex, 'a')).toEqual(stored('a'))
    expect([last().method, last().path]).toEqual(['GET', `${ROOT}/a`])
    await client.get(Kex, 'shop/a', { subresource: 'status', resourceVersion: '0' })
    expect(last().path).toBe('/apis/kopf.dev/v1/namespaces/shop/kopfexamples/a/status?resourceVersion=0')
    await client.get(Node, 'n')
    expect(last().path).toBe('/api/v1/nodes/n')
  })

  it('find gives undefined for what does not exist, but not for a resource that is not served', async () => {
    const { client } = await against(({ path }) =>
      path.endsWith('/a')
        ? refusal(404, 'NotFound', 'not found', { name: 'a' })
        : { status: 404, body: '404 page not found' },
    )
    expect(await client.find(Kex, 'a')).toBeUndefined()
    await expect(client.get(Kex, 'a')).rejects.toMatchObject({ name: 'NotFoundError' })
    expect(explain(await client.find(Kex, 'b').catch((error: unknown) => error))).toContain(
      'install its CustomResourceDefinition',
    )
  })

  it('create posts to the collection, with apiVersion and kind filled in', async () => {
    const { client, last } = await echo()
    await client.create(
      Kex,
      { metadata: { name: 'a', namespace: 'shop' }, spec: { x: 1 } },
      { fieldValidation: 'Strict', dryRun: true },
    )
    expect(last()).toMatchObject({
      method: 'POST',
      path: '/apis/kopf.dev/v1/namespaces/shop/kopfexamples?fieldManager=binnacle&fieldValidation=Strict&dryRun=All',
      json: {
        apiVersion: 'kopf.dev/v1',
        kind: 'KopfExample',
        metadata: { name: 'a', namespace: 'shop' },
        spec: { x: 1 },
      },
    })
    expect(last().headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': `binnacle/${VERSION}` })
  })

  it('apply is a server-side apply that takes fields over unless told otherwise', async () => {
    const { client, last } = await echo()
    await client.apply(Kex, { metadata: { name: 'a' }, spec: {} })
    expect([last().method, last().path, last().headers['content-type']]).toEqual([
      'PATCH',
      `${ROOT}/a?fieldManager=binnacle&force=true`,
      'application/apply-patch+yaml',
    ])
    await client.apply(
      Kex,
      { metadata: { name: 'a' }, spec: {} },
      { force: false, fieldManager: 'me', subresource: 'status' },
    )
    expect(last().path).toBe(`${ROOT}/a/status?fieldManager=me&force=false`)
    await expect(client.apply(Kex, { metadata: { generateName: 'a-' }, spec: {} })).rejects.toThrow(
      /without metadata.name/,
    )
  })

  it('replace puts the object, also its status', async () => {
    const { client, last } = await echo()
    await client.replace(Kex, stored('a') as never, { subresource: 'status' })
    expect([last().method, last().path]).toEqual(['PUT', `${ROOT}/a/status?fieldManager=binnacle`])
  })

  it('patch is a merge patch if given an object, and a JSON patch if given a list', async () => {
    const { client, last } = await echo()
    await client.patch(Kex, 'a', { spec: { x: null } }, { subresource: 'status' })
    expect(last().path).toBe(`${ROOT}/a/status?fieldManager=binnacle`)
    expect(last().headers['content-type']).toBe('application/merge-patch+json')
    expect(last().json).toEqual({ spec: { x: null } })
    await client.patch(Kex, 'a', [{ op: 'remove', path: '/spec/x' }])
    expect(last().headers['content-type']).toBe('application/json-patch+json')
  })

  it('edit starts over on conflict with what the object is by then', async () => {
    let version = 1
    const { client, clock, transport } = await against(({ method }) => {
      if (method === 'GET') return { body: stored('a', { spec: { version } }) }
      return version++ < 3 ? refusal(409, 'Conflict', 'modified') : { body: stored('a', { spec: { version: 'done' } }) }
    })
    const edited = client.edit(Kex, 'a', (draft) => {
      draft.spec.seen = draft.spec.version
    })
    await clock.advance('10s')
    expect((await edited).spec).toEqual({ version: 'done' })
    const puts = transport.seen
      .filter(({ method }) => method === 'PUT')
      .map(({ json }) => (json as { spec: object }).spec)
    expect(puts).toEqual([
      { version: 1, seen: 1 },
      { version: 2, seen: 2 },
      { version: 3, seen: 3 },
    ])
  })

  it('edit writes nothing when nothing was changed', async () => {
    const { client, transport } = await echo()
    await client.edit(Kex, 'a', () => {})
    expect(transport.seen).toHaveLength(1)
  })

  it('delete says whether there was something to delete, and guards by uid when given the object', async () => {
    const { client, last } = await echo()
    expect(await client.delete(Kex, 'a', { propagation: 'Foreground', gracePeriod: '1.5s' })).toBe(true)
    expect(last()).toMatchObject({ method: 'DELETE', path: `${ROOT}/a` })
    expect(last().json).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 2,
    })
    await client.delete(Kex, stored('a'))
    expect(last().json).toEqual({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'u1' } })
    const absent = await against(() => refusal(404, 'NotFound', 'not found', { name: 'a' }))
    expect(await absent.client.delete(Kex, 'a')).toBe(false)
  })

  it('deleteAll deletes what the selectors match', async () => {
    const { client, last } = await echo()
    await client.deleteAll(Kex, { labels: { app: 'x' } })
    expect([last().method, last().path]).toEqual(['DELETE', `${ROOT}?labelSelector=app%3Dx`])
  })

  it('request reaches anything else', async () => {
    const { client, last } = await against(({ path }) =>
      path === '/livez' ? { body: 'ok', headers: { 'content-type': 'text/plain' } } : { body: { major: '1' } },
    )
    expect(await client.request('GET', '/version', { query: { timeout: '1s' } })).toEqual({ major: '1' })
    expect(last().path).toBe('/version?timeout=1s')
    expect(await client.request('GET', '/livez')).toBe('ok')
    await expect(client.request('GET', 'version')).rejects.toThrow(/is not a path/)
    await expect(client.request('GET', '/a\r\nHost: evil')).rejects.toThrow(/is not a path/)
  })

  it('list and watch are of the namespace given, else of the client; * is all', async () => {
    const { client, last } = await against(() => ({ body: { items: [] } }))
    await client.list(Kex)
    expect(last().path).toBe(ROOT)
    await client.list(Kex, { namespace: '*' })
    expect(last().path).toBe('/apis/kopf.dev/v1/kopfexamples')
    const everywhere = client.with({ namespace: '*' })
    await everywhere.list(Kex)
    expect(last().path).toBe('/apis/kopf.dev/v1/kopfexamples')
    await expect(everywhere.get(Kex, 'a')).rejects.toThrow(/In which namespace/)
  })

  it('refuse an answer that is not JSON', async () => {
    const { client } = await against(() => ({ body: '<html>login</html>' }))
    await expect(client.get(Kex, 'a')).rejects.toMatchObject({
      name: 'NetworkError',
      message: expect.stringContaining('is not JSON'),
    })
    await expect(client.request('GET', '/version')).rejects.toMatchObject({
      name: 'NetworkError',
      message: expect.stringContaining('The answer to GET /version is not JSON'),
    })
  })

  it('create of a subresource needs the name of its object: without one it would reach the collection', async () => {
    const { client, last } = await echo()
    await client.create(Kex, { metadata: { name: 'a' }, spec: {} }, { subresource: 'token' })
    expect(last()).toMatchObject({ method: 'POST', path: `${ROOT}/a/token?fieldManager=binnacle` })
    const sent = last()
    await expect(
      client.create(Kex, { metadata: { generateName: 'a-' }, spec: {} }, { subresource: 'token' }),
    ).rejects.toThrow(/without metadata.name/)
    expect(last()).toBe(sent)
  })
})

describe('a narrowed client', () => {
  it('has other defaults on the same connection', async () => {
    const { client, last } = await echo()
    const narrow = client.with({ namespace: 'shop', fieldManager: 'me', dryRun: true })
    await narrow.patch(Kex, 'a', { spec: {} })
    expect(last().path).toBe('/apis/kopf.dev/v1/namespaces/shop/kopfexamples/a?fieldManager=me&dryRun=All')
    await narrow.delete(Kex, 'a')
    expect(last().json).toMatchObject({ dryRun: ['All'] })
    expect(client.namespace).toBe('default')
  })

  it('ends with its signal, and the other goes on', async () => {
    const { client } = await echo()
    const controller = new AbortController()
    const narrow = client.with({ signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(narrow.get(Kex, 'a')).rejects.toThrow('enough')
    expect(await client.get(Kex, 'a')).toBeDefined()
  })
})

describe('a request', () => {
  it('is repeated until it succeeds, with the waits of the server', async () => {
    let count = 0
    const { client, clock, transport } = await against(() => {
      count++
      if (count === 1) return { ...refusal(429, 'TooManyRequests', 'busy'), headers: { 'retry-after': '7' } }
      return count === 2 ? refusal(503, 'ServiceUnavailable', 'down') : { body: stored('a') }
    })
    const got = client.get(Kex, 'a')
    await clock.advance('6.9s')
    expect(transport.seen).toHaveLength(1)
    await clock.advance('0.2s')
    expect(transport.seen).toHaveLength(2)
    await clock.advance('1s')
    expect(await got).toBeDefined()
    expect(clock.sleeping).toBe(0)
  })

  it('that waits for a server that is not there says so once, and once when it is there again', async () => {
    let isThere = false
    const lines: string[] = []
    const note = (level: string) => (message: string) => void lines.push(`${level}: ${message.split(';')[0]}`)
    const logger = { ...silentLogger, warn: note('warn'), info: note('info') }
    const { client, clock } = await against(
      () => {
        if (!isThere) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
        return { body: stored('a') }
      },
      { logger },
    )
    const narrow = client.with({ namespace: 'shop', signal: new AbortController().signal })
    const waiting = Promise.all([client.get(Kex, 'a'), client.get(Kex, 'b'), narrow.create(Kex, stored('c') as never)])
    await clock.advance('1s')
    expect(lines).toEqual(['warn: No answer from the API server: the connection was refused'])
    isThere = true
    await clock.advance('10s')
    await waiting
    expect(lines.slice(1)).toEqual(['info: The API server answers again'])
  })

  it('does not follow a redirection', async () => {
    const { client, transport } = await against(() => ({
      status: 302,
      headers: { location: 'http://evil/' },
      body: 'Found',
    }))
    await expect(client.get(Kex, 'a')).rejects.toMatchObject({ code: 302 })
    expect(transport.seen).toHaveLength(1)
  })

  it('is not repeated for a write that may have happened', async () => {
    const { client, transport } = await against(() => {
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    })
    await expect(client.create(Kex, { metadata: { name: 'a' }, spec: {} })).rejects.toMatchObject({
      mayHaveCommitted: true,
    })
    expect(transport.seen).toHaveLength(1)
  })

  it('ends at its deadline, whatever the transport does', async () => {
    const { client, clock, transport } = await against(() => new Promise(() => {}))
    const outcome = expect(client.patch(Kex, 'a', {}, { timeout: '5s' })).rejects.toMatchObject({
      name: 'NetworkError',
      message: 'No answer within 5 s: patch kopfexamples.kopf.dev "a" in namespace "default"',
      mayHaveCommitted: true,
    })
    await clock.advance('6s')
    await outcome
    expect(transport.seen[0]?.signal.aborted).toBe(true)
    expect(clock.sleeping).toBe(0)
  })

  it('that is answered in time leaves nothing behind, neither with the clock nor with the signal it was given', async () => {
    const { client, clock, transport } = await against(() => ({ body: stored('a') }))
    const { signal } = new AbortController()
    await client.get(Kex, 'a', { timeout: '5s', signal })
    expect(clock.sleeping).toBe(0)
    expect(getEventListeners(signal, 'abort')).toEqual([])
    await clock.advance('6s')
    expect(transport.seen[0]?.signal.aborted).toBe(false)
  })

  it('tells who listens about each attempt', async () => {
    const told: object[] = []
    const { client, clock } = await against(
      ({ path }) => (path === '/a' ? { body: {} } : refusal(500, 'InternalError', 'x')),
      {
        onRequest: (request) => told.push(request),
        errorBackoffs: ['1s'],
      },
    )
    await client.request('GET', '/a')
    const failing = expect(client.request('GET', '/b')).rejects.toThrow()
    await clock.advance('2s')
    await failing
    expect(told).toEqual([
      { method: 'GET', path: '/a', status: 200, seconds: 0 },
      { method: 'GET', path: '/b', status: 500, seconds: 0 },
      { method: 'GET', path: '/b', status: 500, seconds: 0 },
    ])
  })
})

describe("a transport of one's own", () => {
  it('acts as somebody else too, or says that it cannot; it never acts as itself instead', async () => {
    const impersonate = { user: 'jane', groups: ['dev'], extra: { 'example.com/team': ['a'] } }
    const { client, last } = await against(() => ({ body: stored('a') }), { impersonate })
    await client.get(Kex, 'a')
    expect(last().headers).toMatchObject({
      'impersonate-user': 'jane',
      'impersonate-group': 'dev',
      'impersonate-extra-example.com%2fteam': 'a',
    })
    const several = { user: 'jane', groups: ['dev', 'ops'] }
    await expect(against(() => ({ body: stored('a') }), { impersonate: several })).rejects.toThrow(
      /cannot send impersonate-group more than once/,
    )
  })
})

describe('disposal', () => {
  it('ends what is still open and refuses what comes later, and leaves a transport to whoever made it', async () => {
    const { client, clock, transport } = await against(() => new Promise(() => {}))
    const open = expect(client.get(Kex, 'a')).rejects.toThrow('The client is closed')
    const stream = expect(client.watch(Kex)[Symbol.asyncIterator]().next()).rejects.toThrow('The client is closed')
    await clock.advance('1s')
    await client.with({ namespace: 'x' })[Symbol.asyncDispose]()
    expect(transport.seen[0]?.signal.aborted).toBe(false)
    await client[Symbol.asyncDispose]()
    await open
    await stream
    await expect(client.get(Kex, 'a')).rejects.toThrow('The client is closed')
    expect(transport.disposed).toBe(false)
    expect(clock.sleeping).toBe(0)
  })
})

describe('the version', () => {
  it('is that of the package', async () => {
    const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
    expect(VERSION).toBe(version)
  })
})
