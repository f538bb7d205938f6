import { beforeAll, describe, expect, it } from 'vitest'
import type { Loose } from './exchange.ts'
import { MERGE, openStage } from './stage.ts'
import { widget, widgets } from './widget.ts'

const stage = openStage()
beforeAll(() => stage.define(widgets(stage.group)), 120_000)

const maps = () => stage.path('configmaps')
const custom = () => stage.path('widgets', `${stage.group}/v1`)
const make = (spec: Loose = { color: 'red' }) => stage.created(custom(), widget(stage.group, stage.name(), spec))

describe('field validation', () => {
  it('KA90: strict refuses unknown fields and double keys of a built-in kind', async () => {
    const text = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"${stage.name()}"},"spec":{"replicas":1,"replicas":2,
      "nosuch":true,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"containers":[{"name":"c","image":"i","bogus":1}]}}}}`
    const { code, body } = await stage.post(`${stage.path('deployments', 'apps/v1')}?fieldValidation=Strict`, text)
    expect(code).toBe(400)
    expect(body.message).toContain('unknown field "spec.nosuch"')
    expect(body.message).toContain('duplicate field "spec.replicas"')
    expect(body.message).toContain('unknown field "spec.template.spec.containers[0].bogus"')
  })

  it('KA91: by default an unknown field is dropped with a warning', async () => {
    const { code, headers, body } = await stage.post(custom(), widget(stage.group, stage.name(), { nosuch: 1 }))
    expect(code).toBe(201)
    expect(headers['warning']).toBe('299 - "unknown field \\"spec.nosuch\\""')
    expect(body.spec).toEqual({ size: 3 })
  })

  it('KA92: ignored, it is dropped without a word', async () => {
    const { code, headers, body } = await stage.post(
      `${custom()}?fieldValidation=Ignore`,
      widget(stage.group, stage.name(), { nosuch: 1 }),
    )
    expect(code).toBe(201)
    expect(headers['warning']).toBeUndefined()
    expect(body.spec).toEqual({ size: 3 })
  })

  it('KA93: a strict patch refuses it', async () => {
    const made = await make()
    const path = `${custom()}/${made.metadata.name}`
    const { code } = await stage.patch(`${path}?fieldValidation=Strict`, MERGE, { spec: { nosuch: 1 } })
    expect(code).toBe(422)
    const warned = await stage.patch(path, MERGE, { spec: { nosuch: 1 } })
    expect(warned.code).toBe(200)
    expect(warned.headers['warning']).toContain('unknown field')
  })

  it('KA94: double keys are refused where unknown fields are kept, too', async () => {
    const text = (name: string) =>
      `{"apiVersion":"${stage.group}/v1","kind":"Widget","metadata":{"name":"${name}"},"spec":{"free":{"a":1,"a":2}}}`
    const { code, body } = await stage.post(`${custom()}?fieldValidation=Strict`, text(stage.name()))
    expect(code).toBe(400)
    expect(body.message).toContain('duplicate field "spec.free.a"')
    const warned = await stage.post(custom(), text(stage.name()))
    expect(warned).toMatchObject({ code: 201, body: { spec: { free: { a: 2 } } } })
  })

  it('KA95: unknown modes are 422', async () => {
    for (const query of ['fieldValidation=Bogus', 'dryRun=Bogus']) {
      const { code, body } = await stage.post(`${maps()}?${query}`, { metadata: { name: stage.name() } })
      expect(code).toBe(422)
      expect(body.details.causes[0]).toMatchObject({
        reason: 'FieldValueNotSupported',
        field: query.split('=')[0],
      })
    }
  })
})

describe('dry runs', () => {
  it('KA96: nothing is created, and nobody is told', async () => {
    const name = stage.name()
    const { body } = await stage.get(`${maps()}?limit=1`)
    using watch = await stage.watch(`${maps()}?watch=1&resourceVersion=${body.metadata.resourceVersion}`)
    expect((await stage.post(`${maps()}?dryRun=All`, { metadata: { name } })).code).toBe(201)
    expect((await stage.get(`${maps()}/${name}`)).code).toBe(404)
    const made = await stage.created(maps(), { metadata: { name }, data: { a: '1' } })
    expect((await stage.put(`${maps()}/${name}?dryRun=All`, { metadata: { name } })).code).toBe(200)
    expect((await stage.patch(`${maps()}/${name}?dryRun=All`, MERGE, { data: { b: '2' } })).body.data).toEqual({
      ...{ a: '1', b: '2' },
    })
    expect((await stage.delete(`${maps()}/${name}?dryRun=All`)).code).toBe(200)
    expect((await stage.get(`${maps()}/${name}`)).body).toEqual(made)
    await stage.delete(`${maps()}/${name}`)
    expect((await watch.take(2)).map(({ type }) => type)).toEqual(['ADDED', 'DELETED'])
  })
})
