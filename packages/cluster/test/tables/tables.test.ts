import { describe, expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { type Any, Api, configMaps, widgetDefinition, widgets } from '../api.ts'

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }
const columnNames = (body: Any) => body.columnDefinitions.map((c: Any) => c.name)

describe('tables', () => {
  it('show the columns of a built-in kind as kubectl prints them', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    await api.post(configMaps, { metadata: { name: 'a' }, data: { k: 'v', l: 'w' } })
    const { body } = await api.get(configMaps, table)
    expect(columnNames(body)).toEqual(['Name', 'Data', 'Age'])
    expect(body.rows[0].cells.slice(0, 2)).toEqual(['a', 2])
    expect(body.rows[0].object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } })
  })

  it('show the columns that a definition asks for, and null where there is nothing', async () => {
    const definition: Any = widgetDefinition()
    definition.spec.versions[0].additionalPrinterColumns = [
      { name: 'Color', type: 'string', jsonPath: '.spec.color' },
      { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      { name: 'Size', type: 'integer', jsonPath: '.spec.nothing' },
    ]
    const schema = definition.spec.versions[0].schema.openAPIV3Schema
    schema.properties.status = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    await using cluster = await Cluster.start({ listen: false, crds: [definition] })
    const api = new Api(cluster)
    await api.post(widgets, {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'a' },
      spec: { color: 'red' },
    })
    await api.patch(`${widgets}/a/status`, {
      status: {
        conditions: [
          { type: 'Other', status: 'False' },
          { type: 'Ready', status: 'True' },
        ],
      },
    })
    const { body } = await api.get(widgets, table)
    expect(columnNames(body)).toEqual(['Name', 'Color', 'Ready', 'Size'])
    expect(body.rows[0].cells).toEqual(['a', 'red', 'True', null])
  })

  it('include the whole object, or none, when asked', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    await api.post(configMaps, { metadata: { name: 'a' }, data: { k: 'v' } })
    expect((await api.get(`${configMaps}?includeObject=Object`, table)).body.rows[0].object.data).toEqual({ k: 'v' })
    expect((await api.get(`${configMaps}?includeObject=None`, table)).body.rows[0].object).toBeNull()
    expect((await api.get(`${configMaps}?includeObject=Bogus`, table)).status).toBe(400)
  })

  it('name their columns in the first event of a watch only', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    await api.post(configMaps, { metadata: { name: 'a' } })
    await api.post(configMaps, { metadata: { name: 'b' } })
    const answer = await cluster.transport().request({
      method: 'GET',
      path: `${configMaps}?watch=true&timeoutSeconds=1`,
      headers: table,
      signal: new AbortController().signal,
    })
    const lines = Buffer.from(answer.body).toString().trim().split('\n')
    const events = lines.map((line) => JSON.parse(line))
    expect(events.map((e: Any) => e.object.columnDefinitions?.length ?? null)).toEqual([3, null])
  })

  it.each([
    [
      '/api/v1/namespaces/default/pods',
      { spec: { containers: [{ name: 'c', image: 'i' }] } },
      ['a', '0/1', 'Pending', '0'],
    ],
    [
      '/apis/apps/v1/namespaces/default/deployments',
      {
        spec: {
          replicas: 2,
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      },
      ['a', '0/2', 0, 0],
    ],
    [
      '/api/v1/namespaces/default/services',
      { spec: { clusterIP: 'None', ports: [{ port: 80 }] } },
      ['a', 'ClusterIP', 'None', '<none>', '80/TCP'],
    ],
    ['/api/v1/namespaces', {}, ['a', 'Active']],
  ])('of %s begin with what matters', async (path, content, cells) => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const created = await api.post(path, { metadata: { name: 'a' }, ...content })
    expect(created.status).toBe(201)
    const { body } = await api.get(`${path}/a`, table)
    expect(body.rows[0].cells.slice(0, cells.length)).toEqual(cells)
  })
})
