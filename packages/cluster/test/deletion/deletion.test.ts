import { describe, expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { type Any, Api, configMaps, widget, widgetDefinition, widgets } from '../api.ts'
import { settled } from '../virtual-clock.ts'

const owned = (name: string, owner: Any, extra: object = {}) => ({
  metadata: {
    name,
    ownerReferences: [
      { apiVersion: 'v1', kind: 'ConfigMap', name: owner.metadata.name, uid: owner.metadata.uid, ...extra },
    ],
  },
})

describe('deletion', () => {
  it('removes an object without finalizers and answers with its uid', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const { uid } = (await api.post(configMaps, { metadata: { name: 'a' } })).body.metadata
    const { status, body } = await api.delete(`${configMaps}/a`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'a', kind: 'configmaps', uid } })
    expect((await api.get(`${configMaps}/a`)).status).toBe(404)
    expect((await api.delete(`${configMaps}/a`)).status).toBe(404)
  })

  it('marks an object with finalizers once, and removes it with the last of them', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    await api.post(widgets, widget('a', {}, { finalizers: ['example.com/f', 'example.com/g'] }))
    const watch = await api.watch(`${widgets}?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`)
    const marked = (await api.delete(`${widgets}/a`)).body
    expect(marked.metadata).toMatchObject({ generation: 2, deletionGracePeriodSeconds: 0 })
    expect((await api.delete(`${widgets}/a`)).body).toEqual(marked)
    const added = await api.patch(`${widgets}/a`, { metadata: { finalizers: ['example.com/f', 'example.com/new'] } })
    expect(added.status).toBe(422)
    expect((await api.post(widgets, widget('a'))).body.reason).toBe('AlreadyExists')
    await api.patch(`${widgets}/a`, { metadata: { finalizers: ['example.com/g'] } })
    expect((await api.patch(`${widgets}/a`, { metadata: { finalizers: [] } })).status).toBe(200)
    expect((await api.get(`${widgets}/a`)).status).toBe(404)
    await settled()
    expect(watch.seen).toEqual(['MODIFIED a', 'MODIFIED a', 'DELETED a'])
    // The original stores nothing between the last finalizer and the end: the last event shows the state before.
    expect(watch.events[2]?.object.metadata.finalizers).toEqual(['example.com/g'])
  })

  it('obeys preconditions', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    await api.post(configMaps, { metadata: { name: 'a' } })
    const refused = await api.delete(`${configMaps}/a`, { preconditions: { uid: 'other' } })
    expect(refused.status).toBe(409)
    expect(refused.body.details).toEqual({ name: 'a', kind: 'ConfigMap' })
    expect((await api.delete(`${configMaps}/a`, { preconditions: { resourceVersion: '1' } })).status).toBe(409)
    expect((await api.delete(`${configMaps}/a`, { propagationPolicy: 'Bogus' })).status).toBe(422)
  })

  it('of a collection takes what the selector matches', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    for (const name of ['a', 'b', 'c']) await api.post(configMaps, { metadata: { name, labels: { n: name } } })
    const deleted = await api.delete(`${configMaps}?labelSelector=n+in+(a,b)`)
    expect(deleted.body.items).toHaveLength(2)
    expect((await api.get(configMaps)).body.items).toHaveLength(1)
  })

  it('in the background takes dependents along, those of dependents too', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const owner = (await api.post(configMaps, { metadata: { name: 'o' } })).body
    const child = (await api.post(configMaps, owned('c', owner))).body
    await api.post(configMaps, owned('g', child))
    await api.delete(`${configMaps}/o`)
    await settled()
    expect((await api.get(configMaps)).body.items).toEqual([])
    expect(cluster.idle()).toBe(true)
  })

  it('in the foreground waits for the dependents that block it', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const owner = (await api.post(configMaps, { metadata: { name: 'o' } })).body
    const child = owned('c', owner, { blockOwnerDeletion: true })
    await api.post(configMaps, { metadata: { ...child.metadata, finalizers: ['example.com/f'] } })
    const { body } = await api.delete(`${configMaps}/o`, { propagationPolicy: 'Foreground' })
    expect(body.metadata.finalizers).toEqual(['foregroundDeletion'])
    await settled()
    expect((await api.get(`${configMaps}/c`)).body.metadata.deletionTimestamp).toBeDefined()
    expect((await api.get(`${configMaps}/o`)).status).toBe(200)
    await api.patch(`${configMaps}/c`, { metadata: { finalizers: null } })
    await settled()
    expect((await api.get(configMaps)).body.items).toEqual([])
  })

  it('can leave dependents behind without their reference', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const owner = (await api.post(configMaps, { metadata: { name: 'o' } })).body
    await api.post(configMaps, owned('c', owner))
    await api.delete(`${configMaps}/o`, { propagationPolicy: 'Orphan' })
    await settled()
    const { items } = (await api.get(configMaps)).body
    expect(items.map((item: Any) => item.metadata.name)).toEqual(['c'])
    expect(items[0].metadata.ownerReferences).toBeUndefined()
  })

  it('counts an owner with another uid, name or namespace as gone, keeps what another owner holds, and touches no unknown kind', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const owner = (await api.post(configMaps, { metadata: { name: 'o' } })).body
    await api.post(configMaps, owned('wrong', { metadata: { name: 'o', uid: 'another' } }))
    const both = owned('both', owner)
    both.metadata.ownerReferences.push({ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'gone' })
    await api.post(configMaps, both)
    await api.post(configMaps, owned('misnamed', { metadata: { name: 'p', uid: owner.metadata.uid } }))
    const elsewhere = '/api/v1/namespaces/kube-system/configmaps'
    await api.post(elsewhere, owned('elsewhere', owner))
    const foreign = owned('foreign', owner)
    foreign.metadata.ownerReferences = [{ apiVersion: 'nobody.example.com/v1', kind: 'Thing', name: 't', uid: 'u' }]
    await api.post(configMaps, foreign)
    await settled()
    const { items } = (await api.get(configMaps)).body
    expect(items.map((item: Any) => item.metadata.name)).toEqual(['both', 'foreign', 'o'])
    expect(items[0].metadata.ownerReferences).toHaveLength(1)
    expect((await api.get(elsewhere)).body.items).toEqual([])
  })

  it('of a namespace empties it first, and a finalizer inside holds it', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    await api.post('/api/v1/namespaces', { metadata: { name: 'shop' } })
    const inside = '/api/v1/namespaces/shop/configmaps'
    await api.post(inside, { metadata: { name: 'free' } })
    await api.post(widgets.replace('default', 'shop'), widget('held', {}, { finalizers: ['example.com/f'] }))
    expect((await api.delete('/api/v1/namespaces/shop')).body.status.phase).toBe('Terminating')
    const late = await api.post(inside, { metadata: { name: 'late' } })
    expect(late.status).toBe(403)
    expect(late.body.details.causes[0].reason).toBe('NamespaceTerminating')
    await settled()
    expect((await api.get(inside)).body.items).toEqual([])
    const waiting = (await api.get('/api/v1/namespaces/shop')).body
    const remaining = waiting.status.conditions.find((c: Any) => c.type === 'NamespaceFinalizersRemaining')
    expect(remaining).toMatchObject({ status: 'True', reason: 'SomeFinalizersRemain' })
    await api.patch(`${widgets.replace('default', 'shop')}/held`, { metadata: { finalizers: null } })
    await settled()
    expect((await api.get('/api/v1/namespaces/shop')).status).toBe(404)
  })

  it('gives a running pod its grace, and takes it away when asked', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const pods = '/api/v1/namespaces/default/pods'
    await api.post(pods, { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } })
    expect((await api.delete(`${pods}/p`)).body.metadata.deletionGracePeriodSeconds).toBe(30)
    expect((await api.delete(`${pods}/p`, { gracePeriodSeconds: 0 })).status).toBe(200)
    expect((await api.get(`${pods}/p`)).status).toBe(404)
  })
})
