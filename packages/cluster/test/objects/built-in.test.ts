import { describe, expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { builtInKinds } from '../../src/kinds/built-in.ts'
import { messageNamed, messageOfKind } from '../../src/kinds/messages.ts'
import { shapeOfKind } from '../../src/kinds/shapes.ts'
import { columnsOf } from '../../src/kinds/table.ts'
import { type Any, Api, configMaps } from '../api.ts'

const deployments = '/apis/apps/v1/namespaces/default/deployments'
const labels = { a: 'd' }
const deployment = (spec: object = {}) => ({
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
    ...spec,
  },
})

describe('built-in kinds', () => {
  it('all have a schema, a message and columns', () => {
    for (const kind of builtInKinds) {
      for (const version of kind.versions) {
        const message = messageOfKind(kind.group, version.name, kind.kind)
        expect(shapeOfKind(kind, version).typeName, kind.kind).toBeDefined()
        expect(messageNamed(message ?? '').fields.length, kind.kind).toBeGreaterThan(0)
        expect(columnsOf(kind, version).length, kind.kind).toBeGreaterThan(0)
      }
    }
  })

  it('are filled in as the original does', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const { body } = await new Api(cluster).post(deployments, deployment())
    expect(body.spec).toMatchObject({
      replicas: 1,
      revisionHistoryLimit: 10,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    })
    expect(body.spec.template.spec).toMatchObject({
      restartPolicy: 'Always',
      containers: [{ resources: {}, imagePullPolicy: 'IfNotPresent', terminationMessagePolicy: 'File' }],
    })
    expect(body.status).toEqual({})
  })

  it('refuse a value of the wrong type, with 400 in a body and 422 in a patch', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    expect((await api.post(deployments, deployment({ replicas: 'three' }))).status).toBe(400)
    await api.post(deployments, deployment())
    expect((await api.patch(`${deployments}/d`, { spec: { replicas: 'three' } })).status).toBe(422)
  })

  it('name unknown fields and keys that come twice: as a warning, an error, or not at all', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const text = '{"metadata":{"name":"a"},"data":{"k":"1","k":"2"},"bogus":1}'
    const strict = await api.send('POST', `${configMaps}?fieldValidation=Strict`, text)
    expect(strict.status).toBe(400)
    expect(strict.body.message).toContain('duplicate field "data.k", unknown field "bogus"')
    const warned = await api.send('POST', configMaps, text)
    expect(warned.status).toBe(201)
    expect(warned.body).not.toHaveProperty('bogus')
    expect(warned.body.data).toEqual({ k: '2' })
    expect(warned.headers.get('warning')).toContain('unknown field')
    const ignored = await api.send('PUT', `${configMaps}/a?fieldValidation=Ignore`, text)
    expect(ignored.headers.get('warning')).toBeUndefined()
  })

  it('keep integers beyond 2^53 in custom objects, from the body to the answer', async () => {
    const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    const crd = {
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: free } }],
      },
    }
    await using cluster = await Cluster.start({ listen: false, crds: [crd] })
    const path = '/apis/example.com/v1/namespaces/default/things'
    const body = '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"n":9007199254740993}'
    const request = { method: 'POST', path, headers: {}, body: Buffer.from(body), signal: new AbortController().signal }
    const answer = await cluster.transport().request(request)
    expect(Buffer.from(answer.body).toString()).toContain('"n":9007199254740993')
  })

  it('are explained: each document holds every schema that it refers to', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const { body } = await new Api(cluster).get('/openapi/v3/apis/apps/v1')
    const { schemas } = body.components
    const references = [...JSON.stringify(body).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1])
    expect(references.filter((name) => !Object.hasOwn(schemas, String(name)))).toEqual([])
    const { strategy } = schemas['io.k8s.api.apps.v1.DeploymentSpec'].properties as Any
    expect(strategy.description).toContain('deployment strategy')
  })
})
