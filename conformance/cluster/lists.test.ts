import { beforeAll, describe, expect, it } from 'vitest'
import type { Loose } from './exchange.ts'
import { openStage } from './stage.ts'
import { widget, widgets } from './widget.ts'

const stage = openStage()
/** Five maps that nobody changes. */
let five = ''
beforeAll(async () => {
  await stage.define(widgets(stage.group))
  five = await stage.makeNamespace()
  const labels: Loose[] = [{ a: 'b' }, { a: 'c' }, { a: '2', x: 'y' }, {}, { a: 'b', x: 'z' }]
  for (const [i, label] of labels.entries()) {
    await stage.created(stage.path('configmaps', 'v1', five), { metadata: { name: `m${i + 1}`, labels: label } })
  }
}, 120_000)

const maps = (namespace = five) => stage.path('configmaps', 'v1', namespace)
const names = (body: Loose) => body.items.map(({ metadata }: Loose) => metadata.name)
const listed = async (query: string) => names((await stage.get(`${maps()}?${query}`)).body)
const version = async () => (await stage.get(`${maps()}?limit=1`)).body.metadata.resourceVersion
const META_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'

describe('lists', () => {
  it('KA97: are in the order of namespaces and names, byte by byte', async () => {
    const namespace = await stage.makeNamespace()
    for (const name of ['b', 'a-1', 'a', 'a.b', '9', 'a1']) await stage.created(maps(namespace), { metadata: { name } })
    expect(names((await stage.get(maps(namespace))).body)).toEqual(['9', 'a', 'a-1', 'a.b', 'a1', 'b'])
    const { body } = await stage.get('/api/v1/configmaps')
    const keys = body.items.map(({ metadata }: Loose) => `${metadata.namespace}/${metadata.name}`)
    expect(keys).toEqual([...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
  })

  it('KA98: come in pages of one version, without gaps', async () => {
    const first = await stage.get(`${maps()}?limit=2`)
    expect(first.body.metadata).toMatchObject({ remainingItemCount: 3, continue: expect.any(String) })
    const second = await stage.get(`${maps()}?limit=2&continue=${first.body.metadata.continue}`)
    expect(second.body.metadata).toMatchObject({
      ...{ remainingItemCount: 1, resourceVersion: first.body.metadata.resourceVersion },
    })
    const third = await stage.get(`${maps()}?limit=2&continue=${second.body.metadata.continue}`)
    expect(third.body.metadata.continue).toBeUndefined()
    expect(third.body.metadata.remainingItemCount).toBeUndefined()
    expect([first, second, third].flatMap(({ body }) => names(body))).toEqual(['m1', 'm2', 'm3', 'm4', 'm5'])
    expect(await listed('limit=-1')).toHaveLength(5)
    expect((await stage.get(`${maps()}?limit=abc`)).code).toBe(400)
  })

  it('KA99: with a selector, nobody counts what remains', async () => {
    const { body } = await stage.get(`${maps()}?limit=1&labelSelector=a%3Db`)
    expect(body.metadata.continue).toBeTruthy()
    expect(body.metadata.remainingItemCount).toBeUndefined()
    expect(await listed(`limit=5&labelSelector=a%3Db&continue=${body.metadata.continue}`)).toEqual(['m5'])
  })

  it('KA100: later pages do not show what was created or removed since', async () => {
    const namespace = await stage.makeNamespace()
    for (const name of ['a', 'c', 'e', 'g']) await stage.created(maps(namespace), { metadata: { name } })
    const first = await stage.get(`${maps(namespace)}?limit=1`)
    await stage.created(maps(namespace), { metadata: { name: 'd' } })
    await stage.delete(`${maps(namespace)}/e`)
    const rest = await stage.get(`${maps(namespace)}?continue=${first.body.metadata.continue}`)
    expect(names(rest.body)).toEqual(['c', 'e', 'g'])
    expect(rest.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion)
  })

  it('KA101: a token goes with no version, and must be one', async () => {
    const { body } = await stage.get(`${maps()}?limit=2`)
    const token = body.metadata.continue
    const code = async (query: string) => (await stage.get(`${maps()}?${query}`)).code
    expect(await code(`continue=${token}&resourceVersion=${body.metadata.resourceVersion}`)).toBe(400)
    expect(await code('continue=garbage')).toBe(400)
    expect(await code(`continue=${token}&resourceVersion=0`)).toBe(200)
    expect(await code(`continue=${token}&resourceVersionMatch=NotOlderThan`)).toBe(422)
  })

  it('KA102: at version 0 a limit may be ignored', async () => {
    const { body } = await stage.get(`${maps()}?limit=2&resourceVersion=0`)
    if (body.items.length === 5) expect(body.metadata.continue).toBeUndefined()
    else expect(body.items).toHaveLength(2)
  })

  it('KA103: exactly at an older version is what was then', async () => {
    const namespace = await stage.makeNamespace()
    await stage.created(maps(namespace), { metadata: { name: 'a' } })
    const { body } = await stage.get(maps(namespace))
    await stage.delete(`${maps(namespace)}/a`)
    await stage.created(maps(namespace), { metadata: { name: 'b' } })
    const { resourceVersion } = body.metadata
    const exact = await stage.get(`${maps(namespace)}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`)
    expect(exact.body.metadata.resourceVersion).toBe(resourceVersion)
    expect(names(exact.body).filter((name: string) => name !== 'kube-root-ca.crt')).toEqual(['a'])
  })

  it('KA104: contradictions are 422', async () => {
    const queries = [
      ...[
        'resourceVersionMatch=Exact&resourceVersion=0',
        'resourceVersionMatch=Exact',
        'resourceVersionMatch=NotOlderThan',
      ],
      'resourceVersionMatch=Bogus&resourceVersion=1',
    ]
    for (const query of queries) {
      expect(await stage.get(`${maps()}?${query}`)).toMatchObject({ code: 422, body: { reason: 'Invalid' } })
    }
  })

  it('KA105: a version that is not there yet is waited for, and given up', async () => {
    const { code, headers, body } = await stage.get(`${maps()}?resourceVersion=99999999999`)
    expect(code).toBe(504)
    expect(headers['retry-after']).toBe('1')
    expect(body).toMatchObject({
      ...{ reason: 'Timeout', details: { retryAfterSeconds: 1, causes: [{ reason: 'ResourceVersionTooLarge' }] } },
    })
  })

  it('KA106: a version that is no number is 400', async () => {
    expect((await stage.get(`${maps()}?resourceVersion=abc`)).code).toBe(400)
    expect((await stage.get(`${maps()}/m1?resourceVersion=abc`)).code).toBe(500)
    expect((await stage.get(`${maps()}?watch=1&resourceVersion=abc`)).code).toBe(500)
  })

  it.each([
    ['a=b', ['m1', 'm5']],
    ['a==b', ['m1', 'm5']],
    ['a!=b', ['m2', 'm3', 'm4']],
    ['a in (b,c)', ['m1', 'm2', 'm5']],
    ['a notin (b)', ['m2', 'm3', 'm4']],
    ['a', ['m1', 'm2', 'm3', 'm5']],
    ['!a', ['m4']],
    ['a>1', ['m3']],
    ['a<3', ['m3']],
    ['a=b,x=z', ['m5']],
    ['x in (y, z),a!=b', ['m3']],
    ['', ['m1', 'm2', 'm3', 'm4', 'm5']],
  ])('KA107: the selector %s', async (selector, expected) => {
    expect(await listed(`labelSelector=${encodeURIComponent(selector)}`)).toEqual(expected)
  })

  it.each(['a in b', 'a=b=c', '=', 'a in (', '!', 'a,,b', 'a>b', '-a', 'a=-b'])(
    'KA107: the selector %s is 400',
    async (selector) => {
      const { code, body } = await stage.get(`${maps()}?labelSelector=${encodeURIComponent(selector)}`)
      expect({ code, reason: body.reason }).toEqual({ code: 400, reason: 'BadRequest' })
    },
  )

  it('KA108: fields that may select, and others', async () => {
    expect(await listed('fieldSelector=metadata.name%3Dm2')).toEqual(['m2'])
    expect(await listed('fieldSelector=metadata.name!%3Dm2')).toEqual(['m1', 'm3', 'm4', 'm5'])
    expect(await listed(`fieldSelector=metadata.name%3Dm2,metadata.namespace%3D${five}`)).toEqual(['m2'])
    const { body } = await stage.get(`/api/v1/namespaces?fieldSelector=status.phase%3DActive,metadata.name%3D${five}`)
    expect(names(body)).toEqual([five])
    for (const selector of ['spec.bogus%3Dx', 'metadata.labels%3Dx', 'a']) {
      expect((await stage.get(`${maps()}?fieldSelector=${selector}`)).code).toBe(400)
    }
  })

  it('KA109: a definition says which fields of its kind select', async () => {
    const path = stage.path('widgets', `${stage.group}/v1`)
    const red = stage.name()
    using watch = await stage.watch(`${path}?watch=1&fieldSelector=spec.color%3Dred`)
    await stage.created(path, widget(stage.group, stage.name(), { color: 'blue' }))
    await stage.created(path, widget(stage.group, red, { color: 'red' }))
    const { body } = await stage.get(`${path}?fieldSelector=spec.color%3Dred`)
    expect(names(body)).toEqual([red])
    expect((await stage.get(`${path}?fieldSelector=spec.title%3Dx`)).code).toBe(400)
    expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: red } } })
    await stage.patch(`${path}/${red}`, 'application/merge-patch+json', { spec: { color: 'green' } })
    expect(await watch.next()).toMatchObject({ type: 'DELETED', object: { metadata: { name: red } } })
  })

  it('KA111: metadata alone, in lists and in watches', async () => {
    const { headers, body } = await stage.get(maps(), { accept: META_LIST })
    expect(headers['content-type']).toBe('application/json')
    expect(body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' })
    expect(Object.keys(body.items[0]).sort()).toEqual(['apiVersion', 'kind', 'metadata'])
    const accept = META_LIST.replace('List;', ';')
    const one = await stage.get(`${maps()}/m1`, { accept })
    expect(one.body).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'm1' } })
    expect(one.body.data).toBeUndefined()
    using watch = await stage.watch(`${maps()}?watch=1`, { accept })
    const { type, object } = await watch.next()
    expect({ type, kind: object.kind, name: object.metadata.name }).toEqual({
      ...{ type: 'ADDED', kind: 'PartialObjectMetadata', name: 'm1' },
    })
  })

  it('KA112: an empty list has no items, but has the list', async () => {
    for (const path of [stage.path('secrets', 'v1', five), stage.path('widgets', `${stage.group}/v1`, five)]) {
      expect((await stage.get(path)).body.items).toEqual([])
    }
    const { body } = await stage.get(stage.path('secrets', 'v1', five), { accept: META_LIST })
    expect(body.items).toBeNull()
  })

  it('KA50: every list has a version, and a later one is never smaller', async () => {
    const before = await version()
    await stage.created(stage.path('secrets'), { metadata: { name: stage.name() } })
    expect(BigInt(await version())).toBeGreaterThanOrEqual(BigInt(before))
  })
})
