import { describe, expect, it } from 'vitest'
import { FakeServer, type Thing } from '../../test/fake-server.ts'
import { settle, virtualSurroundings } from '../../test/surroundings.ts'
import {
  DeletedFinalStateUnknown,
  deletionHandlingMetaNamespaceKeyFunc,
  deletionHandlingObjectToName,
  objectToName,
} from '../keys.ts'
import { DeltaFIFO } from '../queue/delta-fifo.ts'
import { InOrderFIFO } from '../queue/ordered-queue.ts'
import { Indexer } from '../store/indexer.ts'
import type { Change } from './change.ts'
import { Controller } from './controller.ts'
import type { ResourceEventHandler } from './listener.ts'
import { SharedIndexInformer } from './shared-informer.ts'
import type { SharedInformerOptions } from './shared-informer-options.ts'

const QUEUES = ['in-order', 'delta'] as const

function informer(server: FakeServer, options: SharedInformerOptions<Thing> = {}) {
  const surroundings = virtualSurroundings()
  const made = new SharedIndexInformer<Thing>(server, { ...surroundings, ...options })
  const stop = new AbortController()
  const lines: string[] = []
  const handler: ResourceEventHandler<Thing> = {
    onAdd: ({ metadata, spec }, initial) => void lines.push(`+${metadata.name}${spec.size}${initial ? '!' : ''}`),
    onUpdate: (old, { metadata, spec }) => void lines.push(`${metadata.name}${old.spec.size}→${spec.size}`),
    onDelete: ({ key, object, finalStateUnknown }) =>
      void lines.push(`-${key.split('/')[1]}${object?.spec.size}${finalStateUnknown ? '?' : ''}`),
  }
  let run: Promise<void> = Promise.resolve()
  const start = async () => {
    run = made.run(stop.signal)
    await settle()
  }
  const end = async () => {
    stop.abort()
    await run
    expect([server.openWatches, surroundings.clock.sleeping]).toEqual([0, 0])
  }
  return { ...surroundings, informer: made, handler, lines: lines, log: surroundings.lines, start, end }
}

describe('a controller', () => {
  it('CO1: reflector, queue and process function keep a store, and what is added is deleted in the end', async () => {
    const server = new FakeServer()
    const store = new Indexer<Thing>(deletionHandlingMetaNamespaceKeyFunc)
    const queue = new DeltaFIFO<Thing>({ knownObjects: store })
    const gone: string[] = []
    const controller = new Controller<Thing>({
      ...virtualSurroundings(),
      queue,
      listerWatcher: server,
      fullResyncPeriod: '1m',
      process: (deltas) => {
        for (const { type, object } of deltas) {
          if (object instanceof DeletedFinalStateUnknown) continue
          if (type !== 'Deleted') {
            store.update(object)
            // Whatever comes is deleted again.
            server.delete(object.metadata.name)
          } else {
            store.delete(object)
            gone.push(object.metadata.name)
          }
        }
      },
    })
    const stop = new AbortController()
    const run = controller.run(stop.signal)
    for (const name of ['a-hello', 'b-controller', 'c-framework']) server.put(name, 1)
    await settle()
    await controller.whenSynced()
    await settle()
    expect([gone.sort(), store.size, server.objects.size]).toEqual([['a-hello', 'b-controller', 'c-framework'], 0, 0])
    expect([controller.hasSynced(), controller.lastSyncResourceVersion]).toEqual([true, server.version])
    await expect(controller.run(stop.signal)).rejects.toThrow('has been run already')
    stop.abort()
    await run
  })

  it('puts back what could not be processed, if it is told to, and goes on with batches', async () => {
    const server = new FakeServer()
    server.put('a', 1)
    const surroundings = virtualSurroundings()
    let attempts = 0
    const retrying = new Controller<Thing>({
      ...surroundings,
      queue: new DeltaFIFO<Thing>(),
      listerWatcher: server,
      retryOnError: true,
      process: () => {
        if (++attempts < 3) throw new Error('not yet')
      },
    })
    const stop = new AbortController()
    const batches: string[][] = []
    const batching = new Controller<Thing>({
      ...surroundings,
      queue: new InOrderFIFO<Thing>(),
      listerWatcher: server,
      watchErrorHandler: () => {},
      process: (batch) => void batches.push(batch.map(({ type }) => type)),
    })
    const runs = [retrying.run(stop.signal), batching.run(stop.signal)]
    await settle()
    expect(attempts).toBe(3)
    expect(surroundings.lines.filter((line) => line.includes('not yet'))).toHaveLength(2)
    expect(batches).toEqual([['ReplacedAll']])
    stop.abort()
    await Promise.all(runs)
  })
})

describe.each(QUEUES)('an informer with the %s queue', (queue) => {
  it('CO2: follows what is added and deleted', async () => {
    const server = new FakeServer()
    const { informer: made, handler, lines, start, end } = informer(server, { queue })
    made.addEventHandler(handler)
    await start()
    server.put('a', 1)
    server.put('b', 1)
    await settle()
    server.delete('a')
    server.delete('b')
    await settle()
    expect([lines, made.getStore().size]).toEqual([['+a1', '+b1', '-a1', '-b1'], 0])
    await end()
  })

  it('has synced when the first list is empty', async () => {
    const { informer: made, handler, start, end } = informer(new FakeServer(), { queue })
    const registration = made.addEventHandler(handler)
    await start()
    expect([made.hasSynced(), registration.hasSynced()]).toEqual([true, true])
    await end()
  })

  it('CO3: three writers at random, and the handler has heard of everything in the end', async () => {
    const server = new FakeServer()
    const { informer: made, start, end } = informer(server, { queue })
    const known = new Map<string, number>()
    made.addEventHandler({
      onAdd: ({ metadata, spec }) => void known.set(metadata.name, spec.size),
      onUpdate: (old, { metadata, spec }) => {
        expect(known.get(metadata.name)).toBe(old.spec.size)
        known.set(metadata.name, spec.size)
      },
      onDelete: ({ key }) => expect(known.delete(key.split('/')[1] ?? '')).toBe(true),
    })
    await start()
    let seed = 1
    const random = (below: number) => {
      seed = (seed * 48271) % 2147483647
      return seed % below
    }
    const writer = async () => {
      for (let n = 0; n < 100; n++) {
        const name = `n${random(15)}`
        if (random(3) === 0) server.delete(name)
        else server.put(name, n)
        for (let turn = random(10); turn > 0; turn--) await undefined
      }
    }
    await Promise.all([writer(), writer(), writer()])
    for (let turn = 0; turn < 20; turn++) await settle()
    const truth = Array.from(server.objects.values(), ({ metadata, spec }) => [metadata.name, spec.size])
    expect([...known].sort()).toEqual(truth.sort())
    await end()
  })

  it('CO4: updates lead from a known state to the next, and every object is finally deleted', async () => {
    const server = new FakeServer()
    const { informer: made, handler, lines, start, end } = informer(server, { queue })
    made.addEventHandler(handler)
    await start()
    for (const size of [1, 2, 2, 3]) {
      server.put('a', size)
      await settle()
    }
    server.delete('a')
    await settle()
    expect(lines).toEqual(['+a1', 'a1→2', 'a2→2', 'a2→3', '-a3'])
    await end()
  })

  it('CO5: goes on when a handler fails, and says so', async () => {
    const server = new FakeServer()
    server.put('a', 1)
    const { informer: made, handler, lines, log, start, end } = informer(server, { queue })
    made.addEventHandler({
      onAdd: () => {
        throw new Error('clumsy')
      },
    })
    made.addEventHandler(handler)
    await start()
    server.put('b', 2)
    await settle()
    expect(lines).toEqual(['+a1!', '+b2'])
    expect(log.filter((line) => line.includes('clumsy'))).toHaveLength(2)
    await end()
  })

  it('CO6, CO7: store and handlers see only transformed objects, and resyncs transform nothing again', async () => {
    const server = new FakeServer()
    server.put('a', 1)
    let calls = 0
    const {
      informer: made,
      handler,
      lines,
      clock,
      start,
      end,
    } = informer(server, {
      queue,
      resync: '10s',
      transform: (thing) => {
        calls++
        return { ...thing, spec: { size: thing.spec.size + 100 } }
      },
    })
    made.addEventHandler(handler)
    await start()
    server.put('a', 2)
    await settle()
    server.put('b', 3)
    await settle()
    server.delete('b')
    await settle()
    expect(lines).toEqual(['+a101!', 'a101→102', '+b103', '-b103'])
    await clock.advance('1m')
    expect([calls, made.getStore().getByKey('default/a')?.spec.size]).toEqual([4, 102])
    expect(lines.slice(4)).toEqual(Array(6).fill('a102→102'))
    await end()
  })

  it('CO13, CO14, CO16: tells the same of a list into nothing, of an empty one, and of one after a gap', async () => {
    const server = new FakeServer()
    server.put('a', 1)
    server.put('b', 1)
    const { informer: made, handler, lines, clock, start, end } = informer(server, { queue, onWatchError: () => {} })
    made.addEventHandler(handler)
    await start()
    expect(lines.splice(0)).toEqual(['+a1!', '+b1!'])
    server.closeAll()
    server.put('a', 2)
    server.put('c', 1)
    server.forgetHistory()
    await clock.advance('1m')
    expect(lines.splice(0)).toEqual(['a1→2', '+c1'])
    server.closeAll()
    for (const name of ['a', 'b', 'c']) server.delete(name)
    server.forgetHistory()
    await clock.advance('1m')
    expect(lines.sort()).toEqual(['-a2?', '-b1?', '-c1?'])
    await end()
  })

  it('CO17: the version of the store follows lists, every kind of event, and bookmarks', async () => {
    const server = new FakeServer()
    server.put('a', 1)
    const { informer: made, start, end } = informer(server, { queue })
    await start()
    const at = () => made.getIndexer().lastStoreSyncResourceVersion
    expect(at()).toBe(server.version)
    for (const act of [() => server.put('b', 1), () => server.put('b', 2), () => server.delete('b')]) {
      act()
      await settle()
      expect(at()).toBe(server.version)
    }
    server.put('ignored', 1)
    server.delete('ignored')
    server.bookmark()
    await settle()
    expect(at()).toBe(server.version)
    await made.getIndexer().waitForResourceVersion(server.version, AbortSignal.timeout(1000))
    await end()
  })

  it('RE33, WL15: transforms what is streamed once, and has the same as from pages', async () => {
    const results = []
    for (const watchList of [true, false]) {
      const server = new FakeServer(watchList ? {} : { watchList: false })
      server.put('a', 1)
      server.put('b', 2)
      let calls = 0
      const {
        informer: made,
        start,
        end,
      } = informer(server, {
        queue,
        transform: (thing) => {
          calls++
          return { ...thing, spec: { size: thing.spec.size * 10 } }
        },
      })
      await start()
      server.put('c', 3)
      await settle()
      results.push([
        calls,
        made
          .getStore()
          .list()
          .map(({ metadata, spec }) => `${metadata.name}${spec.size}`),
      ])
      await end()
    }
    expect(results).toEqual([
      [3, ['a10', 'b20', 'c30']],
      [3, ['a10', 'b20', 'c30']],
    ])
  })

  it('MD1: detects a change in place of a cached object, if objects are frozen', async () => {
    const server = new FakeServer()
    server.put('a', 1)
    const { informer: made, start, end } = informer(server, { queue, freeze: true })
    await start()
    const cached = made.getStore().getByKey('default/a') as { spec: { size: number } }
    expect(() => {
      cached.spec.size = 2
    }).toThrow(TypeError)
    await end()
  })
})

it('CO15: a mixed list tells deletions first, and the store is final by then', async () => {
  const server = new FakeServer()
  for (const name of ['a', 'b', 'c']) server.put(name, 1)
  const { informer: made, clock, start, end } = informer(server, { onWatchError: () => {} })
  const seen: string[] = []
  made.subscribe(({ type, key }: Change<Thing>) => {
    seen.push(`${type} ${key} of ${made.getStore().listKeys().sort().join()}`)
  })
  await start()
  seen.length = 0
  server.closeAll()
  server.put('a', 2)
  server.delete('b')
  server.put('d', 1)
  server.forgetHistory()
  await clock.advance('1m')
  const final = 'default/a,default/c,default/d'
  expect(seen).toEqual([`delete default/b of ${final}`, `update default/a of ${final}`, `add default/d of ${final}`])
  await end()
})

it('CO10, CO11, CO12: of a batch everything that can be stored is told, and nothing else', async () => {
  const server = new FakeServer()
  const { informer: made, handler, lines, log, start, end } = informer(server)
  made.addEventHandler(handler)
  await start()
  server.put('a', 1)
  server.put('b', 1)
  await settle()
  expect(lines.splice(0)).toEqual(['+a1', '+b1'])
  const bad = { ...server.put('c', 1), metadata: { name: 'x', namespace: 1 } } as unknown as Thing
  lines.length = 0
  await settle()
  lines.length = 0
  // An object that has no key although it has a name: it is skipped, the rest is told.
  server.send({ type: 'ADDED', object: { ...bad, metadata: null } as unknown as Thing })
  server.put('d', 1)
  await settle()
  expect([lines, log.some((line) => line.includes('skipped'))]).toEqual([['+d1'], true])
  await end()
})

it('CO18: a transformation to something without metadata keeps the version of the list', async () => {
  const indexer = new Indexer<{ readonly id: string }>(({ id }) => id, {}, { transform: ({ id }) => ({ id }) })
  indexer.replace([{ id: 'a' }], '7')
  expect(indexer.lastStoreSyncResourceVersion).toBe('7')
})

it('CO8, CO9, TY3: a deletion is named as its object, with and without it', async () => {
  const server = new FakeServer()
  const thing = server.put('a', 1)
  expect(deletionHandlingObjectToName(new DeletedFinalStateUnknown('default/a', thing))).toEqual(objectToName(thing))
  expect(deletionHandlingObjectToName(new DeletedFinalStateUnknown<Thing>('default/a', undefined))).toEqual({
    namespace: 'default',
    name: 'a',
  })
  expect(deletionHandlingMetaNamespaceKeyFunc(new DeletedFinalStateUnknown<Thing>('', undefined))).toBe('')
  const { informer: made, clock, start, end } = informer(server, { onWatchError: () => {} })
  const deleted: unknown[] = []
  made.addEventHandler({ onDelete: (gone) => void deleted.push({ ...gone, object: gone.object?.metadata.name }) })
  await start()
  server.delete('a')
  server.put('b', 1)
  await settle()
  server.closeAll()
  server.delete('b')
  server.forgetHistory()
  await clock.advance('1m')
  expect(deleted).toEqual([
    { key: 'default/a', object: 'a', finalStateUnknown: false },
    { key: 'default/b', object: 'b', finalStateUnknown: true },
  ])
  await end()
})
