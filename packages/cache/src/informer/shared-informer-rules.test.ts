import { describe, expect, it } from 'vitest'
import { FakeServer, type Thing } from '../../test/fake-server.ts'
import { recordedMetrics } from '../../test/recorded-metrics.ts'
import { settle, virtualSurroundings } from '../../test/surroundings.ts'
import { SharedIndexInformer } from './shared-informer.ts'
import type { SharedInformerOptions } from './shared-informer-options.ts'

function make(server = new FakeServer(), options: SharedInformerOptions<Thing> = {}) {
  const surroundings = virtualSurroundings()
  const informer = new SharedIndexInformer<Thing>(server, { ...surroundings, ...options })
  const stop = new AbortController()
  return { ...surroundings, server, informer, stop }
}

it('SI3: a handler that joins late is reminded at its own period too, no more often than the informer looks', async () => {
  const { informer, server, clock, stop } = make(new FakeServer(), { resync: '2s' })
  server.put('a', 1)
  const run = informer.run(stop.signal)
  await settle()
  await clock.advance('3s')
  let reminders = 0
  informer.addEventHandler({ onUpdate: () => void reminders++ }, { resync: '1s' })
  await clock.advance('6s')
  expect(reminders).toBeGreaterThanOrEqual(2)
  expect(reminders).toBeLessThanOrEqual(3)
  stop.abort()
  await run
})

it('SI5, SI8: handlers may join while it starts; setters are refused from then on, and harm nobody', async () => {
  const { informer, server, stop } = make()
  for (let n = 0; n < 20; n++) server.put(`n${n}`, n)
  const counts = new Map<number, number>()
  const join = (n: number) => informer.addEventHandler({ onAdd: () => void counts.set(n, (counts.get(n) ?? 0) + 1) })
  join(0)
  informer.setTransform((thing) => thing)
  const run = informer.run(stop.signal)
  for (let n = 1; n < 10; n++) {
    join(n)
    expect(() => informer.setTransform((thing) => thing)).toThrow('is running')
    expect(() => informer.setWatchErrorHandler(() => {})).toThrow('is running')
    for (let turn = 0; turn < n; turn++) await undefined
  }
  await settle()
  expect([...counts.values()]).toEqual(Array(10).fill(20))
  stop.abort()
  await run
})

it('SI14: a hundred handlers come and go during ten thousand events, and who stays hears everything', async () => {
  const { informer, server, stop } = make()
  const run = informer.run(stop.signal)
  await settle()
  const known = new Map<string, number>()
  const staying = informer.addEventHandler(
    {
      onAdd: ({ metadata, spec }) => void known.set(metadata.name, spec.size),
      onUpdate: (_, { metadata, spec }) => void known.set(metadata.name, spec.size),
    },
    { buffer: 20_000 },
  )
  let finished = false
  const worker = async () => {
    while (!finished) {
      const registration = informer.addEventHandler({ onAdd() {} })
      for (let turn = 0; turn < 5; turn++) await undefined
      await registration[Symbol.asyncDispose]()
    }
  }
  const workers = Array.from({ length: 100 }, worker)
  for (let n = 0; n < 10_000; n++) {
    server.put(`n${n % 50}`, n)
    if (n % 100 === 0) await undefined
  }
  finished = true
  await Promise.all(workers)
  for (let turn = 0; turn < 500 && known.get('n49') !== 9999; turn++) await settle()
  expect(known.get('n49')).toBe(9999)
  expect(staying.hasSynced()).toBe(true)
  stop.abort()
  await run
})

describe('the end of an informer', () => {
  it.each([
    ['aborted before the first list', 0],
    ['aborted after it', 200],
    ['aborted by its disposal', -1],
  ])('SI20: leaves nothing behind when it is %s', async (_, turns) => {
    const { informer, server, clock, stop } = make(new FakeServer(), { resync: '1s' })
    server.put('a', 1)
    const registration = informer.addEventHandler({ onAdd: async () => {} })
    const stream = informer.changes()
    const run = informer.run(stop.signal)
    for (let turn = 0; turn < Math.abs(turns); turn++) await undefined
    if (turns < 0) await informer[Symbol.asyncDispose]()
    else stop.abort()
    await run
    await registration[Symbol.asyncDispose]()
    for await (const _change of stream) void _change
    expect([server.openWatches, clock.sleeping, informer.isStopped]).toEqual([0, 0, true])
  })

  it('SI24: disposing of a handler returns, whether it never ran, joined before the start or after it', async () => {
    const never = make().informer.addEventHandler({})
    await never[Symbol.asyncDispose]()
    const { informer, stop } = make()
    const before = informer.addEventHandler({})
    const run = informer.run(stop.signal)
    const after = informer.addEventHandler({})
    await settle()
    await before[Symbol.asyncDispose]()
    await after[Symbol.asyncDispose]()
    await after[Symbol.asyncDispose]()
    stop.abort()
    await run
  })
})

it('says how much waits, how much it holds, and which version it has reached', async () => {
  const { metrics, value } = recordedMetrics()
  const { informer, server, stop } = make(new FakeServer(), { metrics })
  for (let n = 0; n < 3; n++) server.put(`n${n}`, n)
  const run = informer.run(stop.signal)
  await settle()
  server.put('n9', 1)
  await settle()
  const figures = ['informer_queued_items', 'informer_store_objects', 'informer_store_resource_version']
  expect(figures.map(value)).toEqual([0, 4, Number(server.version)])
  expect(value('informer_processing_latency_seconds')).toBe(0)
  stop.abort()
  await run
})

it('gives others their turn while a long list is put in place and told', async () => {
  const server = new FakeServer()
  for (let n = 0; n < 3000; n++) server.put(`n${n}`, n)
  const { clock, ...surroundings } = virtualSurroundings()
  // Every look at the clock takes a millisecond: as if each object were slow.
  const slow = Object.create(clock, { monotonic: { value: () => (elapsed += 0.001) } })
  let elapsed = 0
  let rests = 0
  slow.sleep = async (duration: number, signal?: AbortSignal) => {
    if (duration !== 0) return clock.sleep(duration, signal)
    rests++
  }
  const informer = new SharedIndexInformer<Thing>(server, { ...surroundings, clock: slow })
  const sizes: number[] = []
  informer.subscribe(() => void sizes.push(informer.getStore().size))
  let heard = 0
  informer.addEventHandler({ onAdd: () => void heard++ })
  const stop = new AbortController()
  const run = informer.run(stop.signal)
  while (heard < 3000) await settle()
  expect(rests).toBeGreaterThan(50)
  expect(new Set(sizes)).toEqual(new Set([3000]))
  stop.abort()
  await run
})
