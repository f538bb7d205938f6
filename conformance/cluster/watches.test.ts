import { beforeAll, describe, expect, it } from 'vitest'
import type { Loose, WatchEvent } from './exchange.ts'
import { CRDS, MERGE, openStage, SLOW, TABLE } from './stage.ts'
import { widget, widgets } from './widget.ts'

const stage = openStage()
beforeAll(() => stage.define(widgets(stage.group)), 120_000)

const maps = (namespace: string) => stage.path('configmaps', 'v1', namespace)
const version = ({ object }: WatchEvent) => BigInt(object.metadata.resourceVersion)
const brief = ({ type, object }: WatchEvent) => `${type} ${object.metadata.name}`
const listVersion = async (path: string) => (await stage.get(`${path}?limit=1`)).body.metadata.resourceVersion
/** A namespace of the test's own, with maps in it. */
async function place(...names: readonly string[]): Promise<string> {
  const path = maps(await stage.makeNamespace())
  for (const name of names) await stage.created(path, { metadata: { name } })
  return path
}

describe('watches', () => {
  it('KA113: tell what happens, in order, with growing versions', async () => {
    const path = await place()
    using watch = await stage.watch(`${path}?watch=1&resourceVersion=${await listVersion(path)}`)
    await stage.created(path, { metadata: { name: 'a' } })
    await stage.patch(`${path}/a`, MERGE, { data: { k: 'v' } })
    await stage.delete(`${path}/a`)
    const events = await watch.take(3)
    expect(events.map(brief)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a'])
    const [added = 0n, modified = 0n, deleted = 0n] = events.map(version)
    expect(added < modified && modified < deleted).toBe(true)
    expect(events[0]?.object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' })
  })

  it.each(['', '&resourceVersion=0'])('KA114, KA115: begin with what is there, and go on (%s)', async (query) => {
    const path = await place('a', 'b')
    using watch = await stage.watch(`${path}?watch=true${query}`)
    expect((await watch.take(2)).map(brief)).toEqual(['ADDED a', 'ADDED b'])
    await stage.created(path, { metadata: { name: 'c' } })
    expect(brief(await watch.next())).toBe('ADDED c')
  })

  it('KA116: a selector makes objects come and go', async () => {
    const path = await place('a')
    using watch = await stage.watch(`${path}?watch=1&labelSelector=on%3Dyes&resourceVersion=${await listVersion(path)}`)
    await stage.patch(`${path}/a`, MERGE, { metadata: { labels: { on: 'yes' } } })
    const { body } = await stage.patch(`${path}/a`, MERGE, { metadata: { labels: { on: 'no' } } })
    const [added, deleted] = await watch.take(2)
    expect(added).toMatchObject({ type: 'ADDED', object: { metadata: { labels: { on: 'yes' } } } })
    expect(deleted).toMatchObject({
      type: 'DELETED',
      object: { metadata: { labels: { on: 'yes' }, resourceVersion: body.metadata.resourceVersion } },
    })
  })

  it('KA117: of one name see that one alone', async () => {
    const path = await place('a', 'b')
    using watch = await stage.watch(`${path}?watch=1&fieldSelector=metadata.name%3Db`)
    expect(brief(await watch.next())).toBe('ADDED b')
    await stage.patch(`${path}/a`, MERGE, { data: { k: 'v' } })
    await stage.delete(`${path}/b`)
    expect(brief(await watch.next())).toBe('DELETED b')
  })

  it('KA118, KA120: end cleanly at their timeout, without bookmarks that nobody asked for', async () => {
    const path = await place('a')
    using watch = await stage.watch(`${path}?watch=1&timeoutSeconds=2`)
    expect((await watch.rest()).map(brief)).toEqual(['ADDED a'])
    expect(watch.ended).toBe('clean')
  })

  it('KA119: send bookmarks to those who want them', async () => {
    const path = await place('a')
    using watch = await stage.watch(`${path}?watch=1&timeoutSeconds=5&allowWatchBookmarks=true`)
    const events = await watch.rest()
    const [added] = events
    const bookmark = events.at(-1)
    expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { kind: 'ConfigMap', apiVersion: 'v1' } })
    if (added && bookmark) expect(version(bookmark)).toBeGreaterThanOrEqual(version(added))
  })

  it('KA121: too old a version is an ERROR with 410, and the end', async () => {
    const path = stage.path('widgets', `${stage.group}/v1`)
    using watch = await stage.watch(`${path}?watch=1&resourceVersion=1`)
    const events = await watch.rest()
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })
  })

  it('KA126: as tables, the columns come once', async () => {
    const path = await place('a', 'b')
    using watch = await stage.watch(`${path}?watch=1`, { accept: TABLE })
    const [first, second] = await watch.take(2)
    expect(first?.object).toMatchObject({ kind: 'Table', columnDefinitions: expect.any(Array) })
    expect(second?.object.columnDefinitions).toBeNull()
    expect(second?.object.rows[0].cells[0]).toBe('b')
  })

  it('KA127, KA128: everybody sees the same order, and who comes back misses nothing', async () => {
    const path = await place()
    const from = await listVersion(path)
    using one = await stage.watch(`${path}?watch=1&resourceVersion=${from}`)
    using two = await stage.watch(`${path}?watch=1&resourceVersion=${from}`)
    const writes = Array.from({ length: 100 }, (_, i) => stage.created(path, { metadata: { name: `n${i}` } }))
    const early = await one.take(30)
    one[Symbol.dispose]()
    await Promise.all(writes)
    using again = await stage.watch(`${path}?watch=1&resourceVersion=${early.at(-1)?.object.metadata.resourceVersion}`)
    const seen = [...early, ...(await again.take(70))].map(brief)
    expect(seen).toEqual((await two.take(100)).map(brief))
    expect(new Set(seen).size).toBe(100)
  })

  it(
    'KA130: of a custom kind end after its objects when the definition goes',
    async () => {
      const group = `gone.${stage.group}`
      const { metadata } = await stage.define(widgets(group))
      const path = stage.path('widgets', `${group}/v1`)
      await stage.created(path, widget(group, 'a'))
      using watch = await stage.watch(`${path}?watch=1`)
      expect(brief(await watch.next())).toBe('ADDED a')
      await stage.delete(`${CRDS}/${metadata.name}`)
      const rest = await watch.rest()
      expect(rest.map(brief)).toContain('DELETED a')
      await stage.until(path, ({ code }) => code === 404)
    },
    SLOW,
  )

  it('KA131: are lines of JSON', async () => {
    const path = await place('a', 'b')
    using watch = await stage.watch(`${path}?watch=1`)
    await watch.take(2)
    expect(watch.headers).toMatchObject({ 'content-type': 'application/json', 'transfer-encoding': 'chunked' })
    expect(
      watch.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).type),
    ).toEqual(['ADDED', 'ADDED'])
  })
})

describe('watch-lists', () => {
  const STREAM = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan'
  const END = 'k8s.io/initial-events-end'

  it.each([0, 2])('KA122, KA123: send the %i objects, a marked bookmark, and what follows', async (count) => {
    const names = ['a', 'b'].slice(0, count)
    const path = await place(...names)
    const { body } = await stage.get(path)
    using watch = await stage.watch(`${path}?${STREAM}&allowWatchBookmarks=true`)
    expect((await watch.take(count)).map(brief)).toEqual(names.map((name) => `ADDED ${name}`))
    const bookmark = await watch.next()
    expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { metadata: { annotations: { [END]: 'true' } } } })
    expect(version(bookmark)).toBeGreaterThanOrEqual(BigInt(body.metadata.resourceVersion))
    await stage.created(path, { metadata: { name: 'z' } })
    expect(brief(await watch.until(({ type }) => type !== 'BOOKMARK'))).toBe('ADDED z')
  })

  it('KA122: of custom kinds too', async () => {
    const path = stage.path('widgets', `${stage.group}/v1`)
    const { metadata } = await stage.created(path, widget(stage.group, stage.name()))
    const only = `&fieldSelector=metadata.name%3D${metadata.name}`
    using watch = await stage.watch(`${path}?${STREAM}&allowWatchBookmarks=true${only}`)
    expect(brief(await watch.next())).toBe(`ADDED ${metadata.name}`)
    expect((await watch.next()).object).toMatchObject({ kind: 'Widget', metadata: { annotations: { [END]: 'true' } } })
  })

  it.each([
    'watch=1&sendInitialEvents=true',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    'watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=1',
    'watch=1&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1',
  ])('KA124: %s is 422', async (query) => {
    const { code, body } = await stage.get(`${maps(stage.namespace)}?${query}`)
    expect({ code, reason: body.reason }).toEqual({ code: 422, reason: 'Invalid' })
  })

  it('KA125: at a version that is not there yet fail', async () => {
    const path = `${maps(stage.namespace)}?${STREAM}&allowWatchBookmarks=true&resourceVersion=99999999999`
    using watch = await stage.watch(path)
    const { type, object }: Loose = await watch.next()
    expect({ type, code: object.code, cause: object.details.causes[0].reason }).toEqual({
      ...{ type: 'ERROR', code: 504, cause: 'ResourceVersionTooLarge' },
    })
  })
})
