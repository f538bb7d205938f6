import { type KubeObject, LoginError, type WatchEvent } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import {
  bookmark,
  broken,
  FakeServer,
  forbidden,
  gone,
  type Thing,
  throttled,
  tooLarge,
} from '../../test/fake-server.ts'
import { sizes, reflecting as start } from '../../test/reflecting.ts'
import { settle, virtualSurroundings } from '../../test/surroundings.ts'
import { metaNamespaceKeyFunc } from '../keys.ts'
import { ListWatch } from '../lister-watcher.ts'
import { Indexer } from '../store/indexer.ts'
import { Reflector } from './reflector.ts'
import { VeryShortWatchError } from './watch-error.ts'

describe('a reflector', () => {
  it('RE10, RE12, RE23: lists, watches from there, and follows what happens', async () => {
    const server = new FakeServer()
    server.put('a', 1)
    const { store, reflector, end } = start(server)
    await settle()
    server.put('a', 2)
    server.put('b', 3)
    server.delete('a')
    await settle()
    expect(sizes(store)).toEqual({ b: 3 })
    expect(reflector.lastSyncResourceVersion).toBe(server.version)
    expect(reflector.state).toBe('watching')
    expect(server.requests).toEqual(['list 0', 'watch 11'])
    expect(server.asked[0]).toMatchObject({ limit: 500 })
    expect(server.asked[1]).toMatchObject({ bookmarks: true })
    await end()
    expect(reflector.state).toBe('stopped')
  })

  it('RE2, RE4, RE5: asks nothing when it was stopped before, and leaves no watch when it is stopped', async () => {
    const server = new FakeServer()
    const stop = new AbortController()
    stop.abort()
    await new Reflector(server, new Indexer<Thing>(metaNamespaceKeyFunc)).run(stop.signal)
    expect(server.requests).toEqual([])
    const { end } = start(server)
    await settle()
    expect(server.openWatches).toBe(1)
    await end()
  })

  it('opens a watch that ended cleanly again where it was', async () => {
    const { server, store, end, errors } = start(new FakeServer())
    await settle()
    server.put('a', 1)
    await settle()
    server.closeAll()
    server.put('b', 2)
    await settle()
    expect(server.requests).toEqual(['list 0', 'watch 10', 'watch 11'])
    expect(sizes(store)).toEqual({ a: 1, b: 2 })
    expect(errors).toEqual([])
    await end()
  })

  it('RE1, RE24: lists again when the server has forgotten its version, not older than that, and then whatever there is', async () => {
    const { server, store, end } = start(new FakeServer())
    await settle()
    server.put('a', 1)
    await settle()
    server.closeAll()
    server.put('b', 2)
    server.forgetHistory()
    server.failNextList(gone())
    await settle()
    expect(server.requests).toEqual(['list 0', 'watch 10', 'watch 11', 'list 11', 'list ', 'watch 12'])
    expect(sizes(store)).toEqual({ a: 1, b: 2 })
    await end()
  })

  it('RE26: asks for whatever is most recent when its version is too large', async () => {
    const server = new FakeServer()
    server.failNextList(tooLarge())
    const { end } = start(server)
    await settle()
    expect(server.requests).toEqual(['list 0', 'list ', 'watch 10'])
    await end()
  })

  it('takes a CRD update as an ordinary relist: clean end, 410, then 429 for a moment', async () => {
    const server = new FakeServer()
    server.put('a', 1)
    const { store, clock, end } = start(server)
    await settle()
    server.put('b', 1)
    await settle()
    server.closeAll()
    server.put('c', 1)
    server.forgetHistory()
    server.failNextList(throttled(1))
    await settle()
    expect(clock.untilNext).toBe(1)
    await clock.advance('1s')
    expect(sizes(store)).toEqual({ a: 1, b: 1, c: 1 })
    expect(server.requests.slice(-3)).toEqual(['list 12', 'list 12', 'watch 13'])
    await end()
  })

  it('RE16, RE17: waits and watches again, without a list, when a watch is throttled', async () => {
    const { server, clock, end } = start(new FakeServer())
    server.failNextWatch(throttled(), throttled(), throttled())
    await settle()
    await clock.advance('10s')
    expect(server.requests).toEqual(['list 0', 'watch 10', 'watch 10', 'watch 10', 'watch 10'])
    server.send({ type: 'ERROR', object: throttled() })
    await clock.advance('10s')
    expect(server.requests.filter((request) => request.startsWith('list'))).toHaveLength(1)
    expect(server.openWatches).toBe(1)
    await end()
  })

  it('RE14: waits exponentially longer while nobody answers, up to a limit', async () => {
    const server = new FakeServer()
    server.failNextList(...Array.from({ length: 9 }, () => 'refuse-connection' as const))
    const { clock, reflector, end } = start(server)
    await settle()
    const waits: (number | undefined)[] = []
    while (reflector.state === 'waiting') {
      waits.push(Math.round((clock.untilNext ?? 0) * 10) / 10)
      await clock.advanceToNext()
    }
    expect(waits).toEqual([0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30, 30])
    await end()
  })

  it('RE15: waits as it was told to', async () => {
    const server = new FakeServer()
    server.failNextList(broken(), broken())
    const { clock, end } = start(server, { backoff: { initial: '10s', factor: 3, max: '1m', jitter: 0 } })
    await clock.advance('9s')
    expect(server.requests).toHaveLength(1)
    await clock.advance('1s')
    expect(server.requests).toHaveLength(2)
    expect(clock.untilNext).toBe(30)
    await end()
  })

  it('does not hammer a server that forbids it, and says so', async () => {
    const server = new FakeServer()
    server.failNextList(...Array.from({ length: 100 }, forbidden))
    const { clock, reflector, errors, end } = start(server)
    await clock.advance('10m')
    expect(reflector.state).toBe('failed')
    expect(reflector.lastError).toMatchObject({ name: 'ForbiddenError' })
    expect(server.requests.length).toBeLessThan(30)
    expect(errors).toHaveLength(server.requests.length)
    await end()
  })

  it('is well again as soon as the server is', async () => {
    const server = new FakeServer()
    server.failNextList(forbidden())
    const { clock, reflector, end } = start(server)
    await clock.advance('5s')
    expect([reflector.state, reflector.lastError]).toEqual(['watching', undefined])
    await clock.advance('5s')
    expect(reflector.staleness).toBeGreaterThanOrEqual(5)
    server.bookmark()
    await settle()
    expect(reflector.staleness).toBe(0)
    await end()
  })

  it('RE8, RE9: falls back to lists, with waits, when watches end at once', async () => {
    const server = new FakeServer()
    server.closesWatches = true
    const { clock, store, errors, end } = start(server)
    await settle()
    server.put('a', 1)
    await clock.advance('2m')
    expect(sizes(store)).toEqual({ a: 1 })
    expect(errors[0]).toBeInstanceOf(VeryShortWatchError)
    expect(server.requests.length).toBeLessThan(24)
    await end()
  })

  it('does not spin where every watch brings a line and ends at once', async () => {
    const server = new FakeServer()
    server.closesWatches = 'after a bookmark'
    const { clock, store, end } = start(server)
    await settle()
    server.put('a', 1)
    await clock.advance('2m')
    expect(sizes(store)).toEqual({ a: 1 })
    expect(server.requests.filter((request) => request.startsWith('list'))).toHaveLength(1)
    expect(server.requests.length).toBeLessThan(14)
    server.closesWatches = false
    await clock.advance('1m')
    server.put('b', 1)
    await settle()
    expect(sizes(store)).toEqual({ a: 1, b: 1 })
    await end()
  })

  it('is cut off no longer than it listens where every watch is cut after some seconds, and not at all while something comes', async () => {
    const server = new FakeServer()
    const { clock, end } = start(server)
    await settle()
    for (let i = 0; i < 30; i++) {
      await clock.advance('2s')
      server.cutAll()
      await settle()
      let waited = 0
      for (; server.openWatches === 0; waited += 0.1) await clock.advance('100ms')
      expect(waited).toBeLessThan(2.2)
    }
    for (let i = 0; i < 30; i++) {
      await clock.advance('2s')
      expect(server.openWatches).toBe(1)
      server.put('a', i)
      await settle()
      server.cutAll()
      await settle()
    }
    await end()
  })

  it('RE32: lists anew when the server sends an error, so that what it cannot read goes', async () => {
    const { server, store, clock, end } = start(new FakeServer())
    await settle()
    server.put('corrupt', 1)
    server.put('fine', 1)
    await settle()
    server.objects.delete('default/corrupt')
    server.send({ type: 'ERROR', object: broken() })
    await clock.advance('1s')
    expect(sizes(store)).toEqual({ fine: 1 })
    await end()
  })

  it('RE10: skips what it cannot store, and goes on', async () => {
    const { server, store, lines, end } = start(new FakeServer(), { expectedType: { apiVersion: 'v1', kind: 'Thing' } })
    await settle()
    const nameless = { apiVersion: 'v1', kind: 'Thing', metadata: {} } as unknown as Thing
    const stranger = { ...nameless, kind: 'Stranger', metadata: { name: 's', uid: 'u', resourceVersion: '9' } }
    for (const object of [nameless, stranger]) server.send({ type: 'ADDED', object })
    server.put('a', 1)
    await settle()
    expect(sizes(store)).toEqual({ a: 1 })
    expect(lines).toEqual([
      'error: reflector: skipped an object that has no metadata.name',
      'error: reflector: skipped an object that is v1 Stranger instead of v1 Thing',
    ])
    await end()
  })

  it('notes bookmarks in the store, and watches from them', async () => {
    const { server, store, end } = start(new FakeServer())
    await settle()
    server.send(bookmark('77'))
    await settle()
    expect(store.lastStoreSyncResourceVersion).toBe('77')
    server.closeAll()
    await settle()
    expect(server.requests.at(-1)).toBe('watch 77')
    await end()
  })

  it('RE29: asks for watches of five to ten minutes, and hands on how long silence may last', async () => {
    const { server, end } = start(new FakeServer(), {
      random: () => 0.5,
      minWatchTimeout: '1m',
      inactivityTimeout: '45s',
    })
    await settle()
    expect(server.asked.at(-1)).toMatchObject({ serverTimeout: 450, inactivityTimeout: '45s' })
    await end()
  })

  it('ends with the error when there are no credentials any more', async () => {
    const login = new LoginError({ message: 'no credentials left' })
    const source = new ListWatch<Thing>({
      watchList: false,
      list: () => Promise.reject(login),
      watch: () => new FakeServer().watch({}),
    })
    const reflector = new Reflector(source, new Indexer<Thing>(metaNamespaceKeyFunc), virtualSurroundings())
    await expect(reflector.run(new AbortController().signal)).rejects.toBe(login)
  })

  it('survives a watch error handler that throws', async () => {
    const server = new FakeServer()
    server.failNextList(broken())
    const failing = () => {
      throw new Error('handler')
    }
    const { clock, reflector, end } = start(server, { onWatchError: failing })
    await clock.advance('1s')
    expect(reflector.state).toBe('watching')
    await end()
  })

  it('listAndWatch ends when there has to be another list', async () => {
    const server = new FakeServer()
    const reflector = new Reflector(server, new Indexer<Thing>(metaNamespaceKeyFunc), virtualSurroundings())
    const once = reflector.listAndWatch(new AbortController().signal)
    await settle()
    server.send({ type: 'ERROR', object: gone() })
    await once
    expect(server.requests).toEqual(['list 0', 'watch 10'])
    expect(server.openWatches).toBe(0)
  })
})

describe('resyncs', () => {
  it('RE3, RE19: come at their period, and lead to a new list when the store fails at one', async () => {
    const server = new FakeServer()
    let resyncs = 0
    const store = {
      ...{ add() {}, update() {}, delete() {}, replace() {} },
      resync() {
        if (++resyncs === 2) throw new Error('second')
      },
    }
    const surroundings = virtualSurroundings()
    const errors: unknown[] = []
    const reflector = new Reflector<Thing>(server, store, {
      ...surroundings,
      resync: '10s',
      onWatchError: (e) => errors.push(e),
    })
    const stop = new AbortController()
    const run = reflector.run(stop.signal)
    await surroundings.clock.advance('10s')
    expect(resyncs).toBe(1)
    await surroundings.clock.advance('12s')
    expect(resyncs).toBe(2)
    expect(server.requests).toEqual(['list 0', 'watch 10', 'list 10', 'watch 10'])
    expect(errors).toEqual([])
    stop.abort()
    await run
    expect(surroundings.clock.sleeping).toBe(0)
  })
})

it('a ListWatch asks a client for one resource in one scope', async () => {
  const asked: unknown[] = []
  const list = { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '1' }, items: [] }
  const client = {
    async list(resource: unknown, options: unknown) {
      asked.push(['list', resource, options])
      return list
    },
    async *watch(resource: unknown, options: unknown): AsyncGenerator<WatchEvent<KubeObject>> {
      asked.push(['watch', resource, options])
      yield bookmark('1')
    },
  }
  const modify = (options: object) => ({ ...options, timeout: 5 })
  // biome-ignore lint/suspicious/noExplicitAny: a client that answers with one type only
  const pods = new ListWatch(client as any, 'pods', { namespace: 'shop', labels: { app: 'web' }, modify })
  await pods.list({ limit: 5 })
  for await (const _ of pods.watch({ bookmarks: true })) break
  expect(asked).toEqual([
    ['list', 'pods', { namespace: 'shop', labels: { app: 'web' }, limit: 5, timeout: 5 }],
    ['watch', 'pods', { namespace: 'shop', labels: { app: 'web' }, bookmarks: true, timeout: 5 }],
  ])
})
