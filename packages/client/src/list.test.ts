import { VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { bytes, memoryTransport, type Reply, refusal, type Seen } from '../test/memory-transport.ts'
import { connect } from './connect.ts'

const Widget = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  scope: 'Namespaced',
  shortNames: [],
  categories: [],
  apiVersion: 'example.com/v1',
} as const

const item = (name: string) => ({ metadata: { name, managedFields: [{}] } })
const page = (names: string[], next?: string) => ({
  kind: 'WidgetList',
  apiVersion: 'example.com/v1',
  metadata: { resourceVersion: '7', ...(next && { continue: next, remainingItemCount: 1 }) },
  items: names.map(item),
})
const expected = (name: string) => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name } })

async function listing(
  answer: (request: Seen, count: number) => Reply | Promise<Reply>,
  managedFields: 'drop' | 'keep' = 'drop',
) {
  const clock = new VirtualClock()
  const transport = memoryTransport((request) => answer(request, transport.seen.length))
  const client = await connect({ transport, clock, random: () => 0, managedFields })
  return { clock, transport, client }
}

const paged = (request: Seen): Reply => {
  const at = request.url.searchParams.get('continue')
  return { body: at === null ? page(['a', 'b'], 'x') : at === 'x' ? page(['c'], 'y') : page(['d']) }
}

describe('a list', () => {
  it('has items with apiVersion and kind, and without managedFields', async () => {
    const { client } = await listing(() => ({ body: page(['a', 'b']) }))
    expect(await client.list(Widget)).toEqual({
      kind: 'WidgetList',
      apiVersion: 'example.com/v1',
      metadata: { resourceVersion: '7' },
      items: [expected('a'), expected('b')],
    })
  })

  it('keeps managedFields on request', async () => {
    const { client } = await listing(() => ({ body: page(['a']) }), 'keep')
    expect((await client.list(Widget)).items[0]?.metadata).toEqual({ name: 'a', managedFields: [{}] })
  })

  it('joins its pages at the version of the first', async () => {
    const { client, transport } = await listing(paged)
    const list = await client.list(Widget, {
      limit: 2,
      resourceVersion: '5',
      resourceVersionMatch: 'Exact',
      labels: 'a=b',
    })
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c', 'd'])
    expect(list.metadata).toEqual({ resourceVersion: '7' })
    expect(transport.seen.map(({ url }) => url.search)).toEqual([
      '?labelSelector=a%3Db&resourceVersion=5&resourceVersionMatch=Exact&limit=2',
      '?labelSelector=a%3Db&limit=2&continue=x',
      '?labelSelector=a%3Db&limit=2&continue=y',
    ])
  })

  it('comes page by page, or item by item', async () => {
    const { client } = await listing(paged)
    const sizes: number[] = []
    for await (const { items } of client.pages(Widget, { limit: 2 })) sizes.push(items.length)
    expect(sizes).toEqual([2, 1, 1])
    const names: string[] = []
    for await (const { metadata } of client.items(Widget, { limit: 2 })) names.push(metadata.name)
    expect(names).toEqual(['a', 'b', 'c', 'd'])
  })

  it('begins anew in one piece when its continuation has expired', async () => {
    const { client, transport } = await listing(({ url }) => {
      if (url.searchParams.get('limit') === null) return { body: page(['a', 'b', 'c']) }
      return url.searchParams.get('continue') ? refusal(410, 'Expired', 'too old') : { body: page(['a'], 'x') }
    })
    expect((await client.list(Widget, { limit: 1 })).items).toHaveLength(3)
    expect(transport.seen).toHaveLength(3)
  })

  it('hands out items before the last byte has come', async () => {
    const text = JSON.stringify(page(['a', 'b']))
    const half = text.indexOf(',{"metadata":{"name":"b"')
    let release = () => {}
    const body = async function* () {
      yield bytes(text.slice(0, half))
      await new Promise<void>((resolve) => {
        release = resolve
      })
      yield bytes(text.slice(half))
    }
    const { client } = await listing(() => ({ body: body() }))
    const items = client.items(Widget)[Symbol.asyncIterator]()
    expect((await items.next()).value).toEqual(expected('a'))
    const second = items.next()
    await new Promise((resolve) => setImmediate(resolve))
    release()
    expect((await second).value).toEqual(expected('b'))
    expect((await items.next()).done).toBe(true)
  })

  it('is asked for again when the connection was lost in the middle, as long as nothing was handed out', async () => {
    const text = JSON.stringify(page(['a', 'b']))
    const broken = async function* () {
      yield bytes(text.slice(0, -5))
      throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
    }
    const { client, clock, transport } = await listing((_, count) => ({ body: count === 1 ? broken() : text }))
    const list = client.list(Widget)
    await clock.advance('1s')
    expect((await list).items).toHaveLength(2)
    expect(transport.seen).toHaveLength(2)
    const streamed = await listing(() => ({ body: broken() }))
    const items = streamed.client.items(Widget)[Symbol.asyncIterator]()
    expect((await items.next()).value).toEqual(expected('a'))
    await expect(items.next()).rejects.toMatchObject({ name: 'NetworkError' })
  })

  it('may take long, but not fall silent', async () => {
    const clock = new VirtualClock()
    const body = async function* () {
      for (const part of ['{"items":[', '{"metadata":{"name":"a"}}', ']}']) {
        await clock.sleep('50s')
        yield bytes(part)
      }
    }
    const client = await connect({ transport: memoryTransport(() => ({ body: body() })), clock, errorBackoffs: [] })
    const slow = client.list(Widget)
    await clock.advance('150s')
    expect((await slow).items).toHaveLength(1)
    const never = await connect({ transport: memoryTransport(() => new Promise(() => {})), clock, errorBackoffs: [] })
    const outcome = expect(never.list(Widget)).rejects.toMatchObject({ name: 'NetworkError' })
    await clock.advance('61s')
    await outcome
    expect(clock.sleeping).toBe(0)
  })

  it('that continues by the page it came from is an error, and no endless loop', async () => {
    const { client, transport } = await listing(() => ({ body: page(['a'], 'again') }))
    await expect(client.list(Widget, { limit: 1 })).rejects.toThrow(/would never end/)
    const names: string[] = []
    const reading = (async () => {
      for await (const { metadata } of client.items(Widget, { limit: 1 })) names.push(metadata.name)
    })()
    await expect(reading).rejects.toThrow(/would never end/)
    expect(names).toEqual(['a', 'a'])
    expect(transport.seen).toHaveLength(4)
  })

  it('obeys the deadline that it was given, over all pages', async () => {
    const clock = new VirtualClock()
    const transport = memoryTransport(async () => {
      await clock.sleep('4s')
      return { body: page(['a'], `behind ${transport.seen.length}`) }
    })
    const client = await connect({ transport, clock })
    const outcome = expect(client.list(Widget, { limit: 1, timeout: '10s' })).rejects.toThrow(
      /No answer within 10 s: list widgets/,
    )
    await clock.advance('11s')
    await outcome
    expect(transport.seen).toHaveLength(3)
  })

  it('lets others have their turn while a large one is decoded', async () => {
    const large = {
      ...page([]),
      items: Array.from({ length: 5000 }, (_, i) => ({ ...item(`p${i}`), data: 'x'.repeat(500) })),
    }
    const { client } = await listing(() => ({ body: large }))
    let turns = 0
    const count = () => {
      turns++
      handle = setImmediate(count)
    }
    let handle = setImmediate(count)
    expect((await client.list(Widget)).items).toHaveLength(5000)
    clearImmediate(handle)
    expect(turns).toBeGreaterThan(5)
  })
})
