import { ExpiredError, VirtualClock, type WatchOptions } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { bytes, memoryTransport, type Reply, refusal } from '../test/memory-transport.ts'
import { connect } from './connect.ts'

const Kex = {
  group: 'kopf.dev',
  version: 'v1',
  kind: 'KopfExample',
  plural: 'kopfexamples',
  singular: 'kopfexample',
  scope: 'Namespaced',
  shortNames: [],
  categories: [],
  apiVersion: 'kopf.dev/v1',
} as const

const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`
const named = (name: string, more: object = {}) => ({ metadata: { name, resourceVersion: '1', ...more } })

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield bytes(text)
}

async function watching(body: Reply['body'] | Reply, options: WatchOptions = {}, clock = new VirtualClock()) {
  const reply = body !== null && typeof body === 'object' && 'status' in body ? (body as Reply) : { body }
  const transport = memoryTransport(() => reply)
  const client = await connect({ transport, clock, random: () => 0 })
  return { clock, client, transport, events: client.watch(Kex, options)[Symbol.asyncIterator]() }
}

async function all(iterator: AsyncIterator<unknown>): Promise<unknown[]> {
  const seen: unknown[] = []
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) seen.push(next.value)
  return seen
}

describe('a watch', () => {
  it('gives the events in order, without managedFields, each object with its kind, and ends when the server ends it', async () => {
    const text =
      line('ADDED', named('ä', { managedFields: [{ f: 1 }] })) +
      line('MODIFIED', { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', ...named('b') }) +
      line('BOOKMARK', { kind: 'KopfExample', apiVersion: 'kopf.dev/v1', metadata: { resourceVersion: '9' } })
    const kind = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample' }
    const expected = [
      { type: 'ADDED', object: { ...kind, ...named('ä') } },
      { type: 'MODIFIED', object: { ...kind, ...named('b') } },
      { type: 'BOOKMARK', object: { ...kind, metadata: { resourceVersion: '9' } } },
    ]
    const raw = Buffer.from(text)
    for (let cut = 0; cut <= raw.length; cut += 7) {
      const halves = async function* () {
        yield raw.subarray(0, cut)
        yield raw.subarray(cut)
      }
      expect(await all((await watching(halves())).events)).toEqual(expected)
    }
  })

  it('asks for what the options say', async () => {
    const { events, transport } = await watching(chunks(), {
      namespace: '*',
      labels: { a: 'b' },
      resourceVersion: '5',
      bookmarks: true,
    })
    await all(events)
    expect(transport.seen[0]?.path).toBe(
      '/apis/kopf.dev/v1/kopfexamples?labelSelector=a%3Db&resourceVersion=5&watch=true&allowWatchBookmarks=true&timeoutSeconds=300',
    )
  })

  it('gives an error of the server as an event', async () => {
    const gone = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }
    const { events } = await watching(chunks(line('ERROR', gone)))
    expect(await all(events)).toEqual([{ type: 'ERROR', object: { code: 410, reason: 'Expired', message: 'too old' } }])
  })

  it('throws the typed error of a refusal at its opening, and does not try again', async () => {
    const { events, transport } = await watching(refusal(410, 'Expired', 'too old'))
    await expect(events.next()).rejects.toBeInstanceOf(ExpiredError)
    expect(transport.seen).toHaveLength(1)
    const busy = await watching(refusal(429, 'TooManyRequests', 'busy'))
    await expect(busy.events.next()).rejects.toMatchObject({ code: 429 })
    expect(busy.transport.seen).toHaveLength(1)
  })

  it('ends with an error when nothing has come for the time given', async () => {
    const silent = async function* () {
      yield bytes(line('ADDED', named('a')))
      await new Promise(() => {})
    }
    const { clock, events, transport } = await watching(silent(), { inactivityTimeout: '60s' })
    await events.next()
    let outcome: unknown
    events.next().catch((error: unknown) => {
      outcome = error
    })
    await clock.advance('59s')
    expect(outcome).toBeUndefined()
    await clock.advance('2s')
    expect(outcome).toMatchObject({ name: 'NetworkError', message: expect.stringContaining('silent') })
    expect(transport.seen[0]?.signal.aborted).toBe(true)
    expect(clock.sleeping).toBe(0)
  })

  it('never hangs, even with a server that never answers and no time given', async () => {
    const transport = memoryTransport(() => new Promise(() => {}))
    const clock = new VirtualClock()
    const client = await connect({ transport, clock, random: () => 0 })
    const opening = client.watch(Kex)[Symbol.asyncIterator]().next()
    const outcome = expect(opening).rejects.toMatchObject({ name: 'NetworkError' })
    await clock.advance('331s')
    await outcome
  })

  it('never hangs, even with a server that refuses and then falls silent in the middle of its reason', async () => {
    const reason = async function* () {
      yield bytes('{"kind":"Sta')
      await new Promise(() => {})
    }
    const { clock, events, transport } = await watching({ status: 500, body: reason() }, { inactivityTimeout: '60s' })
    const outcome = expect(events.next()).rejects.toMatchObject({ name: 'NetworkError' })
    await clock.advance('61s')
    await outcome
    expect(transport.seen[0]?.signal.aborted).toBe(true)
    expect(clock.sleeping).toBe(0)
  })

  it('does not take a slow consumer for a dead server', async () => {
    const { clock, events } = await watching(chunks(line('ADDED', named('a')), line('ADDED', named('b'))), {
      inactivityTimeout: '60s',
    })
    await events.next()
    await clock.advance('1h')
    expect((await events.next()).done).toBe(false)
    expect((await events.next()).done).toBe(true)
  })

  it('counts silence anew with each byte', async () => {
    const clock = new VirtualClock()
    const slow = async function* () {
      for (const name of ['a', 'b', 'c']) {
        await clock.sleep('50s')
        yield bytes(line('ADDED', named(name)))
      }
    }
    const { events } = await watching(slow(), { inactivityTimeout: '60s' }, clock)
    const seen = all(events)
    await clock.advance('200s')
    expect(await seen).toHaveLength(3)
    expect(clock.sleeping).toBe(0)
  })

  it('ends with the reason of the signal', async () => {
    const controller = new AbortController()
    const silent = async function* (): AsyncGenerator<Uint8Array> {
      await new Promise(() => {})
    }
    const { clock, events } = await watching(silent(), { signal: controller.signal })
    const next = events.next()
    await clock.advance(1)
    controller.abort(new Error('enough'))
    await expect(next).rejects.toThrow('enough')
    expect(clock.sleeping).toBe(0)
  })

  it('leaves nothing behind when it is left', async () => {
    let left = false
    const endless = async function* () {
      try {
        while (true) yield bytes(line('ADDED', named('a')))
      } finally {
        left = true
      }
    }
    const { clock, client, transport } = await watching(endless())
    for await (const _ of client.watch(Kex)) break
    await clock.advance(0)
    expect(left).toBe(true)
    expect(transport.seen[0]?.signal.aborted).toBe(true)
    expect(clock.sleeping).toBe(0)
  })

  it.each([
    ['a line that is not JSON', 'nonsense\n'],
    ['a line that was cut off', line('ADDED', named('a')).slice(0, 30)],
    ['a line that is no object', '5\n'],
  ])('fails on %s', async (_, text) => {
    const { events } = await watching(chunks(text))
    await expect(events.next()).rejects.toMatchObject({ name: 'NetworkError' })
  })

  it('passes over events of a sort that it does not know', async () => {
    const { events } = await watching(chunks(line('SURPRISE', {}) + line('ADDED', named('a'))))
    expect(await all(events)).toHaveLength(1)
  })

  it('lets others have their turn while a busy stream is read', async () => {
    const busy = chunks(Array.from({ length: 500 }, (_, i) => line('ADDED', named(`p${i}`))).join(''))
    const { events } = await watching(busy)
    let turns = 0
    const count = () => {
      turns++
      handle = setImmediate(count)
    }
    let handle = setImmediate(count)
    expect(await all(events)).toHaveLength(500)
    clearImmediate(handle)
    expect(turns).toBeGreaterThan(5)
  })
})
