import { beforeAll, describe, expect, it } from 'vitest'
import type { Loose } from './exchange.ts'
import { MERGE, openStage } from './stage.ts'
import { widget, widgets, widgetVersion } from './widget.ts'

const stage = openStage()
const plain = () => `plain.${stage.group}`
beforeAll(async () => {
  await stage.define(widgets(stage.group))
  await stage.define(widgets(plain(), [{ ...widgetVersion, subresources: {} }]))
}, 120_000)

const path = () => stage.path('widgets', `${stage.group}/v1`)
const make = (spec: Loose = { color: 'red' }, more: Loose = {}) =>
  stage.created(path(), widget(stage.group, stage.name(), spec, more))
const at = (object: Loose, sub = '') => `${path()}/${object.metadata.name}${sub}`

describe('status and generation', () => {
  it('KA51: a status is not created with the object', async () => {
    const made = await make({ color: 'red' }, { status: { phase: 'Ready' } })
    expect(made.status).toBeUndefined()
    expect(made.metadata.generation).toBe(1)
  })

  it('KA52: the generation counts changes of what is wanted', async () => {
    const made = await make()
    const second = await stage.put(at(made), { ...made, spec: { ...made.spec, color: 'blue' } })
    expect(second.body.metadata.generation).toBe(2)
    const metadata = { ...second.body.metadata, labels: { a: 'b' }, annotations: { c: 'd' } }
    expect((await stage.put(at(made), { ...second.body, metadata })).body.metadata.generation).toBe(2)
    const deployment = await stage.created(stage.path('deployments', 'apps/v1'), {
      metadata: { name: stage.name() },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    })
    expect(deployment.metadata.generation).toBe(1)
    const scaled = await stage.patch(`${stage.path('deployments', 'apps/v1')}/${deployment.metadata.name}`, MERGE, {
      spec: { replicas: 3 },
    })
    expect(scaled.body.metadata.generation).toBe(2)
  })

  it('KA53: the status endpoint writes the status alone', async () => {
    const made = await make()
    const body = { ...made, spec: { color: 'blue' }, status: { phase: 'Ready' } }
    const { code, body: written } = await stage.put(at(made, '/status'), body)
    expect(code).toBe(200)
    expect(written).toMatchObject({ spec: { color: 'red' }, status: { phase: 'Ready' }, metadata: { generation: 1 } })
    expect(BigInt(written.metadata.resourceVersion)).toBeGreaterThan(BigInt(made.metadata.resourceVersion))
    const patched = await stage.patch(at(made, '/status'), MERGE, {
      spec: { color: 'green' },
      status: { phase: 'Old' },
    })
    expect(patched.body).toMatchObject({
      spec: { color: 'red' },
      status: { phase: 'Old' },
      metadata: { generation: 1 },
    })
  })

  it('KA54: the main endpoint leaves the status alone', async () => {
    const made = await make()
    await stage.patch(at(made, '/status'), MERGE, { status: { phase: 'Ready' } })
    const { code, body } = await stage.patch(at(made), MERGE, { status: { phase: 'Other' } })
    expect({ code, status: body.status }).toEqual({ code: 200, status: { phase: 'Ready' } })
    const { status: _, ...without } = body
    expect((await stage.put(at(made), without)).body.status).toEqual({ phase: 'Ready' })
  })

  it('KA60: without the subresource the status is a field like others', async () => {
    const list = stage.path('widgets', `${plain()}/v1`)
    const made = await stage.created(list, widget(plain(), stage.name(), {}, { status: { phase: 'A' } }))
    expect(made).toMatchObject({ status: { phase: 'A' }, metadata: { generation: 1 } })
    const { body } = await stage.put(`${list}/${made.metadata.name}`, { ...made, status: { phase: 'B' } })
    expect(body).toMatchObject({ status: { phase: 'B' }, metadata: { generation: 2 } })
    expect((await stage.get(`${list}/${made.metadata.name}/status`)).code).toBe(404)
  })

  it('KA59: a subresource that is not there is 404', async () => {
    const made = await make()
    expect(await stage.get(at(made, '/nosuch'))).toMatchObject({ code: 404, body: { kind: 'Status' } })
  })
})

describe('scale', () => {
  it('KA55: is read from the paths of the definition', async () => {
    const made = await make({ replicas: 4 })
    await stage.patch(at(made, '/status'), MERGE, { status: { replicas: 2, selector: 'a=b' } })
    const { code, body } = await stage.get(at(made, '/scale'))
    expect(code).toBe(200)
    expect(body).toMatchObject({
      ...{
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        spec: { replicas: 4 },
        status: { replicas: 2, selector: 'a=b' },
      },
      metadata: { name: made.metadata.name, namespace: stage.namespace, uid: made.metadata.uid },
    })
  })

  it('KA56: is written with the version, or without one, and counts as a change of what is wanted', async () => {
    const made = await make({ replicas: 1 })
    const { body: scale } = await stage.get(at(made, '/scale'))
    const written = await stage.put(at(made, '/scale'), { ...scale, spec: { replicas: 5 } })
    expect(written).toMatchObject({ code: 200, body: { kind: 'Scale', spec: { replicas: 5 } } })
    expect((await stage.put(at(made, '/scale'), { ...scale, spec: { replicas: 6 } })).code).toBe(409)
    const { resourceVersion: _, ...metadata } = scale.metadata
    expect((await stage.put(at(made, '/scale'), { ...scale, metadata, spec: { replicas: 7 } })).code).toBe(200)
    expect((await stage.get(at(made))).body).toMatchObject({ spec: { replicas: 7 }, metadata: { generation: 3 } })
  })

  it('KA57: without replicas it cannot be read, but written', async () => {
    const made = await make({})
    expect((await stage.get(at(made, '/scale'))).code).toBe(500)
    const patched = await stage.patch(at(made, '/scale'), MERGE, { spec: { replicas: 2 } })
    expect(patched.code).toBe(200)
    expect((await stage.get(at(made))).body.spec.replicas).toBe(2)
  })

  it('KA58: of a Deployment is patched', async () => {
    const list = stage.path('deployments', 'apps/v1')
    const name = stage.name()
    await stage.created(list, {
      metadata: { name },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    })
    const { code, body } = await stage.patch(`${list}/${name}/scale`, MERGE, { spec: { replicas: 9 } })
    expect(code).toBe(200)
    expect(body).toMatchObject({ kind: 'Scale', spec: { replicas: 9 }, status: { replicas: 0, selector: 'a=b' } })
    expect((await stage.get(`${list}/${name}`)).body.spec.replicas).toBe(9)
  })
})
