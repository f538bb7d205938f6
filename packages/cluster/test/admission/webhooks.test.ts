import { describe, expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { type Any, Api, configMaps, widget, widgetDefinition, widgets } from '../api.ts'
import { settled } from '../virtual-clock.ts'
import { Hook, patchWith } from './hook.ts'

const configurations = '/apis/admissionregistration.k8s.io/v1'
const map = (name: string, labels: object = {}) => ({ metadata: { name, labels }, data: { k: 'v' } })

function webhook(hook: Hook, path: string, rest: object = {}): Any {
  const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['configmaps', 'widgets'] }]
  const base = { name: `${path.slice(1)}.example.com`, clientConfig: hook.client(path), rules }
  return { ...base, sideEffects: 'None', admissionReviewVersions: ['v1'], ...rest }
}

const configure = (api: Api, kind: 'mutating' | 'validating', name: string, webhooks: Any[]) =>
  api.post(`${configurations}/${kind}webhookconfigurations`, { metadata: { name }, webhooks })

describe('mutating webhooks', () => {
  it('are asked by the name of their configuration, and what they change is stored', async () => {
    await using hook = await Hook.start()
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    hook.behaviours.set('/one', patchWith([{ op: 'add', path: '/data/order', value: 'one' }]))
    hook.behaviours.set('/two', patchWith([{ op: 'replace', path: '/data/order', value: 'two' }]))
    await configure(api, 'mutating', 'b', [webhook(hook, '/two')])
    await configure(api, 'mutating', 'a', [webhook(hook, '/one')])
    const created = await api.post(configMaps, map('x'))
    expect(created.body.data).toEqual({ k: 'v', order: 'two' })
    expect(hook.asked.map(({ path }) => path)).toEqual(['/one?timeout=10s', '/two?timeout=10s'])
    expect((await api.get(`${configMaps}/x`)).body.data.order).toBe('two')
  })

  it('get the whole question: who, what, before and after', async () => {
    await using hook = await Hook.start()
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    await configure(api, 'mutating', 'a', [webhook(hook, '/one')])
    await api.post(`${configMaps}?fieldManager=me`, map('x', { a: 'b' }))
    await api.patch(`${configMaps}/x`, { data: { k: 'w' } })
    await api.delete(`${configMaps}/x?propagationPolicy=Foreground`)
    const [create, update, remove] = hook.asked.map(({ review }) => review.request)
    expect(create).toMatchObject({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      name: 'x',
      namespace: 'default',
      operation: 'CREATE',
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
    })
    expect(create.object.metadata).not.toHaveProperty('uid')
    expect(create.object.metadata.managedFields[0].manager).toBe('me')
    expect(update).toMatchObject({ operation: 'UPDATE', object: { data: { k: 'w' } }, oldObject: { data: { k: 'v' } } })
    expect(remove).toMatchObject({ operation: 'DELETE', object: null, oldObject: { data: { k: 'w' } } })
    expect(remove.options).toEqual({
      kind: 'DeleteOptions',
      apiVersion: 'meta.k8s.io/v1',
      propagationPolicy: 'Foreground',
    })
  })

  it('see a later change when they ask for it, and a custom object is read anew', async () => {
    await using hook = await Hook.start()
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    hook.behaviours.set('/two', patchWith([{ op: 'add', path: '/spec/bogus', value: 1 }]))
    hook.behaviours.set('/one', patchWith([{ op: 'remove', path: '/spec/size' }]))
    await configure(api, 'mutating', 'a', [
      webhook(hook, '/first', { reinvocationPolicy: 'IfNeeded' }),
      webhook(hook, '/one'),
      webhook(hook, '/two'),
    ])
    const created = await api.post(widgets, widget('a', { color: 'red' }))
    expect(created.body.spec).toEqual({ color: 'red', size: 'medium' })
    expect(created.headers.get('warning')).toBeUndefined()
    expect(hook.asked.filter(({ path }) => path.startsWith('/first'))).toHaveLength(1)
    hook.behaviours.set('/two', patchWith([{ op: 'add', path: '/metadata/labels', value: { late: 'yes' } }]))
    hook.asked.length = 0
    await api.post(widgets, widget('b', { color: 'red' }))
    expect(hook.asked.filter(({ path }) => path.startsWith('/first'))).toHaveLength(2)
  })

  it('lose no write that came while they were asked', async () => {
    await using hook = await Hook.start()
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    await api.post(configMaps, map('x'))
    await configure(api, 'mutating', 'a', [webhook(hook, '/one')])
    const patches = ['a', 'b', 'c', 'd'].map((key) => api.patch(`${configMaps}/x`, { data: { [key]: '1' } }))
    for (const answer of await Promise.all(patches)) expect(answer.status).toBe(200)
    expect((await api.get(`${configMaps}/x`)).body.data).toEqual({ k: 'v', a: '1', b: '1', c: '1', d: '1' })
  })
})

describe('validating webhooks', () => {
  it('refuse in their own words and with their own code', async () => {
    await using hook = await Hook.start()
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    hook.behaviours.set('/no', () => ({
      allowed: false,
      status: { code: 418, message: 'no teapots', reason: 'Because' },
    }))
    await configure(api, 'validating', 'a', [webhook(hook, '/no')])
    const refused = await api.post(configMaps, map('x'))
    expect(refused.status).toBe(418)
    expect(refused.body).toMatchObject({
      message: 'admission webhook "no.example.com" denied the request: no teapots',
      reason: 'Because',
      code: 418,
    })
    hook.behaviours.set('/no', () => ({ allowed: false }))
    const silent = await api.post(configMaps, map('x'))
    expect(silent.status).toBe(400)
    expect(silent.body.message).toBe('admission webhook "no.example.com" denied the request without explanation')
    expect((await api.get(`${configMaps}/x`)).status).toBe(404)
  })

  it('that cannot be heard refuse or are passed over, as their policy says', async () => {
    await using hook = await Hook.start()
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    hook.behaviours.set('/broken', () => ({ http: 500, text: 'broken' }))
    await configure(api, 'validating', 'a', [webhook(hook, '/broken')])
    const failed = await api.post(configMaps, map('x'))
    expect(failed.status).toBe(500)
    expect(failed.body.message).toBe(
      'Internal error occurred: failed calling webhook "broken.example.com": failed to call webhook: an error on the server ("broken") has prevented the request from succeeding',
    )
    await api.delete(`${configurations}/validatingwebhookconfigurations/a`)
    await configure(api, 'validating', 'a', [webhook(hook, '/broken', { failurePolicy: 'Ignore' })])
    expect((await api.post(configMaps, map('x'))).status).toBe(201)
  })

  it('are asked about what their rules, selectors and conditions name, and nothing else', async () => {
    await using hook = await Hook.start()
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }]
    const objectSelector = { matchLabels: { ask: 'yes' } }
    const matchConditions = [{ name: 'named', expression: "object.metadata.name.startsWith('x')" }]
    const made = await configure(api, 'validating', 'a', [
      webhook(hook, '/v', { rules, objectSelector, matchConditions }),
    ])
    expect(made.status).toBe(201)
    await api.post(configMaps, map('x1', { ask: 'yes' }))
    await api.post(configMaps, map('x2', { ask: 'no' }))
    await api.post(configMaps, map('y1', { ask: 'yes' }))
    await api.post(widgets, widget('x3'))
    await api.patch(`${configMaps}/x1`, { data: { z: '1' } })
    expect(hook.asked.map(({ review }) => review.request.name)).toEqual(['x1'])
  })

  it('reach a service where the cluster was told that it is', async () => {
    await using hook = await Hook.start()
    await using cluster = await Cluster.start({ listen: false, services: { 'default/hook': hook.port } })
    const api = new Api(cluster)
    const service = (name: string) => ({ service: { name, namespace: 'default', path: '/s' }, caBundle: hook.bundle })
    await configure(api, 'validating', 'a', [webhook(hook, '/s', { clientConfig: service('hook') })])
    expect((await api.post(configMaps, map('x'))).status).toBe(201)
    expect(hook.asked.map(({ path }) => path)).toEqual(['/s?timeout=10s'])
    await configure(api, 'validating', 'b', [webhook(hook, '/t', { clientConfig: service('nowhere') })])
    expect((await api.post(configMaps, map('y'))).body.message).toContain(
      'Post "https://nowhere.default.svc:443/s?timeout=10s": service "nowhere" not found',
    )
  })

  it('add warnings, and never hear of configurations of webhooks', async () => {
    await using hook = await Hook.start()
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    hook.behaviours.set('/w', () => ({ warnings: ['careful'] }))
    const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }]
    await configure(api, 'validating', 'a', [webhook(hook, '/w', { rules })])
    const created = await api.post(configMaps, map('x'))
    expect(created.headers.get('warning')).toBe('299 - "careful"')
    hook.asked.length = 0
    await api.delete(`${configurations}/validatingwebhookconfigurations/a`)
    expect(hook.asked).toEqual([])
  })

  it('are refused when their configuration cannot work', async () => {
    await using hook = await Hook.start()
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const bad = await configure(api, 'mutating', 'a', [
      webhook(hook, '/w', { name: 'short', sideEffects: 'Some', matchConditions: [{ name: 'a', expression: '1' }] }),
    ])
    expect(bad.status).toBe(422)
    expect(bad.body.details.causes.map((cause: Any) => `${cause.field}: ${cause.message}`)).toEqual([
      'webhooks[0].name: Invalid value: "short": should be a domain with at least three segments separated by dots',
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
      'webhooks[0].matchConditions[0].expression: Invalid value: "1": must evaluate to bool but got int',
    ])
  })
})

describe('conversion webhooks', () => {
  it('show each version its own form, in answers, lists and watches, and store one', async () => {
    await using hook = await Hook.start()
    hook.behaviours.set('/c', ({ request }) => ({
      result: { status: 'Success' },
      convertedObjects: request.objects.map((object: Any) => ({
        ...object,
        apiVersion: request.desiredAPIVersion,
        spec: request.desiredAPIVersion.endsWith('v2') ? { shade: object.spec.color } : { color: object.spec.shade },
      })),
    }))
    const version = (name: string, field: string, storage: boolean) => ({
      name,
      served: true,
      storage,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: { [field]: { type: 'string' } } } },
        },
      },
    })
    const webhookClient = { clientConfig: hook.client('/c'), conversionReviewVersions: ['v1'] }
    const definition = {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [version('v1', 'color', true), version('v2', 'shade', false)],
        conversion: { strategy: 'Webhook', webhook: webhookClient },
      },
    }
    await using cluster = await Cluster.start({ listen: false, crds: [definition] })
    const api = new Api(cluster)
    const second = widgets.replace('/v1/', '/v2/')
    const watch = await api.watch(`${second}?watch=true`)
    await api.post(widgets, {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'a' },
      spec: { color: 'red' },
    })
    expect((await api.get(`${second}/a`)).body).toMatchObject({ apiVersion: 'example.com/v2', spec: { shade: 'red' } })
    const patched = await api.patch(`${second}/a`, { spec: { shade: 'blue' } })
    expect(patched.body.spec).toEqual({ shade: 'blue' })
    expect((await api.get(`${widgets}/a`)).body).toMatchObject({
      apiVersion: 'example.com/v1',
      spec: { color: 'blue' },
    })
    expect((await api.get(second)).body.items.map((item: Any) => item.spec)).toEqual([{ shade: 'blue' }])
    await settled()
    expect(watch.events.map((event) => event.object.spec)).toEqual([{ shade: 'red' }, { shade: 'blue' }])
    watch.abort()
    hook.behaviours.set('/c', () => ({ result: { status: 'Failed', message: 'not today' } }))
    const failed = await api.post(second, {
      apiVersion: 'example.com/v2',
      kind: 'Widget',
      metadata: { name: 'b' },
      spec: {},
    })
    expect(failed.status).toBe(500)
    expect(failed.body.message).toBe('conversion webhook for example.com/v2, Kind=Widget failed: not today')
  })
})
