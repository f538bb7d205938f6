import { describe, expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { Api, configMaps } from '../api.ts'
import { settled, VirtualClock } from '../virtual-clock.ts'

describe('virtual time', () => {
  it('stamps objects', async () => {
    const clock = new VirtualClock('2030-05-06T07:08:09Z')
    await using cluster = await Cluster.start({ listen: false, clock })
    const { body } = await new Api(cluster).post(configMaps, { metadata: { name: 'a' } })
    expect(body.metadata.creationTimestamp).toBe('2030-05-06T07:08:09Z')
  })

  it('sends bookmarks every minute to those who asked, never below an event', async () => {
    const clock = new VirtualClock()
    await using cluster = await Cluster.start({ listen: false, clock })
    const api = new Api(cluster)
    const marked = await api.watch(`${configMaps}?watch=true&allowWatchBookmarks=true`)
    const plain = await api.watch(`${configMaps}?watch=true`)
    await clock.advance(30)
    await api.post(configMaps, { metadata: { name: 'a' } })
    await clock.advance(100)
    expect(marked.seen).toEqual(['ADDED a', 'BOOKMARK', 'BOOKMARK'])
    const [added, bookmark] = marked.events.map((event) => Number(event.object.metadata.resourceVersion))
    expect(bookmark).toBeGreaterThanOrEqual(added as number)
    expect(plain.seen).toEqual(['ADDED a'])
  })

  it('ends a watch at its timeout, with a bookmark shortly before', async () => {
    const clock = new VirtualClock()
    await using cluster = await Cluster.start({ listen: false, clock })
    const watch = await new Api(cluster).watch(`${configMaps}?watch=true&allowWatchBookmarks=true&timeoutSeconds=10`)
    await clock.advance(7)
    expect(watch.seen).toEqual([])
    await clock.advance(2)
    expect(watch.seen).toEqual(['BOOKMARK'])
    expect(watch.ended).toBeUndefined()
    await clock.advance(2)
    expect(watch.ended).toBe('clean')
  })

  it('waits for a version of the future, and gives up after three seconds', async () => {
    const clock = new VirtualClock()
    await using cluster = await Cluster.start({ listen: false, clock })
    const api = new Api(cluster)
    const next = Number((await api.get(configMaps)).body.metadata.resourceVersion) + 1
    const soon = api.get(`${configMaps}?resourceVersion=${next}`)
    const never = api.get(`${configMaps}?resourceVersion=${next + 1000}`)
    await settled()
    expect(cluster.inFlight).toBe(2)
    expect(cluster.idle()).toBe(false)
    await api.post(configMaps, { metadata: { name: 'a' } })
    expect((await soon).body.items).toHaveLength(1)
    await clock.advance(3)
    const refused = await never
    expect(refused.status).toBe(504)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.body.details.causes[0].reason).toBe('ResourceVersionTooLarge')
  })

  it('gives up a request at once when its signal aborts', async () => {
    const clock = new VirtualClock()
    await using cluster = await Cluster.start({ listen: false, clock })
    const abort = new AbortController()
    const path = `${configMaps}?resourceVersion=999999`
    const pending = cluster.transport().request({ method: 'GET', path, headers: {}, signal: abort.signal })
    await settled()
    abort.abort(new Error('enough'))
    await expect(pending).rejects.toThrow('enough')
    await settled()
    expect(cluster.inFlight).toBe(0)
    expect(clock.sleeping).toBe(0)
  })

  it('ends what waits on a transport that is disposed of', async () => {
    await using cluster = await Cluster.start({ listen: false, clock: new VirtualClock() })
    const transport = cluster.transport()
    const { signal } = new AbortController()
    const path = `${configMaps}?watch=true`
    const watch = await transport.stream({ method: 'GET', path, headers: {}, signal })
    const read = watch.body[Symbol.asyncIterator]().next()
    const future = `${configMaps}?resourceVersion=999999`
    const pending = transport.request({ method: 'GET', path: future, headers: {}, signal })
    const refused = expect(pending).rejects.toThrow('closed')
    await transport[Symbol.asyncDispose]()
    await refused
    await expect(read).rejects.toThrow('closed')
    await expect(transport.request({ method: 'GET', path, headers: {}, signal })).rejects.toThrow('closed')
  })

  it('has one sleeper however many watches are open, and none without', async () => {
    const clock = new VirtualClock()
    await using cluster = await Cluster.start({ listen: false, clock })
    const api = new Api(cluster)
    expect(clock.sleeping).toBe(0)
    const watches = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        api.watch(`${configMaps}?watch=true&allowWatchBookmarks=true&timeoutSeconds=${100 + i}`),
      ),
    )
    await settled()
    expect(clock.sleeping).toBe(1)
    for (const watch of watches) watch.abort()
    await settled()
    expect(clock.sleeping).toBe(0)
  })

  it('is idle when nothing is in flight, unread or due', async () => {
    const clock = new VirtualClock()
    await using cluster = await Cluster.start({ listen: false, clock })
    const api = new Api(cluster)
    expect(cluster.idle()).toBe(true)
    await api.watch(`${configMaps}?watch=true`)
    const write = api.post(configMaps, { metadata: { name: 'a' } })
    expect(cluster.idle()).toBe(false)
    await write
    await settled()
    expect(cluster.idle()).toBe(true)
  })
})
