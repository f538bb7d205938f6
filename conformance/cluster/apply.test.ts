import { beforeAll, describe, expect, it } from 'vitest'
import type { Loose } from './exchange.ts'
import { APPLY, MERGE, openStage } from './stage.ts'
import { widget, widgets } from './widget.ts'

const stage = openStage()
beforeAll(() => stage.define(widgets(stage.group)), 120_000)

const maps = () => stage.path('configmaps')
const custom = () => stage.path('widgets', `${stage.group}/v1`)
const map = (data: Loose, metadata: Loose = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data })
const wanted = (spec: Loose) => ({ apiVersion: `${stage.group}/v1`, kind: 'Widget', spec })
const newMapPath = () => `${maps()}/${stage.name()}`
const newWidgetPath = () => `${custom()}/${stage.name('w')}`
const entryOf = (object: Loose, manager: string, operation = 'Apply') =>
  object.metadata.managedFields.find((entry: Loose) => entry.manager === manager && entry.operation === operation)

describe('server-side apply', () => {
  it('KA71: of an absent object creates it, and remembers who owns what', async () => {
    const { code, body } = await stage.apply(newMapPath(), 'one', map({ k: 'v' }))
    expect(code).toBe(201)
    expect(body.metadata.managedFields).toEqual([
      {
        ...{ manager: 'one', operation: 'Apply', apiVersion: 'v1', time: expect.any(String), fieldsType: 'FieldsV1' },
        fieldsV1: { 'f:data': { 'f:k': {} } },
      },
    ])
  })

  it('KA72: the same again is no change', async () => {
    const path = newMapPath()
    const first = await stage.apply(path, 'one', map({ k: 'v' }))
    const again = await stage.apply(path, 'one', map({ k: 'v' }))
    expect(again).toMatchObject({
      code: 200,
      body: { metadata: { resourceVersion: first.body.metadata.resourceVersion } },
    })
  })

  it('KA73: needs a manager, and a body that is an intention', async () => {
    const path = newMapPath()
    expect((await stage.patch(path, APPLY, map({}))).code).toBe(422)
    const entry = { manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }
    expect((await stage.apply(path, 'one', map({}, { managedFields: [entry] }))).code).toBe(400)
    expect((await stage.apply(path, 'one', { ...map({}), apiVersion: 'v2' })).code).toBe(400)
  })

  it('KA74: force is for apply alone', async () => {
    const path = newMapPath()
    await stage.apply(path, 'one', map({ k: 'v' }))
    const { code, body } = await stage.patch(`${path}?force=true`, MERGE, {})
    expect(code).toBe(422)
    expect(body.details.causes).toEqual([expect.objectContaining({ field: 'force', reason: 'FieldValueForbidden' })])
  })

  it('KA75, KA76: another value is a conflict with its owner, unless forced', async () => {
    const path = newMapPath()
    await stage.apply(path, 'one', map({ k: 'v', other: 'w' }))
    const { code, body } = await stage.apply(path, 'two', map({ k: 'x' }))
    expect({ code, reason: body.reason }).toEqual({ code: 409, reason: 'Conflict' })
    expect(body.details.causes).toEqual([
      { reason: 'FieldManagerConflict', message: expect.stringContaining('"one"'), field: '.data.k' },
    ])
    const forced = await stage.apply(path, 'two', map({ k: 'x' }), '&force=true')
    expect(forced).toMatchObject({ code: 200, body: { data: { k: 'x', other: 'w' } } })
    expect(entryOf(forced.body, 'one').fieldsV1).toEqual({ 'f:data': { 'f:other': {} } })
    expect(entryOf(forced.body, 'two').fieldsV1).toEqual({ 'f:data': { 'f:k': {} } })
  })

  it('KA77, KA78: an equal value is shared; it stays while somebody owns it', async () => {
    const path = newMapPath()
    await stage.apply(path, 'one', map({ k: 'v', alone: 'x' }))
    const shared = await stage.apply(path, 'two', map({ k: 'v' }))
    expect(shared.code).toBe(200)
    expect(entryOf(shared.body, 'one').fieldsV1).toEqual({ 'f:data': { 'f:k': {}, 'f:alone': {} } })
    expect(entryOf(shared.body, 'two').fieldsV1).toEqual({ 'f:data': { 'f:k': {} } })
    expect((await stage.apply(path, 'one', map({}))).body.data).toEqual({ k: 'v' })
    expect((await stage.apply(path, 'two', map({}))).body.data).toBeUndefined()
  })

  it('KA79: an update takes fields over, and is named after the program', async () => {
    const path = newMapPath()
    const { body } = await stage.apply(path, 'one', map({ k: 'v' }))
    const updated = await stage.put(path, { ...body, data: { k: 'changed' } })
    expect(entryOf(updated.body, 'conformance', 'Update').fieldsV1).toEqual({ 'f:data': { 'f:k': {} } })
    expect((await stage.apply(path, 'one', map({ k: 'v' }))).code).toBe(409)
  })

  it('KA80: elements of a list by key belong to those who name them', async () => {
    const path = newWidgetPath()
    await stage.apply(path, 'one', wanted({ items: [{ name: 'a', value: '1' }] }))
    const { code, body } = await stage.apply(path, 'two', wanted({ items: [{ name: 'b', value: '2' }] }))
    expect(code).toBe(200)
    expect(body.spec.items).toEqual([
      { name: 'a', value: '1' },
      { name: 'b', value: '2' },
    ])
    expect(entryOf(body, 'two').fieldsV1['f:spec']['f:items']).toEqual({
      'k:{"name":"b"}': { '.': {}, 'f:name': {}, 'f:value': {} },
    })
  })

  it('KA81: values of a set belong to those who name them', async () => {
    const path = newWidgetPath()
    await stage.apply(path, 'one', wanted({ tags: ['a'] }))
    const { body } = await stage.apply(path, 'two', wanted({ tags: ['b'] }))
    expect(body.spec.tags).toEqual(['a', 'b'])
    expect(entryOf(body, 'one').fieldsV1['f:spec']['f:tags']).toEqual({ 'v:"a"': {} })
  })

  it('KA82: an atomic list belongs to one', async () => {
    const path = newWidgetPath()
    await stage.apply(path, 'one', wanted({ steps: ['a'] }))
    const { code, body } = await stage.apply(path, 'two', wanted({ steps: ['b'] }))
    expect(code).toBe(409)
    expect(body.details.causes).toEqual([expect.objectContaining({ field: '.spec.steps' })])
  })

  it('KA83: the same key twice is an error, and nothing is stored', async () => {
    const path = newWidgetPath()
    const items = [{ name: 'a' }, { name: 'a' }]
    expect((await stage.apply(path, 'one', wanted({ items }))).code).toBe(500)
    expect((await stage.get(path)).code).toBe(404)
  })

  it('KA84: a status is applied on its own', async () => {
    const path = newWidgetPath()
    await stage.apply(path, 'one', wanted({ color: 'red' }))
    const body = { ...wanted({ color: 'blue' }), status: { phase: 'Ready' } }
    const answer = await stage.apply(`${path}/status`, 'two', body)
    expect(answer).toMatchObject({ code: 200, body: { spec: { color: 'red' }, status: { phase: 'Ready' } } })
    expect(entryOf(answer.body, 'two')).toMatchObject({
      subresource: 'status',
      fieldsV1: { 'f:status': { 'f:phase': {} } },
    })
  })

  it('KA85: an old version is 409', async () => {
    const path = newMapPath()
    const { body } = await stage.apply(path, 'one', map({ k: 'v' }))
    await stage.apply(path, 'one', map({ k: 'w' }))
    const { resourceVersion } = body.metadata
    expect((await stage.apply(path, 'one', map({ k: 'x' }, { resourceVersion }))).code).toBe(409)
  })

  it('KA86: whoever empties the owners resets them', async () => {
    const path = newMapPath()
    const { body } = await stage.apply(path, 'one', map({ k: 'v' }))
    const metadata = { ...body.metadata, managedFields: [] }
    const updated = await stage.put(path, { ...body, metadata, data: { k: 'v', l: 'w' } })
    expect(updated.code).toBe(200)
    expect(updated.body.metadata.managedFields).toBeUndefined()
    const next = await stage.apply(path, 'two', map({ k: 'other' }))
    expect(next).toMatchObject({ code: 409, body: { message: expect.stringContaining('"before-first-apply"') } })
  })

  it('KA87: at most ten who update are remembered by name', async () => {
    const path = newMapPath()
    const { body } = await stage.apply(path, 'one', map({ k: 'v' }))
    let last = body
    for (let i = 0; i < 12; i++) {
      last = (await stage.patch(`${path}?fieldManager=u${i}`, MERGE, { data: { [`k${i}`]: 'v' } })).body
    }
    const updates = last.metadata.managedFields.filter(({ operation }: Loose) => operation === 'Update')
    expect(updates).toHaveLength(10)
    expect(updates.some(({ manager }: Loose) => manager === 'ancient-changes')).toBe(true)
    expect(entryOf(last, 'one')).toBeTruthy()
  })

  it('KA88: what kubectl applied on its own side is taken over', async () => {
    const path = newMapPath()
    const name = path.split('/').at(-1)
    const manifest = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: stage.namespace },
      data: { k: 'v' },
    }
    const annotation = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(manifest) }
    const metadata = { ...manifest.metadata, annotations: annotation }
    await stage.post(`${maps()}?fieldManager=kubectl-client-side-apply`, { ...manifest, metadata })
    const changed = { ...manifest, data: { k: 'new' } }
    const { code, body } = await stage.apply(path, 'kubectl', changed)
    expect(code).toBe(200)
    expect(body.data).toEqual({ k: 'new' })
    expect(body.metadata.annotations).toHaveProperty(['kubectl.kubernetes.io/last-applied-configuration'])
  })

  it('KA89: a dry run shows what would be', async () => {
    const path = newMapPath()
    const { body } = await stage.apply(path, 'one', map({ k: 'v' }))
    const dry = await stage.apply(path, 'one', map({ k: 'w' }), '&dryRun=All')
    expect(dry).toMatchObject({ code: 200, body: { data: { k: 'w' } } })
    expect((await stage.get(path)).body).toEqual(body)
    const absent = newMapPath()
    expect((await stage.apply(absent, 'one', map({}), '&dryRun=All')).code).toBe(201)
    expect((await stage.get(absent)).code).toBe(404)
  })

  it('KA82, KA93: a field that is not in the schema is an error', async () => {
    const path = newWidgetPath()
    expect((await stage.apply(path, 'one', wanted({ nosuch: 1 }))).code).toBe(500)
    expect((await stage.apply(newMapPath(), 'one', { ...map({}), nosuch: 1 })).code).toBe(500)
    expect((await stage.get(path)).code).toBe(404)
  })

  it('KA136: a terminating object is still applied to', async () => {
    const made = await stage.created(custom(), {
      ...widget(stage.group, 'x', { color: 'red' }),
      metadata: { name: stage.name('w'), finalizers: ['example.com/held'] },
    })
    const path = `${custom()}/${made.metadata.name}`
    await stage.delete(path)
    expect((await stage.apply(path, 'one', wanted({ title: 'still here' }))).code).toBe(200)
    await stage.patch(path, MERGE, { metadata: { finalizers: null } })
  })
})
