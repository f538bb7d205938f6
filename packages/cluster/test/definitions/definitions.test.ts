import { describe, expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { type Any, Api, configMaps, widget, widgetDefinition, widgets } from '../api.ts'
import { settled } from '../virtual-clock.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const causes = (body: Any) => body.details.causes.map((cause: Any) => `${cause.field} ${cause.reason}`)

describe('definitions', () => {
  it('are established and discovered when their creation returns', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    expect((await api.get('/apis/example.com/v1')).status).toBe(404)
    expect((await api.post(definitions, widgetDefinition())).status).toBe(201)
    const { body } = await api.get(`${definitions}/widgets.example.com`)
    expect(body.status.conditions.map((c: Any) => `${c.type} ${c.status} ${c.reason}`)).toEqual([
      'NamesAccepted True NoConflicts',
      'Established True InitialNamesAccepted',
    ])
    expect(body.status).toMatchObject({ storedVersions: ['v1'], acceptedNames: { plural: 'widgets', kind: 'Widget' } })
    const { resources } = (await api.get('/apis/example.com/v1')).body
    expect(resources.map((resource: Any) => resource.name)).toEqual(['widgets', 'widgets/status', 'widgets/scale'])
    expect((await api.post(widgets, widget('a'))).status).toBe(201)
  })

  it('prune what the schema does not know, with a warning, or refuse it when asked to be strict', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    const sent = widget('a', { color: 'red', nosuch: 1, free: { any: { thing: 1 } } })
    const created = await api.post(widgets, sent)
    expect(created.body.spec).toEqual({ color: 'red', size: 'medium', free: { any: { thing: 1 } } })
    expect(created.headers.get('warning')).toBe('299 - "unknown field \\"spec.nosuch\\""')
    const strict = await api.post(`${widgets}?fieldValidation=Strict`, { ...sent, metadata: { name: 'b' } })
    expect(strict.status).toBe(400)
    expect(strict.body.message).toContain('spec.nosuch')
  })

  it('name every field that breaks the schema', async () => {
    await using cluster = await Cluster.start({
      listen: false,
      crds: [widgetDefinition({ properties: { code: { type: 'string', pattern: '^[a-z]+$', maxLength: 3 } } })],
    })
    const api = new Api(cluster)
    const bad = await api.post(
      widgets,
      widget('a', { color: 'pink', replicas: -1, items: [{ name: 'x' }, { name: 'x' }, {}], code: 'LONG' }),
    )
    expect(bad.status).toBe(422)
    expect(bad.body).toMatchObject({ reason: 'Invalid', details: { name: 'a', group: 'example.com', kind: 'Widget' } })
    expect(causes(bad.body).sort()).toEqual([
      '.spec.replicas FieldValueInvalid',
      'spec.code FieldValueInvalid',
      'spec.code FieldValueTooLong',
      'spec.color FieldValueNotSupported',
      'spec.items[1] FieldValueDuplicate',
      'spec.items[2].name FieldValueRequired',
      'spec.replicas FieldValueInvalid',
    ])
    const typed = await api.post(widgets, widget('a', { size: 5 }))
    expect(causes(typed.body)).toEqual(['spec.size FieldValueTypeInvalid'])
  })

  it('tolerate on update what a stricter schema would refuse, as long as it is not touched', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    await api.post(widgets, widget('a', { color: 'red' }))
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/color/enum'
    await api.patch(`${definitions}/widgets.example.com`, [{ op: 'replace', path, value: ['blue'] }], 'json')
    expect((await api.patch(`${widgets}/a`, { spec: { size: 'large' } })).status).toBe(200)
    expect((await api.patch(`${widgets}/a`, { spec: { color: 'green' } })).status).toBe(422)
  })

  it('show a default that came later on old objects, without a new version', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    const before = (await api.post(widgets, widget('a'))).body
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/later'
    const value = { type: 'string', default: 'L' }
    await api.patch(`${definitions}/widgets.example.com`, [{ op: 'add', path, value }], 'json')
    const after = (await api.get(`${widgets}/a`)).body
    expect(after).toEqual({ ...before, spec: { ...before.spec, later: 'L' } })
    const touched = await api.patch(`${widgets}/a`, {})
    expect(touched.body.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion)
  })

  it('end the watches of their kind when they change, and forget its history', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    const { resourceVersion } = (await api.get(widgets)).body.metadata
    const watch = await api.watch(`${widgets}?watch=true&resourceVersion=${resourceVersion}`)
    const other = await api.watch(`${configMaps}?watch=true`)
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/later'
    await api.patch(`${definitions}/widgets.example.com`, [{ op: 'add', path, value: { type: 'string' } }], 'json')
    await watch.done
    expect(watch.ended).toBe('clean')
    expect(other.ended).toBeUndefined()
    const again = await api.watch(`${widgets}?watch=true&resourceVersion=${resourceVersion}`)
    await again.done
    expect(again.events[0]?.object.code).toBe(410)
  })

  it('serve every served version of one stored object', async () => {
    const version = (name: string, storage: boolean, served = true) => {
      const raw = widgetDefinition().spec.versions[0]
      return { ...raw, name, storage, served }
    }
    const versions = [version('v1', true), version('v2beta1', false), version('v3', false, false)]
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition({ spec: { versions } })] })
    const api = new Api(cluster)
    await api.post(widgets, widget('a', { color: 'red' }))
    const beta = widgets.replace('/v1/', '/v2beta1/')
    expect((await api.get(`${beta}/a`)).body).toMatchObject({
      apiVersion: 'example.com/v2beta1',
      spec: { color: 'red' },
    })
    const watch = await api.watch(`${beta}?watch=true`)
    await api.patch(`${beta}/a`, { spec: { color: 'blue' } })
    await settled()
    expect(watch.events.map((event) => event.object.apiVersion)).toEqual(['example.com/v2beta1', 'example.com/v2beta1'])
    expect((await api.get(`${widgets}/a`)).body).toMatchObject({
      apiVersion: 'example.com/v1',
      spec: { color: 'blue' },
    })
    expect((await api.get(widgets.replace('/v1/', '/v3/'))).status).toBe(404)
    const group = (await api.get('/apis/example.com')).body
    expect(group.versions.map((v: Any) => v.version)).toEqual(['v1', 'v2beta1'])
  })

  it('delete their objects and go after the last one, which a finalizer may hold', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    await api.post(widgets, widget('held', {}, { finalizers: ['example.com/f'] }))
    await api.post(widgets, widget('free'))
    const watch = await api.watch(`${widgets}?watch=true&labelSelector=`)
    expect((await api.delete(`${definitions}/widgets.example.com`)).body.metadata.deletionTimestamp).toBeDefined()
    await settled()
    expect((await api.get(`${widgets}/free`)).status).toBe(404)
    expect((await api.post(widgets, widget('new'))).status).toBe(403)
    const waiting = (await api.get(`${definitions}/widgets.example.com`)).body
    expect(waiting.status.conditions.at(-1)).toMatchObject({
      type: 'Terminating',
      reason: 'InstanceDeletionInProgress',
    })
    await api.patch(`${widgets}/held`, { metadata: { finalizers: null } })
    await settled()
    expect((await api.get(`${definitions}/widgets.example.com`)).status).toBe(404)
    expect((await api.get('/apis/example.com/v1')).status).toBe(404)
    expect(watch.seen.slice(2)).toEqual(['MODIFIED held', 'DELETED free', 'DELETED held'].sort(byListOrder))
    expect(watch.ended).toBe('clean')
  })

  it('are not served while another one has their kind, and are once it is gone', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    const twin = { ...widgetDefinition({ spec: { names: { plural: 'gadgets', kind: 'Widget' } } }) }
    await api.post(definitions, { ...twin, metadata: { name: 'gadgets.example.com' } })
    const conditions = async () => (await api.get(`${definitions}/gadgets.example.com`)).body.status.conditions
    expect(await conditions()).toMatchObject([{ status: 'False', reason: 'ListKindConflict' }, { status: 'False' }])
    expect((await api.get('/apis/example.com/v1/gadgets')).status).toBe(404)
    await api.delete(`${definitions}/widgets.example.com`)
    await settled()
    expect(await conditions()).toMatchObject([{ status: 'True' }, { status: 'True' }])
    expect((await api.get('/apis/example.com/v1/gadgets')).status).toBe(200)
  })

  it('are refused when their schema is not structural or their name is wrong', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const named = await api.post(definitions, { ...widgetDefinition(), metadata: { name: 'other.example.com' } })
    expect(causes(named.body)).toContain('metadata.name FieldValueInvalid')
    const untyped = await api.post(definitions, widgetDefinition({ properties: { x: { description: 'no type' } } }))
    expect(causes(untyped.body)).toEqual([
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].type FieldValueRequired',
    ])
  })

  it('keep the versions in which objects may still be stored', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    const path = '/spec/versions/0/name'
    const refused = await api.patch(
      `${definitions}/widgets.example.com`,
      [{ op: 'replace', path, value: 'v2' }],
      'json',
    )
    expect(refused.status).toBe(422)
    expect(causes(refused.body)).toEqual(['status.storedVersions[0] FieldValueInvalid'])
  })

  it('are told in OpenAPI with their schema and with what kubectl looks for', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    const index = JSON.parse((await api.get('/openapi/v3')).body)
    const { body } = await api.get(index.paths['apis/example.com/v1'].serverRelativeURL)
    const patch = body.paths['/apis/example.com/v1/namespaces/{namespace}/widgets/{name}'].patch
    expect(patch['x-kubernetes-group-version-kind']).toEqual({ group: 'example.com', version: 'v1', kind: 'Widget' })
    expect(patch.parameters.map((p: Any) => p.name)).toContain('fieldValidation')
    expect(body.components.schemas['com.example.v1.Widget'].properties.spec.properties.color.enum).toHaveLength(3)
  })
})

/** The watch began with the two objects in the order of names; then the free one goes and the held one is marked, in that order. */
const order = ['DELETED free', 'MODIFIED held', 'DELETED held']
const byListOrder = (a: string, b: string) => order.indexOf(a) - order.indexOf(b)
