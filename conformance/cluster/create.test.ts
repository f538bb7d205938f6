import { beforeAll, describe, expect, it } from 'vitest'
import type { Loose } from './exchange.ts'
import { openStage, PROTOBUF } from './stage.ts'
import { widget, widgets } from './widget.ts'

const stage = openStage()
beforeAll(() => stage.define(widgets(stage.group)), 120_000)

const maps = () => stage.path('configmaps')
const custom = () => stage.path('widgets', `${stage.group}/v1`)
const map = (name: string, more: Loose = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more })
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('creating', () => {
  it('KA17: fills in what the server knows, and nothing else', async () => {
    const { code, body } = await stage.post(maps(), map(stage.name(), { data: { a: 'b' } }))
    expect(code).toBe(201)
    expect(body.metadata.uid).toMatch(UID)
    expect(body.metadata.creationTimestamp).toMatch(TIME)
    expect(body.metadata.resourceVersion).toMatch(/^\d+$/)
    expect(Object.keys(body.metadata).sort()).toEqual(
      ...[['creationTimestamp', 'managedFields', 'name', 'namespace', 'resourceVersion', 'uid']],
    )
  })

  it('KA18: a built-in kind may leave out what it is, a custom one may not', async () => {
    const built = await stage.post(maps(), { metadata: { name: stage.name() } })
    expect(built).toMatchObject({ code: 201, body: { kind: 'ConfigMap', apiVersion: 'v1' } })
    expect((await stage.post(custom(), { metadata: { name: stage.name() } })).code).toBe(400)
  })

  it('KA19: a body without a type is read as JSON', async () => {
    expect((await stage.post(maps(), map(stage.name()), { type: null })).code).toBe(201)
  })

  it('KA20: the same name again is 409 AlreadyExists', async () => {
    const name = stage.name()
    await stage.created(maps(), map(name))
    const { code, body } = await stage.post(maps(), map(name))
    expect(code).toBe(409)
    expect(body).toMatchObject({ kind: 'Status', reason: 'AlreadyExists', details: { name, kind: 'configmaps' } })
    await stage.created(custom(), widget(stage.group, name))
    const again = await stage.post(custom(), widget(stage.group, name))
    expect(again).toMatchObject({ code: 409, body: { details: { name, group: stage.group, kind: 'widgets' } } })
  })

  it('KA21: another namespace than that of the path is 400', async () => {
    const body = { metadata: { name: stage.name(), namespace: 'default' } }
    expect(await stage.post(maps(), body)).toMatchObject({ code: 400, body: { reason: 'BadRequest' } })
    const custom1 = { ...widget(stage.group, 'x'), metadata: { name: stage.name(), namespace: 'default' } }
    expect((await stage.post(custom(), custom1)).code).toBe(400)
  })

  it('KA22: another kind than that of the path is refused', async () => {
    const wrong = await stage.post(maps(), { apiVersion: 'v1', kind: 'Secret', metadata: { name: stage.name() } })
    expect(wrong.code).toBe(400)
    const { code, body } = await stage.post(custom(), { ...widget(stage.group, stage.name()), kind: 'Gadget' })
    expect(code).toBe(422)
    expect(body.details.causes).toEqual([expect.objectContaining({ reason: 'FieldValueInvalid', field: 'kind' })])
  })

  it('KA23: another version than that of the path is 400', async () => {
    expect((await stage.post(maps(), { ...map(stage.name()), apiVersion: 'apps/v1' })).code).toBe(400)
    const { code } = await stage.post(custom(), {
      ...widget(stage.group, stage.name()),
      apiVersion: `${stage.group}/v2`,
    })
    expect(code).toBe(400)
  })

  it.each(['{"metadata":{"name":"a"', '', '[]', '"text"', '{"metadata":"x"}', '{"metadata":{"name":5}}'])(
    'KA24: the body %j is 400',
    async (body) => {
      expect(await stage.post(maps(), body)).toMatchObject({
        code: 400,
        body: { kind: 'Status', reason: 'BadRequest' },
      })
      expect((await stage.post(custom(), body)).code).toBe(400)
    },
  )

  it('KA25: neither name nor generateName is 422', async () => {
    const { code, body } = await stage.post(maps(), { metadata: {} })
    expect(code).toBe(422)
    expect(body).toMatchObject({ reason: 'Invalid' })
    expect(body.details.causes).toEqual([
      expect.objectContaining({ reason: 'FieldValueRequired', field: 'metadata.name' }),
    ])
    expect((await stage.post(maps(), 'null')).code).toBe(422)
  })

  it.each(['Upper', 'under_score', '-dash', 'a..b', 'a/b', `${'x'.repeat(254)}`])(
    'KA26: the name %s is 422',
    async (name) => {
      const { code, body } = await stage.post(maps(), map(name))
      expect(code).toBe(422)
      expect(body.details.causes[0]).toMatchObject({ reason: 'FieldValueInvalid', field: 'metadata.name' })
    },
  )

  it('KA27: a generated name is a prefix and five letters that make no words', async () => {
    const { body } = await stage.post(maps(), { metadata: { generateName: 'a-' } })
    expect(body.metadata.name).toMatch(/^a-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(body.metadata.generateName).toBe('a-')
  })

  it('KA28: a generated name is never longer than 63', async () => {
    const { body } = await stage.post(maps(), { metadata: { generateName: 'p'.repeat(63) } })
    expect(body.metadata.name).toMatch(/^p{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/)
  })

  it('KA29: what the server sets cannot be preset', async () => {
    const uid = '11111111-2222-3333-4444-555555555555'
    const preset = { uid, creationTimestamp: '2001-01-01T00:00:00Z', generation: 7, selfLink: '/x' }
    const { code, body } = await stage.post(maps(), { metadata: { name: stage.name(), ...preset } })
    expect(code).toBe(201)
    expect(body.metadata.uid).not.toBe(uid)
    expect(body.metadata.creationTimestamp).not.toBe(preset.creationTimestamp)
    expect(body.metadata.generation).toBe(7)
    const made = await stage.post(custom(), {
      ...widget(stage.group, 'x'),
      metadata: { name: stage.name(), ...preset },
    })
    expect(made.body.metadata.generation).toBe(1)
    const versioned = await stage.post(maps(), { metadata: { name: stage.name(), resourceVersion: '5' } })
    expect(versioned).toMatchObject({ code: 500, body: { kind: 'Status', code: 500 } })
    for (const resourceVersion of ['0', '']) {
      expect((await stage.post(maps(), { metadata: { name: stage.name(), resourceVersion } })).code).toBe(201)
    }
  })

  it('KA43: one controller at most, and owners are not repeated', async () => {
    const owner = (uid: string, controller: boolean) => ({ apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller })
    const two = { name: stage.name(), ownerReferences: [owner('a', true), owner('b', true)] }
    expect(await stage.post(maps(), { metadata: two })).toMatchObject({
      code: 422,
      body: { details: { causes: [{ reason: 'FieldValueInvalid', field: 'metadata.ownerReferences' }] } },
    })
    const twice = { name: stage.name(), ownerReferences: [owner('a', false), owner('a', false)] }
    // The collector removes it soon, since there is no such owner.
    const { code, headers, body } = await stage.post(maps(), { metadata: twice })
    expect(code).toBe(201)
    expect(body.metadata.ownerReferences).toHaveLength(1)
    expect(headers['warning']).toMatch(/^299 - ".*contains duplicate entries/)
    const other = { name: stage.name(), ownerReferences: [owner('a', false), owner('a', true)] }
    const kept = await stage.post(maps(), { metadata: other })
    expect(kept.body.metadata.ownerReferences).toHaveLength(2)
    expect(kept.headers['warning']).toBeUndefined()
  })

  it('KA44: in a namespace that is not there it is 404', async () => {
    const { code, body } = await stage.post(stage.path('configmaps', 'v1', `no-${stage.id}`), map('a'))
    expect(code).toBe(404)
    expect(body).toMatchObject({ reason: 'NotFound', details: { name: `no-${stage.id}`, kind: 'namespaces' } })
    const made = await stage.post(
      stage.path('widgets', `${stage.group}/v1`, `no-${stage.id}`),
      widget(stage.group, 'a'),
    )
    expect(made).toMatchObject({ code: 404, body: { details: { kind: 'namespaces' } } })
  })
})

describe('bodies', () => {
  it('KA41: too large a body is 413, too large a map 422', async () => {
    const huge = await stage.post(maps(), map(stage.name(), { data: { k: 'x'.repeat(3.5 * 1024 * 1024) } }))
    expect(huge).toMatchObject({ code: 413, body: { kind: 'Status', reason: 'RequestEntityTooLarge' } })
    const large = await stage.post(maps(), map(stage.name(), { data: { k: 'x'.repeat(1024 * 1024 + 1) } }))
    expect(large).toMatchObject({ code: 422, body: { details: { causes: [{ reason: 'FieldValueTooLong' }] } } })
  })

  it('KA42: more than 256 KiB of annotations is 422', async () => {
    const annotations = { a: 'x'.repeat(300 * 1024) }
    for (const [path, kind] of [[maps(), {}] as const, [custom(), widget(stage.group, 'x')] as const]) {
      const { code, body } = await stage.post(path, { ...kind, metadata: { name: stage.name(), annotations } })
      expect(code).toBe(422)
      expect(body.details.causes[0]).toMatchObject({ reason: 'FieldValueTooLong', field: 'metadata.annotations' })
    }
  })

  it('KA45: forms that are not spoken are 406 and 415', async () => {
    const answer = await stage.get(maps(), { accept: 'application/xml' })
    expect(answer).toMatchObject({ code: 406, body: { kind: 'Status', reason: 'NotAcceptable' } })
    const body = await stage.post(maps(), map(stage.name()), { type: 'text/plain' })
    expect(body).toMatchObject({ code: 415, body: { kind: 'Status', reason: 'UnsupportedMediaType' } })
  })

  it('KA46: YAML is read', async () => {
    const yaml = (kind: string, name: string) => `${kind}\nmetadata:\n  name: ${name}\n  labels: {a: "1"}\n`
    const made = await stage.post(maps(), yaml('apiVersion: v1\nkind: ConfigMap', stage.name()), {
      type: 'application/yaml',
    })
    expect(made).toMatchObject({ code: 201, body: { metadata: { labels: { a: '1' } } } })
    const text = yaml(`apiVersion: ${stage.group}/v1\nkind: Widget`, stage.name())
    expect((await stage.post(custom(), text, { type: 'application/yaml' })).code).toBe(201)
    expect((await stage.post(maps(), 'a: [', { type: 'application/yaml' })).code).toBe(400)
  })

  it('KA47: protobuf of a built-in kind is read', async () => {
    const name = stage.name()
    const { code } = await stage.post(maps(), protobufMap(name, { k: 'v' }), { type: PROTOBUF })
    expect(code).toBe(201)
    expect((await stage.get(`${maps()}/${name}`)).body).toMatchObject({ kind: 'ConfigMap', data: { k: 'v' } })
  })

  it('KA48: protobuf is not read for a custom kind', async () => {
    const body = protobufMap(stage.name(), {})
    const answer = await stage.post(`${custom()}?fieldValidation=Ignore`, body, { type: PROTOBUF })
    expect([400, 415]).toContain(answer.code)
  })

  it('KA49: protobuf is written for a built-in kind, and JSON for a custom one', async () => {
    const name = stage.name()
    await stage.created(maps(), map(name))
    await stage.created(custom(), widget(stage.group, name))
    const accept = `${PROTOBUF},application/json`
    const built = await stage.get(`${maps()}/${name}`, { accept })
    expect(built).toMatchObject({ code: 200, headers: { 'content-type': PROTOBUF } })
    expect(built.bytes.subarray(0, 4)).toEqual(Buffer.from('k8s\0'))
    const own = await stage.get(`${custom()}/${name}`, { accept })
    expect(own).toMatchObject({ code: 200, headers: { 'content-type': 'application/json' }, body: { kind: 'Widget' } })
    expect((await stage.get(`${custom()}/${name}`, { accept: PROTOBUF })).code).toBe(406)
  })
})

/** A field with text or a message in it. */
function field(number: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
}

function protobufMap(name: string, data: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(data).map(([k, v]) => field(2, Buffer.concat([field(1, k), field(2, v)])))
  const map = Buffer.concat([field(1, field(1, name)), ...entries])
  const type = Buffer.concat([field(1, 'v1'), field(2, 'ConfigMap')])
  return Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, map), field(3, ''), field(4, '')])
}
