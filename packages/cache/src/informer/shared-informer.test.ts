import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { broken, gone, type Thing } from '../../test/fake-server.ts'
import { filled, ledger, informed as make } from '../../test/informed.ts'
import { settle } from '../../test/surroundings.ts'
import { SharedInformer } from './shared-informer.ts'
import { waitForCacheSync } from './synced.ts'

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
