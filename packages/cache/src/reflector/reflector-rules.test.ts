import { VirtualClock, type WatchEvent, type WatchOptions } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { collected } from '../../test/collected.ts'
import {
  bookmark,
  broken,
  endOfInitialEvents,
  FakeServer,
  forbidden,
  gone,
  type Thing,
  throttled,
} from '../../test/fake-server.ts'
import { recordedMetrics } from '../../test/recorded-metrics.ts'
import { reflecting as start } from '../../test/reflecting.ts'
import { settle } from '../../test/surroundings.ts'
import { RetryWindow } from './retry-window.ts'

const names = (store: Iterable<Thing>) => Array.from(store, ({ metadata }) => metadata.name).sort()

/** Counts how often each watch is left, and stops while one is handled. */
class CountingServer extends FakeServer {
  left = 0
  onEvent: () => void = () => {}

  override async *watch(options: WatchOptions): AsyncGenerator<WatchEvent<Thing>> {
    try {
      for await (const event of super.watch(options)) {
        this.onEvent()
        yield event
      }
    } finally {
      this.left++
    }
  }
}

describe('a reflector that is stopped', () => {
  it('RE6, RE7, RE11: closes its watch once, whether before the first event or while one is handled, and reports no error', async () => {
    for (const when of ['before', 'during'] as const) {
      const server = new CountingServer()
      server.put('a', 1)
      const { stop, run, errors, reflector, clock } = start(server)
      await settle()
      if (when === 'before') stop.abort(new Error('enough'))
      else server.onEvent = () => stop.abort(new Error('enough'))
      server.put('b', 2)
      await run
      expect([server.left, server.openWatches, errors, reflector.state, clock.sleeping]).toEqual([
        1,
        0,
        [],
        'stopped',
        0,
      ])
      await expect(reflector.listAndWatch(AbortSignal.abort())).resolves.toBeUndefined()
    }
  })
})

it('RE13: whatever script of failures, the store is right after it and the failures are told', async () => {
  const scripts = [
    { list: [broken()], watch: [], told: ['etcd is on fire'] },
    { list: [], watch: [gone()], told: ['too old resource version'] },
    {
      list: [forbidden(), broken()],
      watch: [throttled(1), broken()],
      told: ['forbidden', 'fire', '(re)initializing', 'fire'],
    },
    { list: ['refuse-connection' as const], watch: ['refuse-connection' as const], told: ['lost', 'lost'] },
  ]
  for (const { list, watch, told } of scripts) {
    const server = new FakeServer()
    server.put('a', 1)
    server.failNextList(...list)
    server.failNextWatch(...watch)
    const { store, errors, clock, end } = start(server)
    await settle()
    server.put('b', 2)
    await clock.advance('5m')
    server.delete('a')
    await settle()
    expect(names(store)).toEqual(['b'])
    expect(errors).toHaveLength(told.length)
    for (const [i, text] of told.entries()) expect(String(errors[i])).toContain(text)
    await end()
  }
})

describe('internal errors of the server', () => {
  it('RE18: lead to a list by default, and are waited out within the time given for them', async () => {
    const lists = async (internalErrorRetry: number) => {
      const server = new FakeServer()
      server.failNextWatch(broken(), broken(), broken())
      const { clock, end } = start(server, { internalErrorRetry, backoff: { initial: '1s', factor: 1, jitter: 0 } })
      await clock.advance('50s')
      await end()
      return server.requests.filter((asked) => asked.startsWith('list')).length
    }
    expect([await lists(0), await lists(30), await lists(1.5)]).toEqual([4, 1, 2])
  })

  it('RW1, RE18: a window never allows anything of length zero, closes after its length, and opens anew after a quiet minute', async () => {
    const clock = new VirtualClock()
    const [none, some] = [new RetryWindow(0, clock), new RetryWindow(30, clock)]
    expect([none.allows(), some.allows()]).toEqual([false, true])
    await clock.advance('30s')
    expect(some.allows()).toBe(true)
    await clock.advance('1s')
    expect(some.allows()).toBe(false)
    await clock.advance('59s')
    expect(some.allows()).toBe(false)
    await clock.advance('60s')
    expect(some.allows()).toBe(true)
  })
})

it('RE27, RE28: describes the type that is expected, and expects nothing where nothing was said', async () => {
  const server = new FakeServer()
  const expected = start(server, { expectedType: { apiVersion: 'apps/v1', kind: 'Thing' } })
  const any = start(server)
  expect([expected.reflector.typeDescription, any.reflector.typeDescription]).toEqual([
    'apps/v1, Kind=Thing',
    '<unspecified>',
  ])
  await settle()
  server.put('a', 1)
  await settle()
  expect([names(expected.store), names(any.store)]).toEqual([[], ['a']])
  for (const { stop } of [expected, any]) stop.abort()
  await Promise.all([expected.run, any.run])
  expect(server.openWatches).toBe(0)
})

it('RE30: tells a store that wants it every version: of the list, of each event, of bookmarks', async () => {
  const server = new FakeServer()
  server.put('a', 1)
  const { versions, end } = start(server)
  await settle()
  server.put('b', 1)
  server.put('b', 2)
  server.bookmark()
  server.delete('b')
  await settle()
  expect(versions).toEqual(['11', '12', '13', '13', '14'])
  await end()
})

it('RE31: one object that stays does not keep its list in memory', async () => {
  const server = new FakeServer()
  for (const name of ['a', 'b', 'c']) server.put(name, 1)
  const refs = Array.from(server.objects.values(), (thing) => new WeakRef(thing))
  const { store, end } = start({
    // A list of its own for each request, as from a wire.
    list: async (options) => ({ ...(await server.list(options)) }),
    watch: (options) => server.watch(options),
    watchList: false,
  })
  await settle()
  for (const name of ['b', 'c']) server.delete(name)
  await settle()
  server.forgetHistory()
  expect(names(store)).toEqual(['a'])
  expect(await Promise.all(refs.slice(1).map(collected))).toEqual([true, true])
  expect(refs[0]?.deref()?.metadata.name).toBe('a')
  await end()
})

it('RE31: a stream that began with a list does not keep that list in memory', async () => {
  const server = new FakeServer({ watchList: true })
  for (const name of ['a', 'b', 'c']) server.put(name, 1)
  const refs = Array.from(server.objects.values(), (thing) => new WeakRef(thing))
  const { store, end } = start(server)
  await settle()
  expect(server.requests).toEqual(['stream'])
  for (const name of ['b', 'c']) server.delete(name)
  await settle()
  server.forgetHistory()
  expect(names(store)).toEqual(['a'])
  expect(await Promise.all(refs.slice(1).map(collected))).toEqual([true, true])
  expect(refs[0]?.deref()?.metadata.name).toBe('a')
  await end()
})

it('RE34: refuses a Table, in a list and in a stream, and takes a custom kind of that name', async () => {
  const table = (apiVersion: string) => ({ apiVersion, kind: 'Table', metadata: { resourceVersion: '1' }, items: [] })
  for (const version of ['meta.k8s.io/v1', 'meta.k8s.io/v1beta1']) {
    const { errors, store, end } = start({
      watchList: false,
      list: async () => table(version) as never,
      watch: () => new FakeServer().watch({}),
    })
    await settle()
    expect([String(errors[0]), store.size]).toEqual([expect.stringContaining('Table'), 0])
    await end()
  }
  const server = new FakeServer()
  const { store, end } = start(server)
  await settle()
  server.send({ type: 'ADDED', object: table('meta.k8s.io/v1') as unknown as Thing })
  server.send({
    type: 'ADDED',
    object: { ...server.put('t', 1), apiVersion: 'furniture.example.com/v1', kind: 'Table' } as Thing,
  })
  await settle()
  expect(names(store)).toEqual(['t'])
  await end()
})

describe('a streamed list', () => {
  it('WL2: is silent too long only if nothing comes for the whole time; an event begins the time anew', async () => {
    const server = new FakeServer({})
    server.ignoresInitialEvents = true
    const { clock, lines, end } = start(server)
    await settle()
    expect(server.requests).toEqual(['stream'])
    for (let n = 0; n < 3; n++) {
      await clock.advance('9s')
      server.put('a', n)
    }
    expect(server.requests).toEqual(['stream'])
    await clock.advance('21s')
    expect(server.requests.slice(0, 2)).toEqual(['stream', 'list 0'])
    expect(lines.filter((line) => line.includes('streamed list'))).toHaveLength(1)
    await clock.advance('1h')
    expect(lines.filter((line) => line.includes('streamed list'))).toHaveLength(1)
    await end()
  })

  it('WL3: has no version before its end, and that of its end after it', async () => {
    const server = new FakeServer({})
    server.ignoresInitialEvents = true
    const { reflector, store, end } = start(server)
    await settle()
    expect(reflector.lastSyncResourceVersion).toBe('')
    server.put('a', 1)
    server.send(bookmark('99'))
    await settle()
    expect([reflector.lastSyncResourceVersion, store.size]).toEqual(['', 0])
    server.send(endOfInitialEvents('100'))
    await settle()
    expect([reflector.lastSyncResourceVersion, names(store)]).toEqual(['100', ['a']])
    await end()
  })

  it('WL13: leads to a new list when the watch that follows it has expired', async () => {
    const server = new FakeServer({})
    server.put('a', 1)
    const { store, clock, end } = start(server)
    await settle()
    server.closeAll()
    server.put('b', 1)
    server.forgetHistory()
    await clock.advance('10s')
    expect([names(store), server.requests]).toEqual([
      ['a', 'b'],
      ['stream', 'watch 11', 'stream'],
    ])
    await end()
  })
})

it('counts lists and watches, and says how long and how large lists were', async () => {
  const { metrics, value } = recordedMetrics()
  const server = new FakeServer()
  for (const name of ['a', 'b']) server.put(name, 1)
  const { end } = start(server, { metrics })
  await settle()
  expect(['reflector_lists_total', 'reflector_watches_total', 'reflector_items_per_list'].map(value)).toEqual([1, 1, 2])
  expect(value('reflector_list_duration_seconds')).toBe(0)
  await end()
})
