import { BinnacleError } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { FakeServer, type Thing } from '../../test/fake-server.ts'
import { settle, virtualSurroundings } from '../../test/surroundings.ts'
import { ListWatch } from '../lister-watcher.ts'
import { filteringHandler } from './filtering-handler.ts'
import { handlerName } from './handler-name.ts'
import { InformerNames } from './informer-names.ts'
import type { ResourceEventHandler } from './listener.ts'
import { SharedIndexInformer } from './shared-informer.ts'
import { type Synced, waitFor } from './synced.ts'

const thing = (size: number) => new FakeServer().put('a', size)

describe('a filtering handler', () => {
  it.each([
    [1, 1, []],
    [1, 5, ['add 5']],
    [5, 1, ['delete default/a']],
    [5, 6, ['update 5→6']],
  ])('TY2: an update from %i to %i, where more than 3 passes', (before, now, expected) => {
    const told: string[] = []
    const handler = filteringHandler<Thing>(({ spec }) => spec.size > 3, {
      onAdd: ({ spec }, initial) => void told.push(`add ${spec.size}${initial ? '!' : ''}`),
      onUpdate: (old, { spec }) => void told.push(`update ${old.spec.size}→${spec.size}`),
      onDelete: ({ key }) => void told.push(`delete ${key}`),
    })
    handler.onUpdate?.(thing(before), thing(now))
    expect(told).toEqual(expected)
  })

  it('TY2: lets additions and deletions through that pass, and deletions of which nothing is known', () => {
    const told: string[] = []
    const handler = filteringHandler<Thing>(({ spec }) => spec.size > 3, {
      onAdd: (_, initial) => void told.push(`add${initial ? '!' : ''}`),
      onDelete: ({ key }) => void told.push(key),
    })
    for (const size of [1, 5]) {
      handler.onAdd?.(thing(size), true)
      handler.onDelete?.({ key: `k${size}`, object: thing(size), finalStateUnknown: false })
    }
    handler.onDelete?.({ key: 'unknown', object: undefined, finalStateUnknown: true })
    expect(told).toEqual(['add!', 'k5', 'unknown'])
  })

  it('TY1: may leave out what it does not care for', async () => {
    const handler = filteringHandler<Thing>(() => true, {})
    handler.onAdd?.(thing(1), false)
    handler.onUpdate?.(thing(1), thing(2))
    handler.onDelete?.({ key: 'a', object: undefined, finalStateUnknown: true })
    const server = new FakeServer()
    const informer = new SharedIndexInformer<Thing>(server, virtualSurroundings())
    const stop = new AbortController()
    const registration = informer.addEventHandler({})
    const run = informer.run(stop.signal)
    server.put('a', 1)
    server.delete('a')
    await registration.whenSynced()
    stop.abort()
    await run
  })
})

it('TY4: an indexer passes results and errors on with their types', () => {
  const informer = new SharedIndexInformer(new FakeServer(), {
    indexers: { size: ({ spec }: Thing) => [String(spec.size)] },
  })
  informer.getIndexer().add(thing(3))
  const found: Thing[] = informer.getIndexer().byIndex('size', '3')
  expect(found).toHaveLength(1)
  // @ts-expect-error: no such index
  expect(() => informer.getIndexer().byIndex('colour', 'red')).toThrow('no index called "colour"')
})

it('TY5: a handler takes one set of options', () => {
  const informer = new SharedIndexInformer<Thing>(new FakeServer())
  // @ts-expect-error: two of them do not compile
  const registration = informer.addEventHandler({}, { name: 'one' }, { name: 'two' })
  expect(registration.name).toBe('one')
})

it('HN1: handlers have readable names: class, functions, filters; else the number of the handler', () => {
  class Recorder implements ResourceEventHandler<Thing> {
    onAdd() {}
  }
  function enqueue() {}
  expect(handlerName(new Recorder())).toBe('Recorder')
  expect(handlerName({ onAdd: enqueue, onDelete: enqueue })).toBe('enqueue')
  expect(handlerName({ onAdd: () => {} })).toBeUndefined()
  expect(handlerName(filteringHandler(() => true, new Recorder()))).toBe('Recorder, filtered')
  expect(handlerName(filteringHandler(() => true, {}))).toBe('a handler, filtered')
  const informer = new SharedIndexInformer<Thing>(new FakeServer(), { name: 'things' })
  const names = [new Recorder(), { onAdd: () => {} }].map((handler) => informer.addEventHandler(handler).name)
  expect(names).toEqual(['Recorder', 'things handler 1'])
})

it('ID1: names are given once, not empty, and again after their release', () => {
  const names = new InformerNames()
  const pods = names.reserve('pods')
  expect(() => names.reserve('pods')).toThrow('already')
  expect(() => names.reserve('')).toThrow('empty')
  pods.release()
  expect(names.reserve('pods').name).toBe('pods')
})

it('ID2: a resource is reserved once under a name', () => {
  using name = new InformerNames().reserve('operator')
  expect([name.reserveResource('pods'), name.reserveResource('pods'), name.reserveResource('nodes')]).toEqual([
    true,
    false,
    true,
  ])
  name.releaseResource('pods')
  expect(name.reserveResource('pods')).toBe(true)
})

it('LW1, WL1: that streamed lists do not work survives wrapping, and silence about it means that they are tried', async () => {
  const asked = async (watchList: boolean | undefined) => {
    const server = new FakeServer(watchList === undefined ? {} : { watchList })
    const informer = new SharedIndexInformer<Thing>(new ListWatch(new ListWatch(server)), virtualSurroundings())
    const stop = new AbortController()
    const run = informer.run(stop.signal)
    await settle()
    stop.abort()
    await run
    return server.requests[0]
  }
  expect([await asked(false), await asked(true), await asked(undefined)]).toEqual(['list 0', 'stream', 'stream'])
})

describe('waitFor', () => {
  const one = (name: string, synced: boolean): Synced => ({
    name,
    hasSynced: () => synced,
    whenSynced: (signal) =>
      synced
        ? Promise.resolve()
        : new Promise((_, reject) => {
            if (signal?.aborted) reject(signal.reason)
            signal?.addEventListener('abort', () => reject(signal.reason))
          }),
  })
  const never = new AbortController().signal

  it('WA1: has nothing to wait for where there is nothing', async () => {
    await waitFor({ signal: never })
  })

  it('WA2, WA3: is silent without a name, and logs each that has synced under it', async () => {
    const { logger, lines } = virtualSurroundings()
    await waitFor({ signal: never, logger }, one('a', true))
    expect(lines).toEqual([])
    await waitFor({ signal: never, logger, what: 'start' }, one('a', true), one('b', true))
    expect(lines.sort()).toEqual(['info: start: a has synced', 'info: start: b has synced'])
  })

  it.each([
    ['WA4: that times out', () => AbortSignal.timeout(1)],
    ['WA5: that is cancelled', () => AbortSignal.abort(new Error('enough'))],
  ])('%s: names who is missing, sorted, not who is there, with the cause (WA6, WA7, WA8)', async (_, makeSignal) => {
    const signal = makeSignal()
    const wait = waitFor({ signal, what: 'start' }, one('c', false), one('a', true), one('b', false))
    const error = await wait.catch((failed: unknown) => failed)
    expect(error).toBeInstanceOf(BinnacleError)
    expect((error as Error).message).toBe('start: the wait for the first list ended without: b, c')
    expect((error as Error).cause).toBe(signal.reason)
  })

  it('WA4, WA5, WA6, WA7, WA8: names the missing in order and keeps the cause', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(waitFor({ signal }, one('z', false), one('y', false), one('x', true))).rejects.toThrow('without: y, z')
  })
})
