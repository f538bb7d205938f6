import { describe, expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { Api } from '../api.ts'

const v2 = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'apps.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'App', plural: 'apps' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

describe('what kubectl asks for beside objects', () => {
  it('OpenAPI v2 in protobuf, by which it checks the items of a List', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [definition] })
    const { status, headers, body } = await new Api(cluster).get('/openapi/v2', { accept: v2 })
    expect([status, headers.get('content-type')]).toEqual([200, v2])
    // Field 1, two bytes: the version of the form.
    expect(body.slice(0, 5)).toBe('\n\u00032.0')
    for (const name of ['io.k8s.api.core.v1.ConfigMap', 'com.example.v1.App', 'fieldValidation']) {
      expect(body).toContain(name)
    }
    expect(body).toContain('{"group":"example.com","kind":"App","version":"v1"}')
  })

  it('nothing in a form that nobody has', async () => {
    await using cluster = await Cluster.start({ listen: false })
    expect((await new Api(cluster).get('/openapi/v2', { accept: 'application/cbor' })).status).toBe(406)
  })

  it('the fields that a custom kind shares with all others, in the words of those', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [definition] })
    const api = new Api(cluster)
    const own = (await api.get('/openapi/v3/apis/example.com/v1')).body.components.schemas
    const others = (await api.get('/openapi/v3/api/v1')).body.components.schemas
    const { apiVersion, kind, metadata } = others['io.k8s.api.core.v1.ConfigMap'].properties
    const { default: _, ...withoutDefault } = metadata
    expect(own['com.example.v1.App'].properties).toMatchObject({ apiVersion, kind, metadata: withoutDefault })
    const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
    expect(own[objectMeta]).toEqual(others[objectMeta])
  })

  it('the log of a pod that is nowhere, which is empty', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const pods = '/api/v1/namespaces/default/pods'
    const spec = { containers: [{ name: 'a', image: 'a' }] }
    await api.post(pods, { metadata: { name: 'a' }, spec })
    expect(await api.get(`${pods}/a/log`)).toMatchObject({ status: 200, body: '' })
    await api.post(pods, { metadata: { name: 'b' }, spec: { ...spec, nodeName: 'n' } })
    expect((await api.get(`${pods}/b/log`)).status).toBe(404)
  })

  it('a node, which takes no pods before it is ready', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const { body } = await new Api(cluster).post('/api/v1/nodes', { metadata: { name: 'n' } })
    expect(body.spec.taints).toEqual([{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }])
  })
})
