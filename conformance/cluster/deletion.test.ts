import { beforeAll, describe, expect, it } from 'vitest'
import type { Loose } from './exchange.ts'
import { MERGE, openStage } from './stage.ts'
import { widget, widgets } from './widget.ts'

const stage = openStage()
beforeAll(() => stage.define(widgets(stage.group)), 120_000)

const maps = (namespace = stage.namespace) => stage.path('configmaps', 'v1', namespace)
const custom = () => stage.path('widgets', `${stage.group}/v1`)
const newMap = (metadata: Loose = {}) => stage.created(maps(), { metadata: { name: stage.name(), ...metadata } })
const held = (finalizers = ['example.com/held']) =>
  stage.created(custom(), {
    ...widget(stage.group, 'x', { color: 'red' }),
    metadata: { name: stage.name('w'), finalizers },
  })
const at = (object: Loose) => `${object.kind === 'Widget' ? custom() : maps()}/${object.metadata.name}`
const release = (object: Loose) => stage.patch(at(object), MERGE, { metadata: { finalizers: null } })

describe('deleting', () => {
  it('KA132: answers with a Status, of some kinds with the object', async () => {
    const map = await newMap()
    const { code, body } = await stage.delete(at(map))
    expect(code).toBe(200)
    expect(body).toEqual({
      ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' },
      details: { name: map.metadata.name, kind: 'configmaps', uid: map.metadata.uid },
    })
    expect((await stage.get(at(map))).code).toBe(404)
    expect((await stage.delete(at(map))).code).toBe(404)
    const accounts = stage.path('serviceaccounts')
    const account = await stage.created(accounts, { metadata: { name: stage.name() } })
    const gone = await stage.delete(`${accounts}/${account.metadata.name}`)
    expect(gone.body).toMatchObject({ kind: 'ServiceAccount', metadata: { uid: account.metadata.uid } })
  })

  it('KA133: preconditions that do not hold are 409', async () => {
    const map = await newMap()
    const wrong = [{ uid: 'x' }, { resourceVersion: '1' }, { uid: map.metadata.uid, resourceVersion: '1' }]
    for (const preconditions of wrong) {
      const { code, body } = await stage.delete(at(map), { preconditions })
      expect({ code, reason: body.reason, kind: body.details.kind }).toEqual({
        ...{ code: 409, reason: 'Conflict', kind: 'ConfigMap' },
      })
    }
    const { uid, resourceVersion } = map.metadata
    expect((await stage.delete(at(map), { preconditions: { uid, resourceVersion } })).code).toBe(200)
  })

  it('KA134: an object with finalizers is marked, once', async () => {
    const made = await held()
    const only = `fieldSelector=metadata.name%3D${made.metadata.name}`
    using watch = await stage.watch(`${custom()}?watch=1&${only}&resourceVersion=${made.metadata.resourceVersion}`)
    const { code, body } = await stage.delete(at(made))
    expect(code).toBe(200)
    expect(body.metadata).toMatchObject({
      ...{ deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 0, generation: 2 },
      finalizers: ['example.com/held'],
    })
    expect(await watch.next()).toMatchObject({
      type: 'MODIFIED',
      object: { metadata: { deletionTimestamp: body.metadata.deletionTimestamp } },
    })
    const again = await stage.delete(at(made))
    expect(again).toMatchObject({
      code: 200,
      body: { metadata: { deletionTimestamp: body.metadata.deletionTimestamp } },
    })
    expect(again.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion)
    expect((await release(made)).code).toBe(200)
    expect((await watch.next()).type).toBe('DELETED')
  })

  it('KA135: while it is deleted finalizers can only go, and with the last one it does', async () => {
    const made = await held(['example.com/a', 'example.com/b'])
    await stage.delete(at(made))
    const patch = (finalizers: readonly string[]) => stage.patch(at(made), MERGE, { metadata: { finalizers } })
    const { code, body } = await patch(['example.com/a', 'example.com/b', 'example.com/c'])
    expect(code).toBe(422)
    expect(body.details.causes[0]).toMatchObject({ reason: 'FieldValueForbidden', field: 'metadata.finalizers' })
    expect((await patch(['example.com/b'])).code).toBe(200)
    expect((await patch([])).code).toBe(200)
    expect((await stage.get(at(made))).code).toBe(404)
  })

  it('KA136: its name is taken until it is gone', async () => {
    const made = await held()
    await stage.delete(at(made))
    const again = await stage.post(custom(), widget(stage.group, made.metadata.name))
    expect(again).toMatchObject({ code: 409, body: { reason: 'AlreadyExists' } })
    await release(made)
    expect((await stage.post(custom(), widget(stage.group, made.metadata.name))).code).toBe(201)
  })

  it('KA137: options are checked, and may be in the query', async () => {
    const map = await newMap({ finalizers: ['example.com/held'] })
    expect((await stage.delete(at(map), { propagationPolicy: 'Bogus' })).code).toBe(422)
    const both = { orphanDependents: true, propagationPolicy: 'Orphan' }
    expect((await stage.delete(at(map), both)).code).toBe(422)
    expect((await stage.delete(at(map), '{"kind":')).code).toBe(400)
    const { body } = await stage.delete(`${at(map)}?propagationPolicy=Foreground`)
    expect(body.metadata.finalizers).toContain('foregroundDeletion')
    await release(map)
  })

  it('KA138: a policy is written down as a finalizer', async () => {
    const finalizers = async (object: Loose, policy: string) =>
      (await stage.delete(at(object), { propagationPolicy: policy })).body.metadata.finalizers
    const keeper = ['example.com/held']
    const foreground = await newMap({ finalizers: keeper })
    expect(await finalizers(foreground, 'Foreground')).toEqual([...keeper, 'foregroundDeletion'])
    const orphan = await newMap({ finalizers: keeper })
    expect(await finalizers(orphan, 'Orphan')).toEqual([...keeper, 'orphan'])
    const background = await newMap({ finalizers: keeper })
    expect(await finalizers(background, 'Background')).toEqual(keeper)
    for (const map of [foreground, orphan, background]) await release(map)
  })

  it('KA138: a Job leaves its pods behind unless told otherwise', async () => {
    const jobs = stage.path('jobs', 'batch/v1')
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }
    const job = () =>
      stage.created(jobs, { metadata: { name: stage.name(), finalizers: ['example.com/held'] }, spec: { template } })
    const path = ({ metadata }: Loose) => `${jobs}/${metadata.name}`
    const [one, two] = [await job(), await job()]
    const silent = await stage.delete(path(one))
    expect(silent.body.metadata.finalizers).toContain('orphan')
    expect(silent.headers['warning']).toMatch(/^299 - "child pods are preserved by default/)
    const background = await stage.delete(path(two), { propagationPolicy: 'Background' })
    expect(background.body.metadata.finalizers).toEqual(['example.com/held'])
    for (const it of [one, two]) await stage.patch(path(it), MERGE, { metadata: { finalizers: null } })
  })

  it('KA139: a collection goes by its selector', async () => {
    const namespace = await stage.makeNamespace()
    for (const [name, a] of [
      ['m1', 'b'],
      ['m2', 'c'],
      ['m3', 'b'],
    ] as const) {
      await stage.created(maps(namespace), { metadata: { name, labels: { a } } })
    }
    const { code, body } = await stage.delete(`${maps(namespace)}?labelSelector=a%3Db`)
    expect({ code, kind: body.kind }).toEqual({ code: 200, kind: 'ConfigMapList' })
    expect(body.items.map(({ metadata }: Loose) => metadata.name)).toEqual(['m1', 'm3'])
    const left = await stage.get(maps(namespace))
    expect(left.body.items.map(({ metadata }: Loose) => metadata.name)).toEqual(['m2'])
  })

  it('KA140: a pod on a node has time to stop, one on none has not', async () => {
    const pods = stage.path('pods')
    const pod = (spec: Loose = {}) =>
      stage.created(pods, {
        metadata: { name: stage.name() },
        spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
      })
    const placed = await pod({ nodeName: 'n1' })
    const path = `${pods}/${placed.metadata.name}`
    const { code, body } = await stage.delete(path)
    expect(code).toBe(200)
    expect(body.metadata.deletionGracePeriodSeconds).toBe(30)
    const ahead = Date.parse(body.metadata.deletionTimestamp) - Date.parse(body.metadata.creationTimestamp)
    expect(ahead).toBeGreaterThanOrEqual(29_000)
    expect((await stage.delete(path, { gracePeriodSeconds: 0 })).code).toBe(200)
    expect((await stage.get(path)).code).toBe(404)
    const free = await pod()
    await stage.delete(`${pods}/${free.metadata.name}`)
    expect((await stage.get(`${pods}/${free.metadata.name}`)).code).toBe(404)
  })
})
