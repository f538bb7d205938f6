import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { Api, configMaps, widget, widgetDefinition, widgets } from '../api.ts'
import { settled } from '../virtual-clock.ts'

const version = async (api: Api, path = configMaps) => (await api.get(path)).body.metadata.resourceVersion as string

describe('watches', () => {
  it('tell every change after the version, in order, with growing versions', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const watch = await api.watch(`${configMaps}?watch=true&resourceVersion=${await version(api)}`)
    await api.post(configMaps, { metadata: { name: 'a' } })
    await api.patch(`${configMaps}/a`, { data: { k: 'v' } })
    await api.patch(`${configMaps}/a`, { data: { k: 'v' } })
    await api.delete(`${configMaps}/a`)
    await settled()
    expect(watch.seen).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a'])
    const versions = watch.events.map((event) => Number(event.object.metadata.resourceVersion))
    expect(versions).toEqual([...versions].sort((x, y) => x - y))
    expect(new Set(versions).size).toBe(3)
    expect(watch.events[2]?.object.data).toEqual({ k: 'v' })
  })

  it('begin with the present state when no version is given', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    for (const name of ['b', 'a']) await api.post(configMaps, { metadata: { name } })
    const watches = [
      await api.watch(`${configMaps}?watch=true`),
      await api.watch(`${configMaps}?watch=1&resourceVersion=0`),
    ]
    await api.delete(`${configMaps}/a`)
    await settled()
    for (const watch of watches) expect(watch.seen).toEqual(['ADDED a', 'ADDED b', 'DELETED a'])
  })

  it('tell entering a selector as ADDED and leaving it as DELETED with the old content under the new version', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const watch = await api.watch(`${configMaps}?watch=true&labelSelector=on=yes`)
    await api.post(configMaps, { metadata: { name: 'a' } })
    await api.patch(`${configMaps}/a`, { metadata: { labels: { on: 'yes' } } })
    await api.patch(`${configMaps}/a`, { data: { k: 'v' } })
    const { body } = await api.patch(`${configMaps}/a`, { metadata: { labels: { on: 'no' } } })
    await settled()
    expect(watch.seen).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a'])
    expect(watch.events[2]?.object.metadata).toMatchObject({
      labels: { on: 'yes' },
      resourceVersion: body.metadata.resourceVersion,
    })
  })

  it('stream a list and mark its end', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    await api.post(widgets, widget('a'))
    const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
    const watch = await api.watch(`${widgets}?${query}`)
    await api.post(widgets, widget('b'))
    await settled()
    expect(watch.seen).toEqual(['ADDED a', 'BOOKMARK', 'ADDED b'])
    expect(watch.events[1]?.object).toMatchObject({
      kind: 'Widget',
      apiVersion: 'example.com/v1',
      metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
    })
    const empty = await api.watch(`${configMaps}?${query}`)
    await settled()
    expect(empty.seen).toEqual(['BOOKMARK'])
  })

  it('answer a forgotten version with one Expired event and an end', async () => {
    await using cluster = await Cluster.start({ listen: false, historySize: 3 })
    const api = new Api(cluster)
    const from = await version(api)
    for (let i = 0; i < 5; i++) await api.post(configMaps, { metadata: { name: `a${i}` } })
    const watch = await api.watch(`${configMaps}?watch=true&resourceVersion=${from}`)
    await watch.done
    expect(watch.status).toBe(200)
    expect(watch.events).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }])
    const late = await api.watch(`${configMaps}?watch=true&resourceVersion=${Number(from) + 3}`)
    await settled()
    expect(late.seen).toEqual(['ADDED a3', 'ADDED a4'])
  })

  it('lose and repeat nothing when they reconnect at their last version (property)', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('write' as const), name: fc.constantFrom('a', 'b', 'c'), value: fc.nat(3) }),
      fc.record({ do: fc.constant('delete' as const), name: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ do: fc.constant('cut' as const) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        await using cluster = await Cluster.start({ listen: false, seed: 7 })
        const api = new Api(cluster)
        const whole = await api.watch(`${configMaps}?watch=true`)
        const pieces: string[] = []
        let piece = await api.watch(`${configMaps}?watch=true&resourceVersion=${await version(api)}`)
        let last = await version(api)
        const collect = () => {
          pieces.push(
            ...piece.events.map((e) => `${e.type} ${e.object.metadata.name}@${e.object.metadata.resourceVersion}`),
          )
          last = piece.events.at(-1)?.object.metadata.resourceVersion ?? last
        }
        for (const now of steps) {
          if (now.do === 'cut') {
            await settled()
            piece.abort()
            collect()
            piece = await api.watch(`${configMaps}?watch=true&resourceVersion=${last}`)
          } else if (now.do === 'delete') await api.delete(`${configMaps}/${now.name}`)
          else {
            const data = { k: String(now.value) }
            const { status } = await api.patch(`${configMaps}/${now.name}`, { data })
            if (status === 404) await api.post(configMaps, { metadata: { name: now.name }, data })
          }
        }
        await settled()
        collect()
        const truth = whole.events.map(
          (e) => `${e.type} ${e.object.metadata.name}@${e.object.metadata.resourceVersion}`,
        )
        expect(pieces).toEqual(truth)
      }),
      { numRuns: 30 },
    )
  })

  it('end at once, with the reason, when their signal aborts', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const watch = await api.watch(`${configMaps}?watch=true`)
    watch.abort(new Error('enough'))
    await settled()
    expect(watch.ended).toEqual(new Error('enough'))
    expect(cluster.idle()).toBe(true)
  })

  it('break when they are cut, and end when the cluster stops', async () => {
    const cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const cut = await api.watch(`${configMaps}?watch=true`)
    cluster.actor.cutWatches()
    await cut.done
    expect(cut.ended).toBeInstanceOf(Error)
    const open = await api.watch(`${configMaps}?watch=true`)
    await cluster.stop()
    await open.done
    expect(open.ended).toBe('clean')
    await expect(api.get(configMaps)).rejects.toThrow('has been stopped')
  })

  it('are refused before they begin when their options are wrong', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const status = async (query: string) => (await api.get(`${configMaps}?watch=true&${query}`)).status
    expect(await status('labelSelector=a=b=c')).toBe(400)
    expect(await status('resourceVersionMatch=NotOlderThan')).toBe(422)
    expect(await status('sendInitialEvents=true')).toBe(422)
    expect(await status('resourceVersion=abc')).toBe(500)
  })
})
