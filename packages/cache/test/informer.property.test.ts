import { expect, it } from 'vitest'
import { SharedIndexInformer } from '../src/index.ts'
import { endOfInitialEvents, FakeServer } from './fake-server.ts'
import { livesThroughAll, makeInformer, type Way } from './informer-history.ts'
import { settle, virtualSurroundings } from './surroundings.ts'

const WAYS: [string, Way][] = [
  ['lists in pages', { watchList: false }],
  ['lists streamed', {}],
  ['lists from a server that ignores the wish for streamed ones', { ignores: true }],
  ['the delta queue', { queue: 'delta' }],
]

it.each(WAYS)(
  'whatever goes wrong, the cache ends as the server is, and everybody hears an ordered history: %s',
  (_, way) => livesThroughAll(makeInformer, way, { numRuns: 120 }),
)

it('a resumed stream that carries the end of a list twice does no harm', async () => {
  const server = new FakeServer({})
  server.put('a', 1)
  const informer = new SharedIndexInformer(server, virtualSurroundings())
  const stop = new AbortController()
  const run = informer.run(stop.signal)
  await settle()
  server.send(endOfInitialEvents('99'))
  await settle()
  expect(informer.getStore().size).toBe(1)
  expect(informer.lastSyncResourceVersion).toBe('99')
  stop.abort()
  await run
})
