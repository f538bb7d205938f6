import { operator, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { type Harness, harness } from '../../src/harness.ts'
import { Kex } from '../kex.ts'

const sample = { metadata: { name: 'a', namespace: 'default' }, spec: { field: 'x' } }

async function ask(
  t: Harness,
  path: string,
): Promise<{ readonly status: number; readonly type: string; readonly body: string }> {
  const answer = await fetch(`${t.operator.healthUrl}${path}`)
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', body: await answer.text() }
}

function greeter() {
  const op = operator('greeter')
  op.on.create(Kex, { id: 'greet' }, ({ patch, retry }) => {
    if (retry === 0) throw new TemporaryError('not yet', { delay: 5 })
    patch.status.greeting = 'hello'
  })
  return op
}

describe('the health endpoint', () => {
  it('answers whether the operator is live, ready and started, with its whole state as JSON', async () => {
    await using t = await harness(greeter(), { resources: [Kex], health: 0 })
    expect(t.operator.healthUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    for (const path of ['/healthz', '/livez', '/readyz', '/startupz']) {
      const { status, type, body } = await ask(t, path)
      expect([status, type]).toEqual([200, 'application/json; charset=utf-8'])
      expect(JSON.parse(body)).toMatchObject({ live: true, ready: true, started: true, problems: [], probes: {} })
      expect(JSON.parse(body).streams).toMatchObject([{ resource: 'kopfexamples.kopf.dev', state: 'watching' }])
    }
  })

  it('answers 404 to all else, and to whoever wants to change something', async () => {
    await using t = await harness(greeter(), { resources: [Kex], health: { port: 0, path: '/operator/' } })
    expect(t.operator.healthUrl).toMatch(/\/operator$/)
    expect((await ask(t, '/readyz')).status).toBe(200)
    expect((await ask(t, '/')).status).toBe(404)
    expect((await ask(t, '/readyz/more')).status).toBe(404)
    const origin = new URL(t.operator.healthUrl ?? '').origin
    expect((await fetch(`${origin}/readyz`)).status).toBe(404)
    expect((await fetch(`${t.operator.healthUrl}/readyz`, { method: 'POST' })).status).toBe(404)
  })

  it('is not ready while nothing is heard of the server, but live: a new process would not hear more', async () => {
    await using t = await harness(greeter(), { resources: [Kex], health: 0 })
    t.link.sever()
    await t.advance('3m')
    const ready = await ask(t, '/readyz')
    expect([ready.status, (await ask(t, '/healthz')).status]).toEqual([503, 200])
    expect(JSON.parse(ready.body).problems[0]).toMatch(/^Nothing was heard of kopfexamples.kopf.dev for 1\d\d s/)
    t.link.restore()
    await t.advance('3m')
    expect((await ask(t, '/readyz')).status).toBe(200)
  })

  it('prints figures for Prometheus', async () => {
    await using t = await harness(greeter(), { resources: [Kex], health: 0 })
    await t.cluster.create(Kex, sample)
    await t.settled()
    await t.advance('5s')
    const { status, type, body } = await ask(t, '/metrics')
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    expect(body).toContain('binnacle_ready 1\n')
    expect(body).toContain('binnacle_handler_runs_total{handler="greet",cause="create",outcome="temporary"} 1\n')
    expect(body).toContain('binnacle_handler_runs_total{handler="greet",cause="create",outcome="success"} 1\n')
    expect(body).toContain('binnacle_handler_seconds_count{handler="greet"} 2\n')
    expect(body).toContain('binnacle_queue_objects{kind="kopfexamples.kopf.dev",state="waiting"} 0\n')
    expect(body).toMatch(/binnacle_writes_total\{kind="KopfExample",to="object"\} \d/)
    expect(body).toMatch(/reflector_watches_total\{name="kopfexamples.kopf.dev"\} \d/)
    expect(body).toMatch(/binnacle_stream_stale_seconds\{kind="kopfexamples.kopf.dev",namespace=""\} \d/)
  })

  it('does not print what another registry has', async () => {
    const figure = { add() {}, set() {}, observe() {} }
    const metrics = { counter: () => figure, gauge: () => figure, histogram: () => figure }
    await using t = await harness(greeter(), { resources: [Kex], health: 0, metrics })
    expect((await ask(t, '/metrics')).status).toBe(404)
  })

  it('ends with the operator, and a port that is taken ends the start with advice', async () => {
    await using t = await harness(greeter(), { resources: [Kex], health: 0 })
    const port = Number(new URL(t.operator.healthUrl ?? '').port)
    await expect(harness(greeter(), { resources: [Kex], health: port })).rejects.toThrow(
      /Health cannot be served at 127.0.0.1:\d+: .*EADDRINUSE/,
    )
    await t.stop()
    await using again = await harness(greeter(), { resources: [Kex], health: port })
    expect((await ask(again, '/healthz')).status).toBe(200)
  })
})

describe('probe handlers', () => {
  it('say in the answer what they return, with all that activities have', async () => {
    const op = greeter()
    op.on.probe(function objects({ client, activity, settings }) {
      return [activity, typeof client.get, settings.queueing.workerLimit]
    })
    op.on.probe({ id: 'now', param: 3 }, ({ param }) => param)
    await using t = await harness(op, { resources: [Kex], health: 0 })
    expect(t.health().probes).toEqual({})
    const { body } = await ask(t, '/healthz')
    expect(JSON.parse(body).probes).toEqual({ objects: ['probe', 'function', 100], now: 3 })
    expect(t.health().probes).toEqual({ objects: ['probe', 'function', 100], now: 3 })
  })

  it('that fail make the operator not live, and say why', async () => {
    const op = greeter()
    op.on.probe(function database() {
      throw new Error('no answer')
    })
    await using t = await harness(op, { resources: [Kex], health: 0 })
    const { status, body } = await ask(t, '/healthz')
    expect(status).toBe(503)
    expect(JSON.parse(body)).toMatchObject({ live: false, problems: ['Probe "database" failed: no answer'] })
  })
})
