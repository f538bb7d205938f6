import { beforeAll, describe, expect, it } from 'vitest'
import type { Loose } from './exchange.ts'
import { JSON_PATCH, MERGE, openStage, STRATEGIC } from './stage.ts'
import { widget, widgets } from './widget.ts'

const stage = openStage()
beforeAll(() => stage.define(widgets(stage.group)), 120_000)

const maps = () => stage.path('configmaps')
const custom = () => stage.path('widgets', `${stage.group}/v1`)
const at = (object: Loose) => `${object.kind === 'Widget' ? custom() : maps()}/${object.metadata.name}`
const newMap = (data: Loose = { a: '1', b: '2' }, metadata: Loose = {}) =>
  stage.created(maps(), { metadata: { name: stage.name(), ...metadata }, data })
const newWidget = (spec: Loose = { color: 'red' }) =>
  stage.created(custom(), widget(stage.group, stage.name('w'), spec))

describe('merge patches', () => {
  it('KA61: null removes a key', async () => {
    const map = await newMap()
    const { code, body } = await stage.patch(at(map), MERGE, { data: { a: null, c: '3' } })
    expect({ code, data: body.data }).toEqual({ code: 200, data: { b: '2', c: '3' } })
    const made = await newWidget({ color: 'red', title: 'x' })
    expect((await stage.patch(at(made), MERGE, { spec: { title: null } })).body.spec).toEqual({ color: 'red', size: 3 })
  })

  it('KA66: an old version is 409, the current one is taken', async () => {
    for (const object of [await newMap(), await newWidget()]) {
      const { resourceVersion } = object.metadata
      const labelled = (value: string) => ({ metadata: { resourceVersion, labels: { a: value } } })
      expect((await stage.patch(at(object), MERGE, labelled('1'))).code).toBe(200)
      expect(await stage.patch(at(object), MERGE, labelled('2'))).toMatchObject({
        code: 409,
        body: { reason: 'Conflict' },
      })
    }
  })

  it('KA67: of an absent object is 404', async () => {
    expect((await stage.patch(`${maps()}/nosuch`, MERGE, {})).code).toBe(404)
    expect((await stage.patch(`${custom()}/nosuch`, MERGE, {})).code).toBe(404)
  })

  it('KA68: what identifies an object cannot be patched', async () => {
    const map = await newMap()
    expect((await stage.patch(at(map), MERGE, { metadata: { name: 'other' } })).code).toBe(400)
    expect((await stage.patch(at(map), MERGE, { metadata: { namespace: 'default' } })).code).toBe(400)
    expect((await stage.patch(at(map), MERGE, { metadata: { uid: 'x' } })).code).toBe(422)
    expect((await stage.patch(at(map), MERGE, { kind: 'Secret' })).code).toBe(422)
  })

  it('KA69: plain JSON is 415', async () => {
    const map = await newMap()
    const { code, body } = await stage.patch(at(map), 'application/json', {})
    expect({ code, reason: body.reason }).toEqual({ code: 415, reason: 'UnsupportedMediaType' })
  })

  it('KA70: an empty one changes nothing', async () => {
    for (const object of [await newMap(), await newWidget()]) {
      const { code, body } = await stage.patch(at(object), MERGE, {})
      expect(code).toBe(200)
      expect(body).toEqual(object)
    }
  })
})

describe('JSON patches', () => {
  it('KA62: a test that fails is 422, and nothing is changed', async () => {
    const map = await newMap()
    const { code, body } = await stage.patch(at(map), JSON_PATCH, [
      { op: 'test', path: '/metadata/resourceVersion', value: '1' },
      { op: 'replace', path: '/data/a', value: '9' },
    ])
    expect({ code, reason: body.reason }).toEqual({ code: 422, reason: 'Invalid' })
    expect((await stage.get(at(map))).body).toEqual(map)
    const passes = await stage.patch(at(map), JSON_PATCH, [
      { op: 'test', path: '/metadata/resourceVersion', value: map.metadata.resourceVersion },
      { op: 'replace', path: '/data/a', value: '9' },
    ])
    expect(passes).toMatchObject({ code: 200, body: { data: { a: '9' } } })
  })

  it.each([
    ['replace of a missing key', [{ op: 'replace', path: '/data/z', value: 'v' }], 200],
    ['remove of a missing key', [{ op: 'remove', path: '/data/z' }], 422],
    ['move of a missing key', [{ op: 'move', from: '/data/z', path: '/data/y' }], 422],
    ['copy of a missing key', [{ op: 'copy', from: '/data/z', path: '/data/y' }], 200],
    ['a missing parent', [{ op: 'add', path: '/nosuch/y', value: 'v' }], 422],
    ['a test of a missing key for null', [{ op: 'test', path: '/data/z', value: null }], 200],
    ['an unknown operation', [{ op: 'fly', path: '/data/a' }], 422],
    ['no list', { op: 'add' }, 400],
    ['broken JSON', '[{"op":', 400],
    ['too many operations', Array(10_001).fill({ op: 'test', path: '/data/a', value: '1' }), 413],
  ])('KA63: %s', async (_, body, code) => {
    const map = await newMap()
    expect((await stage.patch(at(map), JSON_PATCH, body)).code).toBe(code)
  })
})

describe('strategic merge patches', () => {
  const pods = () => stage.path('pods')
  const newPod = () =>
    stage.created(pods(), {
      metadata: { name: stage.name('pod'), finalizers: ['example.com/a', 'example.com/b'] },
      spec: {
        containers: [
          { name: 'one', image: 'i', env: [{ name: 'A', value: '1' }] },
          { name: 'two', image: 'i' },
        ],
      },
    })

  it('KA64: lists are merged by their keys, and directives take elements away', async () => {
    const list = stage.path('deployments', 'apps/v1')
    const env = [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ]
    const name = stage.name()
    await stage.created(list, {
      metadata: { name },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i', env }] } },
      },
    })
    const patched = async (envPatch: Loose) => {
      const containers = [{ name: 'c', env: envPatch }]
      const answer = await stage.patch(`${list}/${name}`, STRATEGIC, { spec: { template: { spec: { containers } } } })
      expect(answer.code).toBe(200)
      return answer.body.spec.template.spec.containers[0].env
    }
    expect(await patched([{ name: 'C', value: '3' }])).toEqual([{ name: 'C', value: '3' }, ...env])
    expect(await patched([{ name: 'A', $patch: 'delete' }])).toEqual([{ name: 'C', value: '3' }, env[1]])
    expect(await patched([{ $patch: 'replace' }, { name: 'Z', value: '9' }])).toEqual([{ name: 'Z', value: '9' }])
    const bogus = await stage.patch(`${list}/${name}`, STRATEGIC, { spec: { $patch: 'bogus' } })
    expect(bogus.code).toBe(500)
  })

  it('KA64: lists of primitive values are merged where the kind says so', async () => {
    const pod = await newPod()
    const path = `${pods()}/${pod.metadata.name}`
    const added = await stage.patch(path, STRATEGIC, { metadata: { finalizers: ['example.com/c'] } })
    expect([...added.body.metadata.finalizers].sort()).toEqual(['example.com/a', 'example.com/b', 'example.com/c'])
    const removed = await stage.patch(path, STRATEGIC, {
      metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a', 'example.com/b', 'example.com/c'] },
    })
    expect(removed.body.metadata.finalizers).toBeUndefined()
  })

  it('KA65: custom kinds refuse them, and say what they take', async () => {
    const made = await newWidget()
    const { code, body } = await stage.patch(at(made), STRATEGIC, { spec: { color: 'blue' } })
    expect({ code, reason: body.reason }).toEqual({ code: 415, reason: 'UnsupportedMediaType' })
    expect(body.message).toContain('application/json-patch+json, application/merge-patch+json, application/apply-patch')
  })
})
