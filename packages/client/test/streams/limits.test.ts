import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { explain } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { type Client, type ConnectOptions, connect } from '../../src/index.ts'
import { serve, Thing, until } from '../server.ts'

/** Answers of every size, and those that never end, by real sockets. */

const MIB = 1024 * 1024

const large = (text: string) => ({ metadata: { name: 'large', resourceVersion: '1' }, data: { text } })
const listOf = (...items: object[]) => JSON.stringify({ metadata: { resourceVersion: '9' }, items })

async function clientOf(answer: (response: ServerResponse) => void, options: ConnectOptions = {}) {
  const server = await serve((_, response) => {
    response.setHeader('content-type', 'application/json')
    answer(response)
  })
  const client = await connect({ kubeconfig: { server: server.url }, errorBackoffs: [], ...options })
  return { client, server }
}

/** Writes as long as somebody reads; how much that was. */
function endless(response: ServerResponse, piece: Buffer): { bytes: number; stuck: boolean } {
  const written = { bytes: 0, stuck: false }
  const write = () => {
    written.stuck = false
    while (!response.destroyed && !written.stuck) {
      written.stuck = !response.write(piece)
      written.bytes += piece.length
    }
  }
  response.on('drain', write)
  write()
  return written
}

async function drained(stream: AsyncIterable<unknown>): Promise<string> {
  try {
    for await (const _ of stream);
    return 'the end'
  } catch (error) {
    return explain(error)
  }
}

/** The outcome, and the most MiB that were held outside of the heap meanwhile. */
async function heldBy<T>(work: () => Promise<T>): Promise<{ result: T; held: number }> {
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }, 5)
  try {
    const result = await work()
    return { result, held: most / MIB }
  } finally {
    clearInterval(timer)
  }
}

async function firstOf(stream: AsyncIterable<unknown>): Promise<unknown> {
  for await (const item of stream) return item
  return undefined
}

describe('an object of 3 MiB', () => {
  const text = 'Grüße ⚓ '.repeat(Math.ceil((3 * MIB) / 14))
  const whole = large(text)

  it.each(['none', 'gzip'] as const)('comes whole by get, list and watch (compression: %s)', async (compression) => {
    const asked: boolean[] = []
    const server = await serve((request, response) => {
      const body = Buffer.from(
        request.url?.includes('watch')
          ? `${JSON.stringify({ type: 'ADDED', object: whole })}\n`
          : request.url?.endsWith('/large')
            ? JSON.stringify(whole)
            : listOf(whole, whole),
      )
      response.setHeader('content-type', 'application/json')
      const zipped = request.headers['accept-encoding'] === 'gzip'
      if (zipped) response.setHeader('content-encoding', 'gzip')
      response.end(zipped ? gzipSync(body, { level: 1 }) : body)
      asked.push(zipped)
    })
    await using by = await connect({ kubeconfig: { server: server.url }, compression })
    expect(await by.get(Thing, 'large')).toMatchObject(whole)
    expect((await by.list(Thing)).items).toMatchObject([whole, whole])
    expect(await firstOf(by.watch(Thing))).toMatchObject({ type: 'ADDED', object: whole })
    expect(new Set(asked)).toEqual(new Set([compression === 'gzip']))
  })
})

describe('A7: an object of 20,000 levels', () => {
  const levels = 20_000
  const one = `{"metadata":{"name":"deep","managedFields":[${'['.repeat(levels)}${']'.repeat(levels)}]},"spec":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`
  const other = '{"metadata":{"name":"other"}}'

  it('comes by get, list and watch, and holds up nothing that comes with it or after it', async () => {
    const server = await serve((request, response) => {
      response.setHeader('content-type', 'application/json')
      if (request.method !== 'GET') return response.end(other)
      if (request.url?.includes('watch')) {
        return response.end([one, other].map((object) => `{"type":"ADDED","object":${object}}\n`).join(''))
      }
      return response.end(request.url?.endsWith('/deep') ? one : `{"items":[${one},${other}]}`)
    })
    await using client = await connect({ kubeconfig: { server: server.url }, errorBackoffs: [] })
    const names = (objects: readonly { readonly metadata: { readonly name: string } }[]) =>
      objects.map(({ metadata }) => metadata.name)
    const deep = await client.get(Thing, 'deep')
    expect(Object.keys(deep.metadata)).toEqual(['name'])
    expect(names((await client.list(Thing)).items)).toEqual(['deep', 'other'])
    const watched: { readonly metadata: { readonly name: string } }[] = []
    for await (const event of client.watch(Thing)) if (event.type === 'ADDED') watched.push(event.object)
    expect(names(watched)).toEqual(['deep', 'other'])
    // To send it back may be more than JSON.stringify can do: then that is told, and the client goes on.
    await client.edit(Thing, 'deep', (draft) => Object.assign(draft, { touched: true })).catch((error) => error)
    expect(names([await client.patch(Thing, 'other', {})])).toEqual(['other'])
  })
})

// A8: a watch line above the limit, an endless line without a line feed, a gzip bomb.
describe('A8: an answer without an end is given up, and its connection is closed', () => {
  const filler = Buffer.alloc(256 * 1024, 'x')
  const CASES: [string, string, (client: Client) => Promise<string>, string][] = [
    [
      'line of a watch',
      '{"type":"ADDED","object":{"metadata":{"name":"',
      (c) => drained(c.watch(Thing)),
      'sent a line of more than',
    ],
    ['item of a list', '{"items":[{"metadata":{"name":"', (c) => drained(c.items(Thing)), 'one item has more than'],
    ['list without items', '{"metadata":{"continue":"', (c) => drained(c.items(Thing)), 'one item has more than'],
    ['object', '{"metadata":{"name":"', (c) => c.get(Thing, 'a').then(String, explain), 'has more than'],
    ['line of a log', '', (c) => drained(c.logs('a')), 'sent a line of more than'],
  ]

  it.each(CASES)('%s', async (_, beginning, read, message) => {
    const { client, server } = await clientOf((response) => {
      response.write(beginning)
      endless(response, filler)
    })
    await using _client = client
    const { result, held } = await heldBy(() => read(client))
    expect(result).toContain(message)
    // The cap, what it was joined to, and what was under way.
    expect(held).toBeLessThan(400)
    await until(() => server.sockets.size === 0)
  })

  it.each(CASES)('%s, out of a gzip bomb', async (_, beginning, read, message) => {
    const bomb = gzipSync(Buffer.concat([Buffer.from(beginning), Buffer.alloc(80 * MIB, 'x')]), { level: 1 })
    expect(bomb.length).toBeLessThan(MIB)
    const { client, server } = await clientOf((response) => {
      response.setHeader('content-encoding', 'gzip')
      response.end(bomb)
    })
    await using _client = client
    expect(await read(client)).toContain(message)
    expect(server.opened()).toBe(1)
  })

  it.each([
    ['cut off', (zipped: Buffer) => zipped.subarray(0, zipped.length >> 1)],
    [
      'changed',
      (zipped: Buffer) => Buffer.concat([zipped.subarray(0, 40), Buffer.from('xxxxxxxx'), zipped.subarray(48)]),
    ],
    ['none at all', () => Buffer.from('{"items":[]}')],
  ])('a gzip stream that is %s is an error', async (_, damage) => {
    const zipped = gzipSync(listOf(...Array.from({ length: 500 }, (_, i) => large(`${i * 7919}`))))
    const { client } = await clientOf((response) => response.setHeader('content-encoding', 'gzip').end(damage(zipped)))
    await using _client = client
    expect(await drained(client.items(Thing))).toContain('the compressed answer is damaged')
    await expect(client.list(Thing)).rejects.toThrow('the compressed answer is damaged')
  })

  it('a compression that nobody asked for is an error', async () => {
    const { client, server } = await clientOf((response) => response.setHeader('content-encoding', 'br').end('x'))
    await using _client = client
    await expect(client.get(Thing, 'a')).rejects.toThrow(/compressed as "br"/)
    await until(() => server.sockets.size === 0)
  })
})

describe('who does not read', () => {
  const event = Buffer.from(`${JSON.stringify({ type: 'MODIFIED', object: large('x'.repeat(5000)) })}\n`.repeat(10))

  it('does not receive: the socket of the watch stops, memory stays flat, and all goes on when reading does', async () => {
    let written = { bytes: 0, stuck: false }
    const { client, server } = await clientOf((response) => {
      written = endless(response, event)
    })
    await using _client = client
    const events = client.watch(Thing)[Symbol.asyncIterator]()
    await events.next()
    await until(() => written.stuck)
    const settled = async () => {
      for (let last = -1; last !== written.bytes; ) {
        last = written.bytes
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      return written.bytes
    }
    const first = await settled()
    const memory = process.memoryUsage().arrayBuffers
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(written.bytes).toBe(first)
    // What the system's socket buffers hold, and some pieces on either side.
    expect(first).toBeLessThan(16 * MIB)
    expect(process.memoryUsage().arrayBuffers - memory).toBeLessThan(MIB)
    for (let count = 0; count < (first / event.length) * 10; count++) await events.next()
    expect(await settled()).toBeGreaterThan(first)
    await events.return?.()
    await until(() => server.sockets.size === 0)
  })

  it('a list does not receive either', async () => {
    let written = { bytes: 0, stuck: false }
    const item = Buffer.from(`${JSON.stringify(large('x'.repeat(5000)))},`.repeat(10))
    const { client } = await clientOf((response) => {
      response.write('{"items":[')
      written = endless(response, item)
    })
    await using _client = client
    const items = client.items(Thing)[Symbol.asyncIterator]()
    await items.next()
    await until(() => written.stuck)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(written.bytes).toBeLessThan(16 * MIB)
    await items.return?.()
  })
})
