import { describe, expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { Api, configMaps, widget, widgetDefinition, widgets } from '../api.ts'

const start = () => Cluster.start({ listen: false, crds: [widgetDefinition()], seed: 1 })

describe('the life of an object', () => {
  it('gives a new object uid, time and version, whatever the client wrote there', async () => {
    await using cluster = await start()
    const api = new Api(cluster)
    const { status, body } = await api.post(configMaps, {
      metadata: { name: 'a', uid: 'mine', creationTimestamp: '2001-01-01T00:00:00Z' },
      data: { k: 'v' },
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { k: 'v' } })
    expect(body.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(body.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(body.metadata.creationTimestamp).not.toMatch(/^2001/)
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(100)
    expect(body.metadata.generation).toBeUndefined()
    expect((await api.get(`${configMaps}/a`)).body).toEqual(body)
  })

  it('has one version counter for all kinds', async () => {
    await using cluster = await start()
    const api = new Api(cluster)
    const first = (await api.post(configMaps, { metadata: { name: 'a' } })).body
    const second = (await api.post('/api/v1/namespaces/default/secrets', { metadata: { name: 'a' } })).body
    expect(Number(second.metadata.resourceVersion)).toBe(Number(first.metadata.resourceVersion) + 1)
  })

  it('keeps the version of a write that changes nothing', async () => {
    await using cluster = await start()
    const api = new Api(cluster)
    const before = (await api.post(widgets, widget('a', { color: 'red' }))).body
    expect((await api.put(`${widgets}/a`, before)).body).toEqual(before)
    expect((await api.patch(`${widgets}/a`, { spec: { color: 'red' } })).body).toEqual(before)
    expect((await api.patch(`${widgets}/a`, {})).body).toEqual(before)
  })

  it('refuses a stale version, and an unconditional PUT where the kind wants a version', async () => {
    await using cluster = await start()
    const api = new Api(cluster)
    const old = (await api.post(widgets, widget('a'))).body
    await api.patch(`${widgets}/a`, { spec: { color: 'blue' } })
    const stale = await api.put(`${widgets}/a`, old)
    expect(stale.status).toBe(409)
    expect(stale.body).toMatchObject({
      reason: 'Conflict',
      details: { name: 'a', group: 'example.com', kind: 'widgets' },
    })
    expect((await api.put(`${widgets}/a`, widget('a'))).status).toBe(422)
    await api.post(configMaps, { metadata: { name: 'a' } })
    expect((await api.put(`${configMaps}/a`, { metadata: { name: 'a' }, data: { x: 'y' } })).status).toBe(200)
  })

  it('grows generation with spec, not with metadata and status', async () => {
    await using cluster = await start()
    const api = new Api(cluster)
    const generation = async (path: string, patch: object) =>
      (await api.patch(path, patch)).body.metadata.generation as number
    expect((await api.post(widgets, widget('a'))).body.metadata.generation).toBe(1)
    expect(await generation(`${widgets}/a`, { metadata: { labels: { a: 'b' } } })).toBe(1)
    expect(await generation(`${widgets}/a/status`, { status: { phase: 'x' } })).toBe(1)
    expect(await generation(`${widgets}/a`, { spec: { color: 'red' } })).toBe(2)
    expect(await generation(`${widgets}/a`, { metadata: { generation: 99 } })).toBe(2)
  })

  it('keeps status apart: each endpoint writes its own half', async () => {
    await using cluster = await start()
    const api = new Api(cluster)
    const created = await api.post(widgets, { ...widget('a', { color: 'red' }), status: { phase: 'sent' } })
    expect(created.body.status).toBeUndefined()
    const byMain = await api.patch(`${widgets}/a`, { status: { phase: 'by main' } })
    expect(byMain.body).toEqual(created.body)
    const after = await api.patch(`${widgets}/a/status`, {
      metadata: { labels: { by: 'status' } },
      spec: { color: 'blue' },
      status: { phase: 'ok' },
    })
    expect(after.body).toMatchObject({ spec: { color: 'red' }, status: { phase: 'ok' } })
    expect(after.body.metadata.labels).toBeUndefined()
    expect((await api.patch(`${widgets}/a`, { spec: { color: 'green' }, status: null })).body.status).toEqual({
      phase: 'ok',
    })
  })

  it('reads and writes replicas through the scale subresource', async () => {
    await using cluster = await start()
    const api = new Api(cluster)
    await api.post(widgets, widget('a', { replicas: 2 }))
    const scale = (await api.get(`${widgets}/a/scale`)).body
    expect(scale).toMatchObject({ kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 2 } })
    expect((await api.put(`${widgets}/a/scale`, { ...scale, spec: { replicas: 5 } })).body.spec.replicas).toBe(5)
    expect((await api.get(`${widgets}/a`)).body).toMatchObject({ spec: { replicas: 5 }, metadata: { generation: 2 } })
    expect((await api.put(`${widgets}/a/scale`, { ...scale, spec: { replicas: 6 } })).status).toBe(409)
  })

  it('generates names from the seed', async () => {
    const names = async () => {
      await using cluster = await start()
      const api = new Api(cluster)
      const { body } = await api.post(configMaps, { metadata: { generateName: 'a-' } })
      return [body.metadata.name, body.metadata.uid]
    }
    const first = await names()
    expect(first[0]).toMatch(/^a-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(await names()).toEqual(first)
  })

  it('says what is wrong with a name, a label, an owner and a finalizer', async () => {
    await using cluster = await start()
    const api = new Api(cluster)
    const causes = async (metadata: object) => {
      const { status, body } = await api.post(configMaps, { metadata })
      return [
        status,
        ...(body.details?.causes ?? []).map((c: { field: string; reason: string }) => `${c.field} ${c.reason}`),
      ]
    }
    expect(await causes({})).toEqual([422, 'metadata.name FieldValueRequired'])
    expect(await causes({ name: 'Upper' })).toEqual([422, 'metadata.name FieldValueInvalid'])
    expect(await causes({ name: 'a', labels: { a: 'b c' } })).toEqual([422, 'metadata.labels FieldValueInvalid'])
    expect(await causes({ name: 'a', finalizers: ['short'] })).toEqual([
      422,
      'metadata.finalizers[0] FieldValueInvalid',
    ])
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u', controller: true }
    expect(await causes({ name: 'a', ownerReferences: [owner, { ...owner, uid: 'v' }] })).toEqual([
      422,
      'metadata.ownerReferences FieldValueInvalid',
    ])
  })

  it('refuses what a typed server cannot read: numbers in a ConfigMap, times without microseconds', async () => {
    await using cluster = await start()
    const api = new Api(cluster)
    expect((await api.post(configMaps, { metadata: { name: 'a' }, data: { k: 1 } })).status).toBe(400)
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
    const lease = (renewTime: string) => api.post(leases, { metadata: { generateName: 'l-' }, spec: { renewTime } })
    expect((await lease('2026-01-01T00:00:00.123Z')).status).toBe(400)
    expect((await lease('2026-01-01T00:00:00.123000Z')).status).toBe(201)
  })

  it('folds stringData of a Secret into data', async () => {
    await using cluster = await start()
    const api = new Api(cluster)
    const secrets = '/api/v1/namespaces/default/secrets'
    const { body } = await api.post(secrets, { metadata: { name: 's' }, stringData: { a: 'hello' } })
    expect(body).toMatchObject({ type: 'Opaque', data: { a: 'aGVsbG8=' } })
    expect(body.stringData).toBeUndefined()
  })

  it('answers 404, 409, 400 and 403 with a Status that names the object', async () => {
    await using cluster = await start()
    const api = new Api(cluster)
    expect((await api.get(`${widgets}/none`)).body).toMatchObject({
      kind: 'Status',
      reason: 'NotFound',
      message: 'widgets.example.com "none" not found',
      details: { name: 'none', group: 'example.com', kind: 'widgets' },
    })
    await api.post(configMaps, { metadata: { name: 'a' } })
    expect((await api.post(configMaps, { metadata: { name: 'a' } })).body.reason).toBe('AlreadyExists')
    expect((await api.post(configMaps, '{"metadata":')).status).toBe(400)
    expect((await api.post(configMaps, { kind: 'Secret', metadata: { name: 'b' } })).status).toBe(400)
    expect((await api.post('/api/v1/namespaces/none/configmaps', { metadata: { name: 'a' } })).body.details).toEqual({
      name: 'none',
      kind: 'namespaces',
    })
    expect((await api.delete('/api/v1/namespaces/default')).status).toBe(403)
  })

  it('does not store a dry run', async () => {
    await using cluster = await start()
    const api = new Api(cluster)
    expect((await api.post(`${configMaps}?dryRun=All`, { metadata: { name: 'a' } })).status).toBe(201)
    expect((await api.get(`${configMaps}/a`)).status).toBe(404)
  })

  it('never lets data touch a prototype', async () => {
    await using cluster = await start()
    const api = new Api(cluster)
    await api.post(configMaps, '{"metadata":{"name":"a","labels":{"x":"y"}},"__proto__":{"polluted":true}}')
    await api.patch(`${configMaps}/a`, '{"data":{"__proto__":{"polluted":"yes"},"constructor":"c"}}')
    await api.patch(`${configMaps}/a`, [{ op: 'add', path: '/__proto__/polluted', value: 1 }], 'json')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect((await api.get(`${configMaps}/a`)).body.data).toEqual({ constructor: 'c' })
    expect((await api.get(`${configMaps}?labelSelector=constructor`)).body.items).toEqual([])
  })
})
