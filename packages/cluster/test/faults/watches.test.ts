import { describe, expect, it } from 'vitest'
import {
  Cluster,
  delayEvents,
  dropConnection,
  dropEvents,
  duplicateEvents,
  type Effect,
  endWatch,
  expire,
  type FaultMatch,
  failWatch,
  giantLine,
  hideInitialEnd,
  holdEvents,
  reorderEvents,
  repeatBookmark,
  replayEvent,
  respond,
  stall,
  unknownEvent,
} from '../../src/index.ts'
import { Api, configMaps } from '../api.ts'
import { settled, VirtualClock } from '../virtual-clock.ts'

/** A watch that is struck, while a, b and c are created. */
async function watched(match: FaultMatch, effect: Effect, query = '') {
  const clock = new VirtualClock()
  const cluster = await Cluster.start({ listen: false, clock })
  const api = new Api(cluster)
  const fault = cluster.faults.always(match, effect)
  const watch = await api.watch(`${configMaps}?watch=true${query}`)
  await settled()
  for (const name of ['a', 'b', 'c']) await api.post(configMaps, { metadata: { name } })
  await settled()
  return { clock, cluster, api, fault, watch, [Symbol.asyncDispose]: () => cluster.stop() }
}

const eachEvent: FaultMatch = { event: 'any', user: 'test' }
const eventOfB: FaultMatch = { event: 'ADDED', name: 'b' }

const INITIAL = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'

describe('a fault on the events of a watch', () => {
  it('swallows one', async () => {
    await using t = await watched(eventOfB, dropEvents())
    expect(t.watch.seen).toEqual(['ADDED a', 'ADDED c'])
  })

  it('sends one twice', async () => {
    await using t = await watched(eventOfB, duplicateEvents())
    expect(t.watch.seen).toEqual(['ADDED a', 'ADDED b', 'ADDED b', 'ADDED c'])
  })

  it('sends one after the next', async () => {
    await using t = await watched(eventOfB, reorderEvents())
    expect(t.watch.seen).toEqual(['ADDED a', 'ADDED c', 'ADDED b'])
  })

  it('sends an older one again', async () => {
    await using t = await watched(eventOfB, replayEvent())
    expect(t.watch.seen).toEqual(['ADDED a', 'ADDED b', 'ADDED a', 'ADDED c'])
  })

  it('sends one late, and those that follow after it', async () => {
    await using t = await watched(eventOfB, delayEvents('5s'))
    expect(t.watch.seen).toEqual(['ADDED a'])
    await t.clock.advance(5)
    expect(t.watch.seen).toEqual(['ADDED a', 'ADDED b', 'ADDED c'])
  })

  it('holds them all until it is over', async () => {
    await using t = await watched(eachEvent, holdEvents())
    expect(t.watch.seen).toEqual([])
    expect((await t.api.get(configMaps)).body.items).toHaveLength(3)
    t.fault[Symbol.dispose]()
    await settled()
    expect(t.watch.seen).toEqual(['ADDED a', 'ADDED b', 'ADDED c'])
  })

  it('ends the watch in the place of one: cleanly, broken, with 410, or with any error', async () => {
    for (const [effect, seen, end] of [
      [endWatch(), ['ADDED a'], 'clean'],
      [expire(), ['ADDED a', 'ERROR'], 'clean'],
      [failWatch(500), ['ADDED a', 'ERROR'], 'clean'],
    ] as const) {
      await using t = await watched(eventOfB, effect)
      expect([t.watch.seen, t.watch.ended]).toEqual([seen, end])
    }
    await using t = await watched(eventOfB, dropConnection())
    expect(t.watch.ended).toMatchObject({ code: 'ECONNRESET' })
  })

  it('puts a strange event before one, and makes one huge', async () => {
    await using t = await watched(eventOfB, unknownEvent())
    expect(t.watch.events.map(({ type }) => type)).toEqual(['ADDED', 'SURPRISE', 'ADDED', 'ADDED'])
    await using u = await watched(eventOfB, giantLine(2_000_000))
    expect(u.watch.seen).toEqual(['ADDED a', 'ADDED b', 'ADDED c'])
    expect(u.watch.bytes).toBeGreaterThan(2_000_000)
  })

  it('repeats bookmarks, or hides the one that ends the initial events', async () => {
    await using t = await watched({ event: 'BOOKMARK' }, repeatBookmark(3), INITIAL)
    expect(t.watch.events.filter(({ type }) => type === 'BOOKMARK')).toHaveLength(3)
    await using u = await watched({ event: 'BOOKMARK' }, hideInitialEnd(), INITIAL)
    expect(u.watch.events.filter(({ type }) => type === 'BOOKMARK')).toHaveLength(0)
  })

  it('strikes watches that were open before it was laid', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const watch = await api.watch(`${configMaps}?watch=true`)
    cluster.faults.once({ event: 'ADDED' }, dropEvents())
    for (const name of ['a', 'b']) await api.post(configMaps, { metadata: { name } })
    await settled()
    expect(watch.seen).toEqual(['ADDED b'])
  })
})

describe('a fault on a whole watch', () => {
  const watches: FaultMatch = { verb: 'watch' }

  it('strikes the events with which it begins, too', async () => {
    await using t = await watched(watches, hideInitialEnd(), INITIAL)
    expect(t.watch.events.filter(({ type }) => type === 'BOOKMARK')).toHaveLength(0)
  })

  it('opens it, and says nothing', async () => {
    await using t = await watched(watches, stall())
    expect([t.watch.status, t.watch.seen, t.watch.ended]).toEqual([200, [], undefined])
  })

  it('ends it at once', async () => {
    await using t = await watched(watches, endWatch())
    expect([t.watch.seen, t.watch.ended]).toEqual([[], 'clean'])
  })

  it('answers 410, within the stream or instead of it', async () => {
    await using t = await watched(watches, expire())
    expect(t.watch.events).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }])
    await using u = await watched(watches, expire({ as: 'answer' }))
    expect(u.watch.status).toBe(410)
  })

  it('strikes its first events, or all of them', async () => {
    await using t = await watched(watches, dropEvents(2))
    expect(t.watch.seen).toEqual(['ADDED c'])
    await using u = await watched(watches, duplicateEvents())
    expect(u.watch.seen).toEqual(['ADDED a', 'ADDED a', 'ADDED b', 'ADDED b', 'ADDED c', 'ADDED c'])
  })

  it('tells an old server from a new one', async () => {
    await using t = await watched({ verb: 'watch', initialEvents: true }, respond(422))
    expect(t.watch.seen).toEqual(['ADDED a', 'ADDED b', 'ADDED c'])
    const refused = await t.api.watch(
      `${configMaps}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
    )
    expect(refused.status).toBe(422)
  })
})
