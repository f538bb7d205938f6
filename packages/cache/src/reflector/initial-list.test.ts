import { describe, expect, it } from 'vitest'
import { bookmark, broken, endOfInitialEvents, FakeServer, gone, invalid, throttled } from '../../test/fake-server.ts'
import { sizes, reflecting as start } from '../../test/reflecting.ts'
import { settle } from '../../test/surroundings.ts'

describe('pages', () => {
  const filled = () => {
    const server = new FakeServer()
    for (let i = 0; i < 5; i++) server.put(`t${i}`, i)
    return server
  }

  it('RE20, RE22: are asked for as told, and the version goes with the first only', async () => {
    const { server, store, end } = start(filled(), { pageSize: 2 })
    await settle()
    expect(server.requests).toEqual(['list 0', 'list +2', 'list +4', 'watch 15'])
    expect(store.size).toBe(5)
    await end()
  })

  it('RE21: are not asked for at a known version', async () => {
    const { server, end } = start(filled())
    await settle()
    server.send({ type: 'ERROR', object: gone() })
    await settle()
    expect(server.requests.at(-2)).toBe('list 15')
    expect(server.asked.at(-2)).not.toHaveProperty('limit')
    await end()
  })

  it('RE25: are given up for everything at once when the server forgets them in the middle', async () => {
    const server = filled()
    const list = server.list.bind(server)
    server.list = (options) => {
      if (options.continue) server.failNextList(gone())
      return list(options)
    }
    const { store, end } = start(server, { pageSize: 2 })
    await settle()
    expect(server.requests).toEqual(['list 0', 'list +2', 'list 0', 'watch 15'])
    expect(store.size).toBe(5)
    await end()
  })
})

describe('a streamed list', () => {
  const streaming = () => new FakeServer({})

  it('WL8, RE12: fills the store by one request, and the same stream goes on as the watch', async () => {
    const server = streaming()
    server.put('a', 1)
    const { store, reflector, end } = start(server)
    await settle()
    server.put('b', 2)
    await settle()
    expect(sizes(store)).toEqual({ a: 1, b: 2 })
    expect(server.requests).toEqual(['stream'])
    const asked = {
      resourceVersion: '',
      resourceVersionMatch: 'NotOlderThan',
      sendInitialEvents: true,
      bookmarks: true,
    }
    expect(server.asked[0]).toMatchObject(asked)
    expect(reflector.state).toBe('watching')
    await end()
  })

  it('WL4, WL9, WL14: touches the store only when it is complete, and has what changed meanwhile', async () => {
    const server = streaming()
    server.ignoresInitialEvents = true
    server.put('a', 1)
    server.put('b', 1)
    const { store, reflector, end } = start(server)
    await settle()
    server.delete('a')
    server.put('b', 2)
    server.send(bookmark('50', { 'k8s.io/initial-events-end': 'false' }))
    await settle()
    expect([store.size, reflector.lastSyncResourceVersion]).toEqual([0, ''])
    server.send(endOfInitialEvents('60'))
    await settle()
    expect(sizes(store)).toEqual({ b: 2 })
    expect(reflector.lastSyncResourceVersion).toBe('60')
    await end()
  })

  it('WL-ours: is given up after a bounded silence, for good, when the server does not know such lists', async () => {
    const server = streaming()
    server.ignoresInitialEvents = true
    server.put('a', 1)
    const { store, clock, end } = start(server)
    await clock.advance('9s')
    expect(store.size).toBe(0)
    await clock.advance('1s')
    expect(sizes(store)).toEqual({ a: 1 })
    server.send({ type: 'ERROR', object: gone() })
    await clock.advance('5s')
    expect(server.requests).toEqual(['stream', 'list 0', 'watch 11', 'list 11', 'watch 11'])
    await end()
  })

  it('is given up as well when events keep coming but never their end', async () => {
    const server = streaming()
    server.ignoresInitialEvents = true
    const { store, clock, end } = start(server)
    for (let second = 0; second < 130; second += 5) {
      server.put('a', second)
      await clock.advance('5s')
    }
    expect(store.size).toBe(1)
    await end()
  })

  it('WL5, WL6, WL7: falls back to pages when it is refused; for good when the server is too old', async () => {
    for (const [status, later] of [
      [broken(), 'stream'],
      [invalid(), 'list 10'],
    ] as const) {
      const server = streaming()
      server.failNextWatch(status)
      const { clock, end } = start(server)
      await settle()
      expect(server.requests).toEqual(['stream', 'list 0', 'watch 10'])
      server.send({ type: 'ERROR', object: gone() })
      await clock.advance('1s')
      expect(server.requests[3]).toBe(later)
      await end()
    }
  })

  it('WL10, WL11: is asked for again, after a wait, when it was throttled or cut', async () => {
    const server = streaming()
    server.failNextWatch(throttled(), 'refuse-connection')
    const { store, clock, end } = start(server)
    server.put('a', 1)
    await settle()
    expect(server.requests).toEqual(['stream'])
    await clock.advance('5s')
    expect(server.requests).toEqual(['stream', 'stream', 'stream'])
    expect(store.size).toBe(1)
    await end()
  })

  it('WL12: is followed by a plain watch when it is cut after it was complete', async () => {
    const { server, end } = start(streaming())
    await settle()
    server.cutAll()
    await settle()
    expect(server.requests).toEqual(['stream', 'watch 10'])
    await end()
  })

  it('is not tried where the source says that it does not work', async () => {
    const { server, end } = start(streaming(), { initialList: 'pages' })
    await settle()
    expect(server.requests).toEqual(['list 0', 'watch 10'])
    await end()
  })
})
