import { expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { Api, configMaps } from '../api.ts'
import { settled, VirtualClock } from '../virtual-clock.ts'

async function started() {
  const clock = new VirtualClock()
  const cluster = await Cluster.start({ listen: false, clock })
  return { clock, cluster, api: new Api(cluster), [Symbol.asyncDispose]: () => cluster.stop() }
}

const names = (list: {
  readonly body: { readonly items: readonly { readonly metadata: { readonly name: string } }[] }
}) => list.body.items.map(({ metadata }) => metadata.name)

it('shows the past to those who allow it, and to no others', async () => {
  await using t = await started()
  await t.api.post(configMaps, { metadata: { name: 'a' } })
  await t.clock.advance(60)
  await t.api.post(configMaps, { metadata: { name: 'b' } })
  using _ = t.cluster.actor.lag('30s')
  expect(names(await t.api.get(`${configMaps}?resourceVersion=0`))).toEqual(['a'])
  expect(names(await t.api.get(configMaps))).toEqual(['a', 'b'])
})

it('shows the past to everybody if it is meant to, and lets a watch catch up from there', async () => {
  await using t = await started()
  await t.api.post(configMaps, { metadata: { name: 'a' } })
  await t.clock.advance(60)
  await t.api.post(configMaps, { metadata: { name: 'b' } })
  using _ = t.cluster.actor.lag('30s', { even: 'consistent' })
  expect(names(await t.api.get(configMaps))).toEqual(['a'])
  const watch = await t.api.watch(
    `${configMaps}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
  )
  await settled()
  expect(watch.events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`)).toEqual([
    'ADDED a',
    'BOOKMARK ',
    'ADDED b',
  ])
})

it('restores a backup: objects and versions are as they were', async () => {
  await using t = await started()
  const before = (await t.api.post(configMaps, { metadata: { name: 'a' }, data: { k: 'old' } })).body
  const version: string = before.metadata.resourceVersion
  await t.api.patch(`${configMaps}/a`, { data: { k: 'new' } })
  await t.api.post(configMaps, { metadata: { name: 'b' } })
  const watch = await t.api.watch(`${configMaps}?watch=true`)
  await t.cluster.actor.restoreBackup(version)
  await settled()
  expect(watch.ended).toBeInstanceOf(Error)
  const list = (await t.api.get(configMaps)).body
  expect(list).toMatchObject({ metadata: { resourceVersion: version }, items: [{ data: { k: 'old' } }] })
  await expect(t.cluster.actor.restoreBackup('999999')).rejects.toThrow('not known any more, or not yet')
})

it('strips finalizers, and makes a namesake', async () => {
  await using t = await started()
  await t.api.post(configMaps, { metadata: { name: 'a', finalizers: ['example.com/f'] }, data: { k: 'v' } })
  const { uid } = (await t.api.get(`${configMaps}/a`)).body.metadata
  await t.cluster.actor.recreate('configmaps', 'default/a')
  const { metadata, data } = (await t.api.get(`${configMaps}/a`)).body
  expect([metadata.uid === uid, metadata.finalizers, data]).toEqual([false, undefined, { k: 'v' }])
  await t.api.patch(`${configMaps}/a`, { metadata: { finalizers: ['example.com/f'] } })
  await t.api.delete(`${configMaps}/a`)
  await t.cluster.actor.stripFinalizers({ group: '', plural: 'configmaps' }, 'default/a')
  expect((await t.api.get(`${configMaps}/a`)).status).toBe(404)
})

it('takes a permission away, and gives it back', async () => {
  await using t = await started()
  {
    using _ = t.cluster.actor.revoke('list', 'configmaps')
    expect((await t.api.get(configMaps)).status).toBe(403)
    expect((await t.api.get('/api/v1/secrets')).status).toBe(200)
  }
  expect((await t.api.get(configMaps)).status).toBe(200)
})
