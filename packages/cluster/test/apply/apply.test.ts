import { describe, expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { type Any, Api, configMaps } from '../api.ts'

const deployments = '/apis/apps/v1/namespaces/default/deployments'
const configMap = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data })
const apply = (api: Api, manager: string, data: object, more = '') =>
  api.patch(`${configMaps}/a?fieldManager=${manager}${more}`, configMap(data), 'apply')
const owners = (object: Any): Any =>
  Object.fromEntries(
    object.metadata.managedFields.map((e: Any) => [`${e.manager} ${e.operation}`, e.fieldsV1['f:data'] ?? e.fieldsV1]),
  )

describe('server-side apply', () => {
  it('creates what is absent, and owns exactly what it names', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const { status, body } = await apply(new Api(cluster), 'm1', { k: 'v' })
    expect(status).toBe(201)
    expect(owners(body)).toEqual({ 'm1 Apply': { 'f:k': {} } })
  })

  it('needs no name for what is there, and one for what is to be made', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const nameless = { apiVersion: 'v1', kind: 'ConfigMap', data: { k: 'w' } }
    const path = `${configMaps}/a?fieldManager=m1`
    const refused = await api.patch(path, nameless, 'apply')
    const message = 'the name of the object (a based on URL) was undeterminable: name must be provided'
    expect(refused).toMatchObject({ status: 400, body: { reason: 'BadRequest', message } })
    await apply(api, 'm1', { k: 'v' })
    const { status, body } = await api.patch(path, nameless, 'apply')
    expect([status, body.metadata.name, body.data]).toEqual([200, 'a', { k: 'w' }])
    const empty = await api.patch(path, { ...nameless, metadata: { name: '' } }, 'apply')
    expect(empty).toMatchObject({ status: 400, body: { message } })
  })

  it('keeps the version when nothing changes', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const first = await apply(api, 'm1', { k: 'v' })
    expect((await apply(api, 'm1', { k: 'v' })).body.metadata).toEqual(first.body.metadata)
  })

  it('refuses to take a field from another manager, and takes it by force', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    await apply(api, 'm1', { k: 'v', l: 'v' })
    const refused = await apply(api, 'm2', { k: 'w', l: 'w' })
    expect(refused.status).toBe(409)
    expect(refused.body.details.causes.map((c: Any) => c.field)).toEqual(['.data.k', '.data.l'])
    const forced = await apply(api, 'm2', { k: 'w' }, '&force=true')
    expect(forced.body.data).toEqual({ k: 'w', l: 'v' })
    expect(owners(forced.body)).toEqual({ 'm1 Apply': { 'f:l': {} }, 'm2 Apply': { 'f:k': {} } })
  })

  it('shares a field that two managers give the same value, and drops it with the last of them', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    await apply(api, 'm1', { k: 'v' })
    await apply(api, 'm2', { k: 'v' })
    expect((await apply(api, 'm1', {})).body.data).toEqual({ k: 'v' })
    expect((await apply(api, 'm2', {})).body.data).toBeUndefined()
  })

  it('lets an update take a field, which the next apply then misses', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    await apply(api, 'm1', { k: 'v' })
    const updated = await api.patch(`${configMaps}/a`, { data: { k: 'x' } })
    expect(owners(updated.body)).toEqual({ 'test Update': { 'f:k': {} } })
    const refused = await apply(api, 'm1', { k: 'v' })
    expect(refused.body.details.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "test" using v1', field: '.data.k' },
    ])
  })

  it('tells the containers of a pod apart by name, and their ports by port and protocol', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const container = (c: object) => ({ spec: { template: { spec: { containers: [{ name: 'c', ...c }] } } } })
    const config = (more: object) => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, ...more })
    const labels = { a: 'd' }
    const first = config({
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'c', image: 'i:1', ports: [{ containerPort: 80 }] }] },
        },
      },
    })
    await api.patch(`${deployments}/d?fieldManager=m1`, first, 'apply')
    const second = config(container({ ports: [{ containerPort: 80, protocol: 'UDP' }] }))
    const { body } = await api.patch(`${deployments}/d?fieldManager=m2`, second, 'apply')
    expect(body.spec.template.spec.containers[0].ports).toEqual([
      { containerPort: 80, protocol: 'TCP' },
      { containerPort: 80, protocol: 'UDP' },
    ])
    const refused = await api.patch(`${deployments}/d?fieldManager=m2`, config(container({ image: 'i:2' })), 'apply')
    expect(refused.body.details.causes[0].field).toBe('.spec.template.spec.containers[name="c"].image')
  })

  it('forgets all owners when a client sends an empty list of them', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    await apply(api, 'm1', { k: 'v' })
    const { body } = await api.patch(`${configMaps}/a`, { metadata: { managedFields: [{}] } })
    expect(body.metadata.managedFields).toBeUndefined()
    const next = await apply(api, 'm2', { l: 'w' })
    expect(owners(next.body)).toEqual({
      'before-first-apply Update': { '.': {}, 'f:k': {} },
      'm2 Apply': { 'f:l': {} },
    })
  })

  it('answers 422 without a manager, and 500 for a field that the schema does not know', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    expect((await api.patch(`${configMaps}/a`, configMap({}), 'apply')).status).toBe(422)
    const unknown = { ...configMap({}), bogus: 1 }
    const refused = await api.patch(`${configMaps}/a?fieldManager=m`, unknown, 'apply')
    expect(refused.status).toBe(500)
    expect(refused.body.message).toContain('.bogus: field not declared in schema')
  })
})

describe('owners of plain writes', () => {
  it('are told by subresource, so that a status controller owns no spec', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const labels = { a: 'd' }
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    }
    await api.post(deployments, { metadata: { name: 'd' }, spec })
    const { body } = await api.patch(`${deployments}/d/status`, { status: { replicas: 1 } })
    const entry = body.metadata.managedFields.find((e: Any) => e.subresource === 'status')
    expect(entry.fieldsV1).toEqual({ 'f:status': { 'f:replicas': {} } })
  })

  it('are merged into one past ten', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    await api.post(configMaps, { metadata: { name: 'a' }, data: { first: '1' } })
    let last: Any
    for (let i = 0; i < 12; i++) {
      last = await api.patch(`${configMaps}/a?fieldManager=u${String(i).padStart(2, '0')}`, {
        data: { [`k${i}`]: '1' },
      })
    }
    const names = last.body.metadata.managedFields.map((e: Any) => e.manager)
    expect(names).toHaveLength(10)
    expect(names).toContain('ancient-changes')
  })
})
