import { describe, expect, it } from 'vitest'
import {
  Cluster,
  delay,
  dropConnection,
  type Effect,
  garble,
  loseResponse,
  mislabel,
  refuseConnection,
  respond,
  slowDown,
  stall,
  truncate,
  warn,
} from '../../src/index.ts'
import { Api, configMaps } from '../api.ts'
import { settled, VirtualClock } from '../virtual-clock.ts'

async function started() {
  const clock = new VirtualClock()
  const cluster = await Cluster.start({ listen: false, clock })
  return { clock, cluster, api: new Api(cluster), [Symbol.asyncDispose]: () => cluster.stop() }
}

const named = (name: string) => ({ metadata: { name } })

describe('a fault on a request', () => {
  it('refuses with a Status, as often as it is meant to', async () => {
    await using t = await started()
    const fault = t.cluster.faults.times(2, { verb: 'create' }, respond(503, { retryAfter: '2s' }))
    const refused = await t.api.post(configMaps, named('a'))
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('2')
    expect(refused.body).toMatchObject({
      kind: 'Status',
      reason: 'ServiceUnavailable',
      details: { retryAfterSeconds: 2 },
    })
    await t.api.post(configMaps, named('a'))
    expect((await t.api.post(configMaps, named('a'))).status).toBe(201)
    expect(fault.fired).toBe(2)
  })

  it('answers as what stands before a server does: text, or a page', async () => {
    await using t = await started()
    t.cluster.faults.once({}, respond(502, { as: 'html' }))
    const page = await t.api.get(configMaps)
    expect([page.status, page.headers.get('content-type')]).toEqual([502, 'text/html'])
    t.cluster.faults.once({}, respond(504, { as: 'text', message: 'upstream timed out' }))
    expect((await t.api.get(configMaps)).body).toBe('upstream timed out')
  })

  it('lets the write happen, and loses its answer', async () => {
    await using t = await started()
    t.cluster.faults.once({ verb: 'create', resource: 'configmaps' }, loseResponse())
    await expect(t.api.post(configMaps, named('a'))).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect((await t.api.get(`${configMaps}/a`)).status).toBe(200)
  })

  it('lets the write happen, and answers that it failed', async () => {
    await using t = await started()
    t.cluster.faults.once(
      { verb: 'create' },
      respond(504, { after: 'commit', message: 'etcdserver: request timed out' }),
    )
    expect((await t.api.post(configMaps, named('a'))).status).toBe(504)
    expect((await t.api.get(`${configMaps}/a`)).status).toBe(200)
  })

  it('breaks the connection before anything has happened', async () => {
    await using t = await started()
    for (const [effect, code] of [
      [dropConnection(), 'ECONNRESET'],
      [refuseConnection(), 'ECONNREFUSED'],
    ] as const) {
      t.cluster.faults.once({ verb: 'create' }, effect)
      await expect(t.api.post(configMaps, named('a'))).rejects.toMatchObject({ code })
    }
    expect((await t.api.get(`${configMaps}/a`)).status).toBe(404)
  })

  it('takes its time, by the clock of the cluster', async () => {
    await using t = await started()
    t.cluster.faults.once({}, delay('10s'))
    let answered = false
    const asked = t.api.get(configMaps).then(() => {
      answered = true
    })
    await t.clock.advance(9)
    expect(answered).toBe(false)
    await t.clock.advance(1)
    await asked
  })

  it('never answers, and lets go when the client does', async () => {
    await using t = await started()
    t.cluster.faults.once({}, stall())
    const impatient = new AbortController()
    const request = { method: 'GET', path: configMaps, headers: {}, signal: impatient.signal }
    const asked = t.cluster.transport().request(request)
    impatient.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
  })

  it('cuts an answer short, cleanly or in the middle', async () => {
    await using t = await started()
    const raw = async (effect: Effect) => {
      t.cluster.faults.once({ verb: 'list' }, effect)
      const signal = new AbortController().signal
      return (await t.cluster.transport().request({ method: 'GET', path: configMaps, headers: {}, signal })).body
    }
    expect(Buffer.from(await raw(truncate(5))).toString()).toBe('{"kin')
    await expect(raw(dropConnection({ afterBytes: 5 }))).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('spoils an answer, its label, and adds a warning', async () => {
    await using t = await started()
    t.cluster.faults.once({}, garble())
    await expect(t.api.get(configMaps)).rejects.toThrow(SyntaxError)
    t.cluster.faults.once({}, mislabel('text/plain'))
    expect((await t.api.get(configMaps)).headers.get('content-type')).toBe('text/plain')
    t.cluster.faults.once({}, warn('mind the gap'))
    expect((await t.api.get(configMaps)).headers.get('warning')).toBe('299 - "mind the gap"')
  })

  it('lets an answer trickle', async () => {
    await using t = await started()
    t.cluster.faults.once({}, slowDown(100))
    let answered: unknown
    const asked = t.api.get(configMaps).then((reply) => {
      answered = reply.body.kind
    })
    await settled()
    expect(answered).toBeUndefined()
    await t.clock.advance(10)
    await asked
    expect(answered).toBe('ConfigMapList')
  })
})

describe('which requests are struck', () => {
  const strikes = async (lay: (cluster: Cluster) => unknown, requests: (api: Api) => Promise<{ status: number }>[]) => {
    await using t = await started()
    await t.api.post(configMaps, named('a'))
    lay(t.cluster)
    return (await Promise.all(requests(t.api))).map(({ status }) => status === 503)
  }
  const busy = respond(503)

  it('is said by verb, resource, namespace and name', async () => {
    const requests = (api: Api) => [api.get(configMaps), api.get(`${configMaps}/a`), api.get('/api/v1/secrets')]
    expect(await strikes(({ faults }) => faults.always({ verb: 'list' }, busy), requests)).toEqual([true, false, true])
    expect(await strikes(({ faults }) => faults.always({ verb: ['get'] }, busy), requests)).toEqual([
      false,
      true,
      false,
    ])
    const secrets = { group: '', plural: 'secrets' }
    expect(await strikes(({ faults }) => faults.always({ resource: secrets }, busy), requests)).toEqual([
      false,
      false,
      true,
    ])
    expect(await strikes(({ faults }) => faults.always({ name: 'a' }, busy), requests)).toEqual([false, true, false])
    expect(await strikes(({ faults }) => faults.always({ namespace: 'default' }, busy), requests)).toEqual([
      true,
      true,
      false,
    ])
  })

  it('is said by user, manager, media type, labels, version and path', async () => {
    const labelled = { metadata: { name: 'b', labels: { app: 'x' } } }
    const requests = (api: Api) => [
      api.patch(`${configMaps}/a?fieldManager=me`, { data: {} }),
      api.post(configMaps, labelled),
      api.get(`${configMaps}?resourceVersion=0`),
      api.get('/apis'),
    ]
    const struck = (match: Parameters<Cluster['faults']['always']>[0]) =>
      strikes(({ faults }) => faults.always(match, busy), requests)
    expect(await struck({ user: 'test' })).toEqual([true, true, true, true])
    expect(await struck({ user: 'somebody' })).toEqual([false, false, false, false])
    expect(await struck({ fieldManager: 'me' })).toEqual([true, false, false, false])
    expect(await struck({ contentType: 'application/merge-patch' })).toEqual([true, false, false, false])
    expect(await struck({ labels: { app: 'x' } })).toEqual([false, true, false, false])
    expect(await struck({ verb: 'list', since: 'zero' })).toEqual([false, false, true, false])
    expect(await struck({ path: '/apis' })).toEqual([false, false, false, true])
    expect(await struck({ when: ({ body }) => body !== undefined })).toEqual([true, true, false, false])
  })

  it('is said by count, rate, chance, time and what came before', async () => {
    const gets = (api: Api) => Array.from({ length: 6 }, () => api.get(configMaps))
    const pattern = async (lay: (cluster: Cluster) => unknown) =>
      (await strikes(lay, gets)).map((struck) => (struck ? 'x' : '.')).join('')
    expect(await pattern(({ faults }) => faults.nth(2, {}, busy))).toBe('.x....')
    expect(await pattern(({ faults }) => faults.every(3, {}, busy))).toBe('..x..x')
    expect(await pattern(({ faults }) => faults.times(2, {}, busy))).toBe('xx....')
    expect(await pattern(({ faults }) => faults.beyond(2, {}, busy))).toBe('..xxxx')
    expect(await pattern(({ faults }) => faults.after({ verb: 'list' }, {}, busy))).toBe('.xxxxx')
    expect(await pattern(({ faults }) => faults.oncePerObject({}, busy))).toBe('x.....')
    const chance = await pattern(({ faults }) => faults.sometimes(0.5, {}, busy))
    expect(await pattern(({ faults }) => faults.sometimes(0.5, {}, busy))).toBe(chance)
    expect(await pattern(({ faults }) => faults.between('5s', '10s', {}, busy))).toBe('......')
  })

  it('ends with disposal, or with all others', async () => {
    await using t = await started()
    {
      using _ = t.cluster.faults.always({}, busy)
      expect((await t.api.get(configMaps)).status).toBe(503)
    }
    expect((await t.api.get(configMaps)).status).toBe(200)
    t.cluster.faults.always({}, busy)
    t.cluster.faults.clear()
    expect((await t.api.get(configMaps)).status).toBe(200)
  })

  it('is written down, strike by strike', async () => {
    await using t = await started()
    t.cluster.faults.once({ verb: 'create' }, loseResponse())
    await t.api.post(configMaps, named('a')).catch(() => {})
    expect(t.cluster.faults.firings).toMatchObject([
      { fault: 1, effect: 'lose response', moment: 'answer', verb: 'create', object: 'default/a', request: 1 },
    ])
  })
})

describe('presets', () => {
  it('repeat themselves with the seed', async () => {
    const story = async (seed: number) => {
      await using cluster = await Cluster.start({ listen: false, seed })
      const api = new Api(cluster)
      cluster.faults.preset('flaky-network')
      const statuses: unknown[] = []
      for (let i = 0; i < 60; i++)
        statuses.push(
          await api.post(configMaps, named(`n${i}`)).then(
            (r) => r.status,
            () => 'lost',
          ),
        )
      return statuses
    }
    const first = await story(7)
    expect(first).toContain('lost')
    expect(await story(7)).toEqual(first)
    expect(await story(8)).not.toEqual(first)
  })

  it('tell their names when one is mistaken', async () => {
    await using t = await started()
    expect(() => t.cluster.faults.preset('flaky' as 'throttled')).toThrow('No preset "flaky". There are: flaky-network')
  })
})
