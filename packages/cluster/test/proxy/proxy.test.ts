import { describe, expect, it } from 'vitest'
import {
  Cluster,
  delay,
  dropConnection,
  type Effect,
  endWatch,
  expire,
  FaultProxy,
  garble,
  loseResponse,
  respond,
  slowDown,
  stall,
  truncate,
  warn,
} from '../../src/index.ts'
import { linesInto } from '../../src/proxy/lines.ts'
import { type Any, configMaps } from '../api.ts'

async function through(options: { readonly faultControl?: boolean } = {}) {
  const cluster = await Cluster.start()
  const proxy = await FaultProxy.start({ target: { server: cluster.url }, ...options })
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(proxy.url + path, {
      method,
      headers: { 'content-type': 'application/json', 'user-agent': 'test/1', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, body: parsed(text) }
  }
  const create = (name: string) => send('POST', configMaps, { metadata: { name } })
  const exists = async (name: string) => (await fetch(`${cluster.url}${configMaps}/${name}`)).status === 200
  const close = async () => {
    await proxy.stop()
    await cluster.stop()
  }
  return { cluster, proxy, send, create, exists, [Symbol.asyncDispose]: close }
}

function parsed(text: string): Any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The events of a watch of config maps until it ends, breaks, or as many have come as are wanted. */
async function watched(url: string, wanted = 100) {
  const answer = await fetch(`${url}${configMaps}?watch=true&resourceVersion=0`)
  const seen: string[] = []
  const note = (line: Uint8Array) => {
    const { type, object } = JSON.parse(Buffer.from(line).toString())
    seen.push(`${type} ${object.metadata?.name ?? object.code}`)
  }
  const lines = linesInto(note)
  try {
    for await (const chunk of answer.body ?? []) {
      lines.add(chunk)
      if (seen.length >= wanted) break
    }
    return { seen, end: seen.length >= wanted ? 'left' : 'ended' }
  } catch {
    return { seen, end: 'broken' }
  }
}

describe('a proxy without faults', () => {
  it('answers as the server does, refusals and watches included', async () => {
    await using t = await through()
    expect(await t.create('a')).toMatchObject({ status: 201, body: { metadata: { name: 'a' } } })
    expect(await t.create('a')).toMatchObject({ status: 409, body: { reason: 'AlreadyExists' } })
    expect(await watched(t.proxy.url, 1)).toEqual({ seen: ['ADDED a'], end: 'left' })
    expect(t.proxy.requests.map(({ verb, status, user }) => `${user} ${verb} ${status}`)).toEqual([
      'test create 201',
      'test create 409',
      'node watch 200',
    ])
  })

  it('signs in with its own credentials, over TLS, where a request has none', async () => {
    await using cluster = await Cluster.start({ users: [{ name: 'jane' }, { name: 'joe' }] })
    const { server, caData: ca = '', token = '' } = cluster.connectionOf('jane')
    await using proxy = await FaultProxy.start({ target: { server, ca, token } })
    const whoami = async (headers: Record<string, string> = {}) => {
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
      const type = { 'content-type': 'application/json' }
      const answer = await fetch(proxy.url + path, { method: 'POST', body: '{}', headers: { ...type, ...headers } })
      return ((await answer.json()) as Any).status.userInfo.username
    }
    expect(await whoami()).toBe('jane')
    expect(await whoami({ authorization: `Bearer ${cluster.connectionOf('joe').token}` })).toBe('joe')
  })

  it('breaks the connection when the server is not there', async () => {
    await using proxy = await FaultProxy.start({ target: { server: 'http://127.0.0.1:1' } })
    await expect(fetch(proxy.url)).rejects.toThrow('fetch failed')
  })
})

describe('a fault at a request', () => {
  const strike = async (effect: Effect) => {
    const t = await through()
    t.proxy.faults.once({ verb: 'create', user: 'test' }, effect)
    return t
  }

  it('refuses before the server has heard of it', async () => {
    await using t = await strike(respond(429, { retryAfter: '3s' }))
    const refused = await t.create('a')
    expect([refused.status, refused.headers.get('retry-after'), refused.body.reason]).toEqual([
      429,
      '3',
      'TooManyRequests',
    ])
    expect(await t.exists('a')).toBe(false)
    expect((await t.create('a')).status).toBe(201)
  })

  it('refuses after the server has done it', async () => {
    await using t = await strike(respond(504, { after: 'commit' }))
    expect((await t.create('a')).status).toBe(504)
    expect(await t.exists('a')).toBe(true)
  })

  it('resets the connection before the request, or after the write', async () => {
    await using before = await strike(dropConnection())
    await expect(before.create('a')).rejects.toThrow('fetch failed')
    expect(await before.exists('a')).toBe(false)
    await using after = await strike(loseResponse())
    await expect(after.create('a')).rejects.toThrow('fetch failed')
    expect(await after.exists('a')).toBe(true)
  })

  it('delays, cuts, garbles and slows answers, and adds warnings', async () => {
    await using late = await strike(delay('50ms', { after: 'commit' }))
    expect((await late.create('a')).status).toBe(201)
    await using cut = await strike(truncate(10))
    expect((await cut.create('a')).text).toHaveLength(10)
    await using garbled = await strike(garble())
    expect((await garbled.create('a')).body).toBeUndefined()
    await using slow = await strike(slowDown(100_000))
    expect((await slow.create('a')).body.metadata.name).toBe('a')
    await using warned = await strike(warn('be careful'))
    expect((await warned.create('a')).headers.get('warning')).toBe('299 - "be careful"')
  })

  it('never answers, until the client gives up', async () => {
    await using t = await strike(stall())
    const signal = AbortSignal.timeout(100)
    const asked = fetch(t.proxy.url + configMaps, { method: 'POST', signal, headers: { 'user-agent': 'test' } })
    await expect(asked).rejects.toThrow('aborted due to timeout')
    expect(await t.exists('a')).toBe(false)
  })
})

describe('a fault at a watch', () => {
  it('ends it, cuts it, or lets it expire in the middle', async () => {
    await using t = await through()
    for (const name of ['a', 'b', 'c']) await t.create(name)
    const struck = async (effect: Effect) => {
      using _ = t.proxy.faults.once({ event: 'ADDED', name: 'b' }, effect)
      return await watched(t.proxy.url)
    }
    expect(await struck(endWatch())).toEqual({ seen: ['ADDED a'], end: 'ended' })
    expect((await struck(dropConnection())).end).toBe('broken')
    expect(await struck(expire())).toEqual({ seen: ['ADDED a', 'ERROR 410'], end: 'ended' })
    t.proxy.faults.once({ verb: 'watch' }, expire({ as: 'answer' }))
    expect((await fetch(`${t.proxy.url}${configMaps}?watch=true`)).status).toBe(410)
  })

  it('silences it while lists stay fresh', async () => {
    await using t = await through()
    t.proxy.faults.once({ verb: 'watch' }, stall())
    const watching = watched(t.proxy.url)
    await t.create('a')
    expect((await t.send('GET', configMaps)).body.items).toHaveLength(1)
    t.proxy.cutWatches()
    expect((await watching).seen).toEqual([])
  })

  it('is written down', async () => {
    await using t = await through()
    await t.create('a')
    t.proxy.faults.once({ event: 'any' }, endWatch())
    await watched(t.proxy.url)
    expect(t.proxy.faults.firings).toMatchObject([{ effect: 'end watch', verb: 'watch', object: 'default/a' }])
  })
})

it('is laid by requests too, in the format of the embedded cluster', async () => {
  await using t = await through({ faultControl: true })
  const plan = { match: { verb: 'list' }, trigger: { when: 'first', n: 1 }, effect: { kind: 'respond', code: 503 } }
  expect((await t.send('POST', '/binnacle/faults', plan)).body).toEqual({ id: 1 })
  expect((await t.send('GET', configMaps)).status).toBe(503)
  expect((await t.send('GET', configMaps)).status).toBe(200)
  expect((await t.send('POST', '/binnacle/actor/cutWatches')).status).toBe(200)
  const header = { 'x-binnacle-fault': JSON.stringify({ kind: 'respond', code: 410 }) }
  expect((await t.send('GET', configMaps, undefined, header)).status).toBe(410)
  expect((await t.send('POST', '/binnacle/actor/compact')).body.message).toContain('cannot make a server forget')
})

describe('bytes', () => {
  it('become lines, wherever they are cut', () => {
    const text = '{"a":1}\n\n{"b":"ä"}\nrest'
    for (let size = 1; size <= text.length; size++) {
      const seen: string[] = []
      const lines = linesInto((line) => seen.push(Buffer.from(line).toString('latin1')))
      const bytes = Buffer.from(text, 'latin1')
      for (let at = 0; at < bytes.length; at += size) lines.add(bytes.subarray(at, at + size))
      lines.end()
      expect(seen).toEqual(['{"a":1}\n', '\n', '{"b":"ä"}\n', 'rest'])
    }
  })
})
