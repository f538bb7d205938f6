import { beforeAll, describe, expect, it } from 'vitest'
import type { Loose } from './exchange.ts'
import { openStage } from './stage.ts'
import { widget, widgets } from './widget.ts'

const stage = openStage()
beforeAll(() => stage.define(widgets(stage.group)), 120_000)

const maps = () => stage.path('configmaps')
const custom = () => stage.path('widgets', `${stage.group}/v1`)
const newMap = (data: Loose = { a: '1' }) => stage.created(maps(), { metadata: { name: stage.name() }, data })
const newWidget = (spec: Loose = { color: 'red' }) =>
  stage.created(custom(), widget(stage.group, stage.name('w'), spec))
const at = (object: Loose) => `${object.kind === 'Widget' ? custom() : maps()}/${object.metadata.name}`

describe('reading', () => {
  it('KA30: an object is read as it was written, and without its kind in a list', async () => {
    const map = await newMap()
    expect((await stage.get(at(map))).body).toEqual(map)
    const { body } = await stage.get(`${maps()}?fieldSelector=metadata.name%3D${map.metadata.name}`)
    expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' })
    const { kind: _, apiVersion: __, ...bare } = map
    expect(body.items).toEqual([bare])
  })

  it('KA31: a custom object has its kind in a list too', async () => {
    const made = await newWidget()
    const { body } = await stage.get(`${custom()}?fieldSelector=metadata.name%3D${made.metadata.name}`)
    expect(body).toMatchObject({ kind: 'WidgetList', apiVersion: `${stage.group}/v1` })
    expect(body.items).toEqual([made])
  })

  it('KA40: an absent object is 404, and the Status says which', async () => {
    const { code, body } = await stage.get(`${maps()}/nosuch`)
    expect(code).toBe(404)
    expect(body).toMatchObject({
      ...{ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 },
      ...{ message: 'configmaps "nosuch" not found', details: { name: 'nosuch', kind: 'configmaps' } },
    })
    expect((await stage.get(`${custom()}/nosuch`)).body.details).toEqual({
      ...{ name: 'nosuch', group: stage.group, kind: 'widgets' },
    })
  })

  it('KA50: versions are those of the whole server', async () => {
    const first = await newMap()
    const secret = await stage.created(stage.path('secrets'), { metadata: { name: stage.name() } })
    const third = await newWidget()
    const version = (object: Loose) => BigInt(object.metadata.resourceVersion)
    expect(version(secret)).toBeGreaterThan(version(first))
    expect(version(third)).toBeGreaterThan(version(secret))
  })
})

describe('updating', () => {
  it('KA32: with the current version it is written, and what identifies it stays', async () => {
    const map = await newMap()
    const { code, body } = await stage.put(at(map), { ...map, data: { a: '2' } })
    expect(code).toBe(200)
    expect(BigInt(body.metadata.resourceVersion)).toBeGreaterThan(BigInt(map.metadata.resourceVersion))
    expect(body).toMatchObject({
      metadata: { uid: map.metadata.uid, creationTimestamp: map.metadata.creationTimestamp },
      data: { a: '2' },
    })
  })

  it('KA33: with an old version it is 409', async () => {
    for (const object of [await newMap(), await newWidget()]) {
      const labels = { metadata: { ...object.metadata, labels: { a: '1' } } }
      expect((await stage.put(at(object), { ...object, ...labels })).code).toBe(200)
      const { code, body } = await stage.put(at(object), {
        ...object,
        metadata: { ...object.metadata, labels: { a: '2' } },
      })
      expect(code).toBe(409)
      expect(body).toMatchObject({ reason: 'Conflict', details: { name: object.metadata.name } })
    }
  })

  it('KA34: without a version a built-in object is written in any case', async () => {
    const map = await newMap()
    for (const resourceVersion of [undefined, '', '0']) {
      const metadata = { name: map.metadata.name, resourceVersion }
      expect((await stage.put(at(map), { metadata, data: { v: String(resourceVersion) } })).code).toBe(200)
    }
  })

  it('KA35: without a version a custom object is 422', async () => {
    const made = await newWidget()
    for (const resourceVersion of [undefined, '', '0']) {
      const metadata = { name: made.metadata.name, resourceVersion }
      const { code, body } = await stage.put(at(made), { ...made, metadata })
      expect(code).toBe(422)
      expect(body.details).toMatchObject({
        kind: 'widgets',
        causes: [{ reason: 'FieldValueInvalid', field: 'metadata.resourceVersion' }],
      })
    }
  })

  it('KA36: another name than that of the path is 400', async () => {
    for (const object of [await newMap(), await newWidget()]) {
      const answer = await stage.put(at(object), { ...object, metadata: { ...object.metadata, name: 'other' } })
      expect(answer).toMatchObject({ code: 400, body: { reason: 'BadRequest' } })
    }
  })

  it('KA37: another uid than the stored one is 409', async () => {
    for (const object of [await newMap(), await newWidget()]) {
      const uid = '11111111-2222-3333-4444-555555555555'
      const { code, body } = await stage.put(at(object), { ...object, metadata: { ...object.metadata, uid } })
      expect({ code, reason: body.reason }).toEqual({ code: 409, reason: 'Conflict' })
    }
  })

  it('KA38, KA129: the same content again is no change, and nobody is told', async () => {
    for (const object of [await newMap(), await newWidget()]) {
      const list = object.kind === 'Widget' ? custom() : maps()
      const only = `&fieldSelector=metadata.name%3D${object.metadata.name}`
      using watch = await stage.watch(`${list}?watch=1&resourceVersion=${object.metadata.resourceVersion}${only}`)
      const { code, body } = await stage.put(at(object), object)
      expect(code).toBe(200)
      expect(body.metadata.resourceVersion).toBe(object.metadata.resourceVersion)
      const changed = await stage.put(at(object), { ...object, metadata: { ...object.metadata, labels: { a: 'b' } } })
      const { object: told } = await watch.next()
      expect(told.metadata.resourceVersion).toBe(changed.body.metadata.resourceVersion)
    }
  })

  it('KA39: an absent object is 404; of some kinds it is created', async () => {
    const name = stage.name()
    expect((await stage.put(`${maps()}/${name}`, { metadata: { name } })).code).toBe(404)
    expect((await stage.put(`${custom()}/${name}`, widget(stage.group, name))).code).toBe(404)
    const leases = stage.path('leases', 'coordination.k8s.io/v1')
    expect((await stage.put(`${leases}/${name}`, { metadata: { name }, spec: {} })).code).toBe(201)
    const roles = stage.path('roles', 'rbac.authorization.k8s.io/v1')
    expect((await stage.put(`${roles}/${name}`, { metadata: { name }, rules: [] })).code).toBe(201)
    expect((await stage.put(`${stage.path('secrets')}/${name}`, { metadata: { name } })).code).toBe(404)
  })

  it('KA106: a version that is no number is 500', async () => {
    const map = await newMap()
    const metadata = { ...map.metadata, resourceVersion: 'abc' }
    expect((await stage.put(at(map), { ...map, metadata })).code).toBe(500)
  })
})
