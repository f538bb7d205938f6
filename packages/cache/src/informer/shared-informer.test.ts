import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { broken, FakeServer, gone, type Thing } from '../../test/fake-server.ts'
import { settle, virtualSurroundings } from '../../test/surroundings.ts'
import type { Change, DeletedObject } from './change.ts'
import type { ResourceEventHandler } from './listener.ts'
import { SharedIndexInformer, SharedInformer } from './shared-informer.ts'
import type { SharedInformerOptions } from './shared-informer-options.ts'
import { waitForCacheSync } from './synced.ts'

const bySize = { size: (thing: Thing) => [String(thing.spec.size)] }

function make(server: FakeServer, options: SharedInformerOptions<Thing> = {}) {
  const surroundings = virtualSurroundings()
  const informer = new SharedIndexInformer<Thing, typeof bySize>(server, {
    ...surroundings,
    indexers: bySize,
    ...options,
  })
  const stop = new AbortController()
  const end = async () => {
    stop.abort()
    await run.ended
    expect([server.openWatches, surroundings.clock.sleeping]).toEqual([0, 0])
  }
  const run: { ended?: Promise<void> } = {}
  const start = async () => {
    run.ended = informer.run(stop.signal)
    await settle()
  }
  return { ...surroundings, informer, server, start, end, stop }
}

/** A handler that writes down what it is told. */
function ledger() {
  const lines: string[] = []
  const handler: ResourceEventHandler<Thing> = {
    onAdd: ({ metadata, spec }, initial) =>
      void lines.push(`+${metadata.name}=${spec.size}${initial ? ' (initial)' : ''}`),
    onUpdate: (old, { metadata, spec }) => void lines.push(`${metadata.name}: ${old.spec.size}→${spec.size}`),
    onDelete: ({ key, object, finalStateUnknown }: DeletedObject<Thing>) =>
      void lines.push(`-${key}=${object?.spec.size}${finalStateUnknown ? '?' : ''}`),
  }
  return { lines, handler }
}

const filled = () => {
  const server = new FakeServer()
  server.put('a', 1)
  return server
}

describe('a shared informer', () => {
  it('tells handlers of additions, changes and deletions, after the cache has them', async () => {
    const { informer, server, start, end } = make(filled())
    const { lines, handler } = ledger()
    informer.addEventHandler(handler)
    expect(informer.hasSynced()).toBe(false)
    await start()
    expect(informer.hasSynced()).toBe(true)
    server.put('a', 2)
    server.put('b', 1)
    server.delete('a')
    await settle()
    expect(lines).toEqual(['+a=1 (initial)', 'a: 1→2', '+b=1', '-default/a=2'])
    expect(informer.getStore().listKeys()).toEqual(['default/b'])
    expect(informer.lastSyncResourceVersion).toBe(server.version)
    await end()
  })

  it('tells of what vanished while the server had forgotten its version, once', async () => {
    const { informer, server, clock, start, end } = make(filled())
    const { lines, handler } = ledger()
    informer.addEventHandler(handler)
    server.put('b', 1)
    await start()
    await clock.advance('1s')
    server.cutAll()
    server.delete('a')
    server.put('c', 1)
    server.forgetHistory()
    await settle()
    server.send({ type: 'ERROR', object: gone() })
    await settle()
    expect(lines.slice(2)).toEqual(['-default/a=1?', '+c=1'])
    await end()
  })

  it('does not tell of the deletion of an object that it never told of', async () => {
    const { informer, server, start, end } = make(filled())
    const { lines, handler } = ledger()
    informer.addEventHandler(handler)
    await start()
    const stranger = { ...server.put('b', 1), metadata: { name: 'stranger', uid: 'u', resourceVersion: '50' } }
    server.send({ type: 'DELETED', object: stranger })
    await settle()
    expect(lines).toEqual(['+a=1 (initial)', '+b=1'])
    expect(informer.getIndexer().lastStoreSyncResourceVersion).toBe('50')
    await end()
  })

  it('tells of an object that took the name of another as a deletion and an addition', async () => {
    const { informer, server, clock, start, end } = make(filled())
    const { lines, handler } = ledger()
    informer.addEventHandler(handler)
    await start()
    await clock.advance('1s')
    server.cutAll()
    server.delete('a')
    server.put('a', 7)
    server.forgetHistory()
    await settle()
    expect(lines.slice(1)).toEqual(['-default/a=1?', '+a=7'])
    await end()
  })

  it('SI1: has its indices before the start and takes more while it runs', async () => {
    const { informer, server, start, end } = make(filled())
    await start()
    server.put('b', 1)
    await settle()
    expect(informer.getIndexer().indexKeys('size', '1')).toEqual(['default/a', 'default/b'])
    const more = informer.addIndexers({ name: (thing) => [thing.metadata.name] })
    expect(more.getIndexer().indexKeys('name', 'b')).toEqual(['default/b'])
    await end()
  })

  it('SI7: tells the watch error handler', async () => {
    const server = filled()
    server.failNextList(broken())
    const { informer, start, end } = make(server)
    const errors: unknown[] = []
    informer.setWatchErrorHandler(() => errors.push('overruled'))
    informer.setWatchErrorHandler((error) => errors.push((error as Error).message))
    await start()
    expect(errors).toEqual(['etcd is on fire'])
    expect([informer.state, informer.lastError]).toMatchObject(['waiting', { code: 500 }])
    await end()
  })

  it('SI9: transforms what handlers and the cache see, and stores what cannot be transformed as it came', async () => {
    const { informer, server, start, end, lines: log } = make(filled())
    const { lines, handler } = ledger()
    informer.setTransform((thing) => {
      if (thing.spec.size === 13) throw new Error('unlucky')
      return { ...thing, spec: { size: thing.spec.size * 100 } }
    })
    informer.addEventHandler(handler)
    await start()
    server.put('b', 13)
    await settle()
    expect(lines).toEqual(['+a=100 (initial)', '+b=13'])
    expect(log.join()).toMatch(/the transformation failed.*unlucky/)
    await end()
  })

  it('keeps going when an index function fails', async () => {
    const told: string[] = []
    const failing = (thing: Thing) => {
      if (thing.spec.size === 13) throw new Error('unlucky')
      return [String(thing.spec.size)]
    }
    const { informer, server, start, end } = make(filled(), {
      onIndexError: (_, index, key) => told.push(`${index} ${key}`),
    })
    informer.addIndexers({ failing })
    await start()
    server.put('a', 13)
    server.put('b', 1)
    await settle()
    expect(informer.getStore().getByKey('default/a')?.spec.size).toBe(13)
    expect(told).toEqual(['failing default/a'])
    await end()
  })

  it('SI15, SI16, SI17: runs once, and once stopped takes nobody any more but lets go of those it has', async () => {
    const { informer, start, end } = make(filled())
    const registration = informer.addEventHandler({})
    expect(informer.isStopped).toBe(false)
    await start()
    expect(() => informer.setTransform((thing) => thing)).toThrow(/is running and cannot/)
    await expect(informer.run(new AbortController().signal)).rejects.toThrow(/cannot be run again/)
    await end()
    expect([informer.isStopped, informer.state]).toEqual([true, 'stopped'])
    for (const ask of [
      () => informer.addEventHandler({}),
      () => informer.subscribe(() => {}),
      () => informer.changes(),
      () => informer.addIndexers({}),
    ]) {
      expect(ask).toThrow(/has been stopped/)
    }
    informer.removeEventHandler(registration)
    await registration[Symbol.asyncDispose]()
  })

  it('ends when it is disposed of, also if it never ran', async () => {
    const { informer, server, start, stop } = make(filled())
    const changes = informer.changes({ signal: stop.signal })
    await start()
    await informer[Symbol.asyncDispose]()
    expect([informer.isStopped, server.openWatches]).toEqual([true, 0])
    expect(getEventListeners(stop.signal, 'abort')).toEqual([])
    await changes.return?.()
    const idle = new SharedInformer(server)
    const synced = idle.whenSynced()
    await idle[Symbol.asyncDispose]()
    await expect(synced).rejects.toThrow(/stopped before the first list/)
  })
})

describe('a handler', () => {
  it('SI19: that comes late is first told of what there is, and has synced when it has handled that', async () => {
    const { informer, server, start, end } = make(filled())
    await start()
    const { lines, handler } = ledger()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const onAdd = async (thing: Thing, initial: boolean) => {
      await held
      handler.onAdd?.(thing, initial)
    }
    const late = informer.addEventHandler({ ...handler, onAdd })
    server.put('b', 2)
    await settle()
    expect([late.hasSynced(), lines]).toEqual([false, []])
    release()
    await late.whenSynced()
    await settle()
    expect(lines).toEqual(['+a=1 (initial)', '+b=2'])
    await end()
  })

  it('SI10 to SI13, SI18, SI22: can be there twice, is removed by its registration, twice or elsewhere without harm', async () => {
    const { informer, server, start, end } = make(filled())
    const other = make(new FakeServer())
    const { lines, handler } = ledger()
    const [first, second] = [informer.addEventHandler(handler), informer.addEventHandler(handler)]
    await start()
    other.informer.removeEventHandler(first)
    server.put('a', 2)
    await settle()
    expect(lines.splice(0)).toEqual(['+a=1 (initial)', '+a=1 (initial)', 'a: 1→2', 'a: 1→2'])
    informer.removeEventHandler(first)
    informer.removeEventHandler(first)
    server.put('a', 3)
    await settle()
    expect(lines.splice(0)).toEqual(['a: 2→3'])
    await second[Symbol.asyncDispose]()
    server.put('a', 4)
    await settle()
    expect(lines).toEqual([])
    await end()
  })

  it('SI23: is not called any more once disposing of it has ended', async () => {
    const { informer, server, start, end } = make(filled())
    let [running, release] = [false, () => {}]
    const registration = informer.addEventHandler({
      async onAdd() {
        running = true
        await new Promise<void>((resolve) => {
          release = resolve
        })
        running = false
      },
    })
    await start()
    server.put('b', 1)
    await settle()
    const disposed = registration[Symbol.asyncDispose]()
    expect(running).toBe(true)
    release()
    await disposed
    expect(running).toBe(false)
    await settle()
    expect(running).toBe(false)
    await end()
  })

  it('SI21: that fails is logged by its name, and told of the next change', async () => {
    const { informer, server, start, end, lines } = make(filled())
    const seen: string[] = []
    const failing = informer.addEventHandler(
      {
        onAdd({ metadata }) {
          seen.push(metadata.name)
          if (metadata.name === 'a') throw new Error('synchronous')
          return Promise.reject(new Error('asynchronous'))
        },
      },
      { name: 'fragile' },
    )
    await start()
    server.put('b', 1)
    server.put('c', 1)
    await settle()
    expect(seen).toEqual(['a', 'b', 'c'])
    expect(lines[0]).toBe('error: Handler "fragile" failed at add of default/a: synchronous')
    expect(lines[1]).toMatch(/default\/b: asynchronous/)
    expect(failing.hasSynced()).toBe(true)
    await end()
  })

  it('that is slow misses states in between, never the newest, and holds up nobody', async () => {
    const { informer, server, start, end } = make(filled())
    const { lines, handler } = ledger()
    const fast = ledger()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    informer.addEventHandler({ ...handler, onAdd: () => held }, { buffer: 3 })
    informer.addEventHandler(fast.handler)
    await start()
    for (let size = 2; size <= 100; size++) server.put('a', size)
    await settle()
    await settle()
    await settle()
    expect(fast.lines).toHaveLength(100)
    release()
    await settle()
    expect(lines).toEqual(['a: 1→2', 'a: 2→100'])
    await end()
  })
})

describe('a subscriber', () => {
  it('is told within the step that changed the cache and its indices', async () => {
    const { informer, server, start, end } = make(filled())
    const seen: unknown[] = []
    const indexer = informer.getIndexer()
    const before = informer.addEventHandler({ onUpdate: () => void seen.push('handler') })
    informer.subscribe((change) => {
      const size = change.type === 'delete' ? undefined : String(change.object.spec.size)
      seen.push([change.type, change.key, indexer.has(change.key), size && indexer.indexKeys('size', size)])
    })
    await start()
    server.put('a', 2)
    server.delete('a')
    await settle()
    expect(seen).toEqual([
      ['add', 'default/a', true, ['default/a']],
      ['update', 'default/a', true, ['default/a']],
      'handler',
      ['delete', 'default/a', false, undefined],
    ])
    await before[Symbol.asyncDispose]()
    await end()
  })

  it('that comes late is told of everything at once, and hears nothing twice, even if it comes while others are told', async () => {
    const server = filled()
    server.put('b', 1)
    const { informer, start, end } = make(server)
    const seen: string[] = []
    let nested: Disposable | undefined
    informer.subscribe(() => {
      nested ??= informer.subscribe((change) => seen.push(`${change.type} ${change.key}`))
    })
    await start()
    server.put('c', 1)
    await settle()
    expect(seen).toEqual(['add default/a', 'add default/b', 'add default/c'])
    nested?.[Symbol.dispose]()
    server.put('d', 1)
    await settle()
    expect(seen).toHaveLength(3)
    await end()
  })

  it('that throws is logged and keeps neither the cache nor the others from hearing', async () => {
    const { informer, server, start, end, lines } = make(filled())
    const seen: string[] = []
    informer.subscribe(() => {
      throw new Error('no')
    })
    informer.subscribe(({ key }) => seen.push(key))
    await start()
    server.put('b', 1)
    await settle()
    expect(seen).toEqual(['default/a', 'default/b'])
    expect(lines).toContain('error: A subscriber failed at add of default/a: no')
    await end()
  })
})

describe('resyncs', () => {
  it('SI2, SI4: remind each handler at its own period, never more often than the informer looks', async () => {
    const { informer, clock, server, start, end } = make(filled(), { resync: '12h' })
    const [none, two, three] = [ledger(), ledger(), ledger()]
    informer.addEventHandler(none.handler, { resync: 0 })
    informer.addEventHandler(two.handler, { resync: '2s' })
    informer.addEventHandler(three.handler, { resync: '3s' })
    informer.addEventHandler({}, { resync: '1s' })
    const direct: Change<Thing>[] = []
    await start()
    informer.subscribe((change) => direct.push(change))
    await clock.advance('2s')
    expect([none, two, three].map(({ lines }) => lines.length)).toEqual([1, 2, 1])
    await clock.advance('1s')
    expect([none, two, three].map(({ lines }) => lines.length)).toEqual([1, 2, 2])
    expect(three.lines[1]).toBe('a: 1→1')
    expect(direct).toHaveLength(1)
    expect(server.requests).toEqual(['list 0', 'watch 11'])
    await end()
  })

  it('SI6: a new list tells who is due of everything, and all others of what has changed', async () => {
    const { informer, clock, server, start, end } = make(filled(), { resync: '1s' })
    const [none, due] = [ledger(), ledger()]
    informer.addEventHandler(none.handler, { resync: 0 })
    informer.addEventHandler(due.handler)
    await start()
    await clock.advance('1s')
    for (const { lines } of [none, due]) lines.length = 0
    server.cutAll()
    server.put('b', 1)
    server.forgetHistory()
    await settle()
    expect(none.lines).toEqual(['+b=1'])
    expect(due.lines).toEqual(['a: 1→1', '+b=1'])
    await end()
  })

  it('are done for nobody by an informer that does none, with a warning', async () => {
    const { informer, clock, start, end, lines } = make(filled())
    const eager = ledger()
    informer.addEventHandler(eager.handler, { resync: '1s' })
    await start()
    await clock.advance('1m')
    expect(eager.lines).toHaveLength(1)
    expect(lines.join()).toMatch(/warn: informer does no resyncs/)
    await end()
  })
})

describe('changes()', () => {
  it('iterates over what there is and what happens, until it is left', async () => {
    const { informer, server, start, end } = make(filled())
    const seen: string[] = []
    const changes = informer.changes()
    const reading = (async () => {
      for await (const change of changes) {
        seen.push(`${change.type} ${change.key}`)
        if (change.type === 'delete') break
      }
    })()
    await start()
    server.put('a', 2)
    server.delete('a')
    server.put('b', 1)
    await reading
    expect(seen).toEqual(['add default/a', 'update default/a', 'delete default/a'])
    expect(await changes.next()).toEqual({ done: true, value: undefined })
    await end()
  })

  it('ends with its signal, and with the informer once what waits has been read', async () => {
    const { informer, start, end } = make(filled())
    const stop = new AbortController()
    const aborted = informer.changes({ signal: stop.signal })
    const stopped = informer.changes()
    await start()
    stop.abort()
    expect((await aborted.next()).done).toBe(true)
    expect((await informer.changes({ signal: stop.signal }).next()).done).toBe(true)
    await end()
    expect((await stopped.next()).value).toMatchObject({ type: 'add', key: 'default/a' })
    expect((await stopped.next()).done).toBe(true)
  })
})

describe('waitForCacheSync', () => {
  it('waits for all, and names those that are missing when it is given up', async () => {
    const [ready, missing] = [make(filled(), { name: 'ready' }), make(filled(), { name: 'missing' })]
    await ready.start()
    await waitForCacheSync(ready.stop.signal, ready.informer, ready.informer.addEventHandler({}))
    const stop = new AbortController()
    const wait = waitForCacheSync(stop.signal, missing.informer, ready.informer)
    stop.abort(new Error('enough'))
    await expect(wait).rejects.toMatchObject({
      message: expect.stringMatching(/without: missing$/),
      cause: stop.signal.reason,
    })
    await ready.end()
  })
})
