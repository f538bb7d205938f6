import { describe, expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { Api, configMaps, type Reply, widget, widgetDefinition, widgets } from '../api.ts'

const names = (reply: Reply) => reply.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)

async function withMaps(api: Api, ...all: string[]): Promise<void> {
  for (const [i, name] of all.entries()) {
    const labels = { n: name, i: String(i), ...(i % 2 ? { odd: 'yes' } : {}) }
    await api.post(configMaps, { metadata: { name, labels }, data: { k: 'v' } })
  }
}

describe('lists', () => {
  it('come in the order of keys, built-in items without kind, custom ones with it', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    await withMaps(api, 'b', 'a-b', 'a0', 'a', 'a.b')
    const list = await api.get(configMaps)
    expect(names(list)).toEqual(['a', 'a-b', 'a.b', 'a0', 'b'])
    expect(list.body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' })
    expect(list.body.items[0].kind).toBeUndefined()
    expect(list.body.items[0].data).toEqual({ k: 'v' })
    await api.post(widgets, widget('w'))
    expect((await api.get(widgets)).body.items[0]).toMatchObject({ kind: 'Widget', apiVersion: 'example.com/v1' })
  })

  it('give all pages from the snapshot of the first one', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    await withMaps(api, 'a', 'b', 'c', 'd', 'e')
    const first = await api.get(`${configMaps}?limit=2`)
    expect(first.body.metadata.remainingItemCount).toBe(3)
    await api.delete(`${configMaps}/c`)
    await api.post(configMaps, { metadata: { name: 'bb' } })
    await api.patch(`${configMaps}/d`, { data: { k: 'changed' } })
    const second = await api.get(`${configMaps}?limit=2&continue=${first.body.metadata.continue}`)
    const third = await api.get(`${configMaps}?limit=2&continue=${second.body.metadata.continue}`)
    expect([...names(first), ...names(second), ...names(third)]).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(second.body.items[1].data.k).toBe('v')
    expect(third.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion)
    expect(third.body.metadata.continue).toBeUndefined()
  })

  it('answer 410 with a token that goes on, when the snapshot is forgotten', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    await withMaps(api, 'a', 'b', 'c')
    const first = await api.get(`${configMaps}?limit=1`)
    await api.delete(`${configMaps}/b`)
    cluster.actor.compact()
    const gone = await api.get(`${configMaps}?limit=1&continue=${first.body.metadata.continue}`)
    expect(gone.status).toBe(410)
    expect(gone.body.reason).toBe('Expired')
    expect(names(await api.get(`${configMaps}?continue=${gone.body.metadata.continue}`))).toEqual(['c'])
  })

  it('show an exact version of the past, or at least a version, as asked', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    await withMaps(api, 'a', 'b')
    const version = (await api.get(configMaps)).body.metadata.resourceVersion
    await api.delete(`${configMaps}/a`)
    expect(names(await api.get(`${configMaps}?resourceVersion=${version}&resourceVersionMatch=Exact`))).toEqual([
      'a',
      'b',
    ])
    expect(names(await api.get(`${configMaps}?resourceVersion=${version}`))).toEqual(['b'])
    expect(names(await api.get(`${configMaps}?resourceVersion=0&limit=1`))).toEqual(['b'])
  })

  it('refuse options that contradict themselves', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const status = async (query: string) => (await api.get(`${configMaps}?${query}`)).status
    expect(await status('resourceVersionMatch=Exact')).toBe(422)
    expect(await status('resourceVersion=0&resourceVersionMatch=Exact')).toBe(422)
    expect(await status('resourceVersion=5&resourceVersionMatch=Bogus')).toBe(422)
    expect(await status('sendInitialEvents=true')).toBe(422)
    expect(await status('resourceVersion=abc')).toBe(400)
    expect(await status('continue=garbage')).toBe(400)
    expect(await status('limit=x')).toBe(400)
    expect(await status('labelSelector=a=b=c')).toBe(400)
    expect(await status('fieldSelector=spec.x=y')).toBe(400)
  })

  it('select by labels and by the fields of the kind', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    await withMaps(api, 'a', 'b', 'c')
    const by = async (query: string) => names(await api.get(`${configMaps}?${query}`))
    expect(await by('labelSelector=n+in+(a,b),odd')).toEqual(['b'])
    expect(await by('labelSelector=n!=a')).toEqual(['b', 'c'])
    expect(await by('labelSelector=!odd')).toEqual(['a', 'c'])
    expect(await by('labelSelector=i>0')).toEqual(['b', 'c'])
    expect(await by('fieldSelector=metadata.name=b')).toEqual(['b'])
    expect(names(await api.get('/api/v1/namespaces?fieldSelector=status.phase=Active'))).toContain('default')
  })

  it('show metadata alone when asked', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
    expect((await api.get(configMaps, { accept })).body.items).toBeNull()
    await withMaps(api, 'a')
    const { body } = await api.get(configMaps, { accept })
    expect(body.kind).toBe('PartialObjectMetadataList')
    expect(body.items[0]).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } })
    expect(body.items[0].data).toBeUndefined()
  })
})
