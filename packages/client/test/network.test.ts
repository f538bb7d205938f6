import type { RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { explain, NetworkError } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { type ConnectOptions, connect } from '../src/index.ts'
import { afterwards, serve, Thing, until } from './server.ts'

/**
 * Lines that break, by real sockets. Each request ends within its deadline, is made again where that helps, and never twice for a write that
 * may have landed.
 */

const thing = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', resourceVersion: '1' } }
const status = (code: number, reason: string) => JSON.stringify({ kind: 'Status', code, reason, message: 'no' })

/** Waits so short that retries cost nothing. */
const QUICK = { errorBackoffs: [0.001, 0.001, 0.001] } as const

async function clientOf(listener: RequestListener, options: ConnectOptions = {}) {
  const requests: string[] = []
  const server = await serve((request, response) => {
    requests.push(request.method ?? '')
    request.resume()
    request.on('end', () => {
      response.setHeader('content-type', 'application/json')
      listener(request, response)
    })
  })
  const client = await connect({ kubeconfig: { server: server.url }, ...QUICK, ...options })
  afterwards(() => client[Symbol.asyncDispose]())
  return { client, requests, server }
}

/** A listener on TCP that accepts and says nothing. */
async function mute(): Promise<{ readonly address: string; readonly sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterwards(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, sockets }
}

const failure = (promise: Promise<unknown>): Promise<NetworkError> =>
  promise.then(
    (value) => Promise.reject(new Error(`no failure, but ${JSON.stringify(value)}`)),
    (error) => error,
  )

async function drained(stream: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const items: unknown[] = []
  try {
    for await (const item of stream) items.push(item)
    items.push('the end')
  } catch (error) {
    items.push(explain(error).split('\n')[0])
  }
  return items
}

describe('a server that accepts and never answers', () => {
  it.each([
    ['GET', false],
    ['POST', true],
  ] as const)('ends %s at the deadline, and knows whether it may have happened', async (method, mayHaveCommitted) => {
    const { address, sockets } = await mute()
    await using client = await connect({
      kubeconfig: { server: `http://${address}` },
      requestTimeout: '200ms',
      ...QUICK,
    })
    const error = await failure(client.request(method, '/', { body: {} }))
    expect(error).toBeInstanceOf(NetworkError)
    expect(error.message).toContain('No answer within 0.2 s')
    expect(error.mayHaveCommitted).toBe(mayHaveCommitted)
    await until(() => sockets.size === 0)
  })

  it('ends lists and watches when they have been silent for too long', async () => {
    const { address } = await mute()
    await using client = await connect({
      kubeconfig: { server: `http://${address}` },
      requestTimeout: '100ms',
      ...QUICK,
      errorBackoffs: [],
    })
    expect(await drained(client.items(Thing))).toEqual([expect.stringContaining('was silent')])
    await expect(client.list(Thing)).rejects.toThrow('was silent')
    expect(await drained(client.watch(Thing, { inactivityTimeout: '100ms' }))).toEqual([
      expect.stringContaining('was silent'),
    ])
  })

  it('ends the handshake at the time for connecting; nothing was sent, so that even a write is tried again', async () => {
    const { address } = await mute()
    const attempts: unknown[] = []
    await using client = await connect({
      kubeconfig: { server: `https://${address}`, insecure: true },
      connectTimeout: '100ms',
      errorBackoffs: [0.001],
      onRequest: (request) => attempts.push(request),
    })
    const error = await failure(client.request('POST', '/', { body: {} }))
    expect(error.message).toContain('no connection within the time for it')
    expect(error.mayHaveCommitted).toBe(false)
    expect(attempts).toHaveLength(2)
  })
})

describe('a connection that dies half-way', () => {
  it('and falls silent in the middle of a body ends the request at its deadline', async () => {
    const { client } = await clientOf(
      (_, response) => response.writeHead(200, { 'content-length': 100 }).write('{"items":['),
      {
        requestTimeout: '150ms',
        errorBackoffs: [],
      },
    )
    await expect(client.get(Thing, 'a')).rejects.toThrow('No answer within 0.15 s')
    await expect(client.list(Thing)).rejects.toThrow('was silent')
    expect(await drained(client.watch(Thing, { inactivityTimeout: '100ms' }))).toEqual([
      expect.stringContaining('was silent'),
    ])
  })

  it('and was kept alive before ends the next request at its deadline too', async () => {
    let dead = false
    const { client } = await clientOf((_, response) => void (dead || response.end(JSON.stringify(thing))), {
      requestTimeout: '150ms',
    })
    await client.get(Thing, 'a')
    dead = true
    await expect(client.get(Thing, 'a')).rejects.toThrow('No answer within 0.15 s')
    dead = false
    expect(await client.get(Thing, 'a')).toMatchObject(thing)
  })

  it('by a reset in the middle of a body is made good for reads', async () => {
    let broken = 2
    const body = JSON.stringify({ metadata: { resourceVersion: '7' }, items: [thing] })
    const { client, requests } = await clientOf((request, response) => {
      if (broken-- <= 0) return response.end(request.url?.endsWith('/a') ? JSON.stringify(thing) : body)
      response.write(body.slice(0, 40))
      return setTimeout(() => request.socket.resetAndDestroy(), 5)
    })
    expect((await client.list(Thing)).items).toHaveLength(1)
    expect(requests).toHaveLength(3)
    broken = 1
    expect(await client.get(Thing, 'a')).toMatchObject(thing)
    expect(requests).toHaveLength(5)
  })

  it('by a reset ends what was handed out already with an error, and does not hand it out twice', async () => {
    const { client, requests } = await clientOf((request, response) => {
      const event = JSON.stringify({ type: 'ADDED', object: thing })
      response.write(
        request.url?.includes('watch') ? `${event}\n${event.slice(0, 9)}` : `{"items":[${JSON.stringify(thing)},{"me`,
      )
      setTimeout(() => request.socket.resetAndDestroy(), 20)
    })
    expect(await drained(client.items(Thing))).toEqual([thing, expect.stringContaining('the connection was lost')])
    expect(await drained(client.watch(Thing))).toEqual([
      { type: 'ADDED', object: thing },
      expect.stringContaining('the connection was lost'),
    ])
    expect(requests).toHaveLength(2)
  })

  it.each(['before', 'in the middle of'])(
    '%s the answer to a write is told, and the write is not made again',
    async (when) => {
      const { client, requests } = await clientOf((request, response) => {
        if (when === 'before') return request.socket.resetAndDestroy()
        response.writeHead(201, { 'content-length': 1000 }).write('{')
        return setTimeout(() => request.socket.resetAndDestroy(), 5)
      })
      const writes = [
        client.create(Thing, thing),
        client.replace(Thing, thing as never),
        client.patch(Thing, 'a', {}),
        client.apply(Thing, thing),
        client.delete(Thing, 'a'),
      ]
      for (const error of await Promise.all(writes.map(failure))) {
        expect(error).toBeInstanceOf(NetworkError)
        expect(error.mayHaveCommitted).toBe(true)
      }
      expect(requests).toHaveLength(writes.length)
    },
  )
})

describe('a server that asks for patience', () => {
  it.each([
    // Status, Retry-After, how often a read and how often a write is made.
    [429, undefined, 4, 4],
    [429, '0', 4, 4],
    [503, undefined, 4, 1],
    [503, '0', 4, 4],
    [500, undefined, 4, 1],
    [504, '0', 4, 1],
    [409, undefined, 1, 1],
    [403, undefined, 1, 1],
    [501, undefined, 1, 1],
  ] as const)('with %i and Retry-After %s gets %i reads and %i writes', async (code, retryAfter, reads, writes) => {
    const { client, requests } = await clientOf((_, response) => {
      if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
      response.writeHead(code).end(status(code, 'x'))
    })
    await expect(client.get(Thing, 'a')).rejects.toMatchObject({ code })
    expect(requests.splice(0)).toHaveLength(reads)
    await expect(client.create(Thing, thing)).rejects.toMatchObject({ code })
    expect(requests).toHaveLength(writes)
  })

  it('for longer than the deadline is not waited for', async () => {
    const { client, requests } = await clientOf(
      (_, response) => response.setHeader('retry-after', '30').writeHead(429).end(status(429, 'x')),
      {
        requestTimeout: '10s',
      },
    )
    await expect(client.get(Thing, 'a')).rejects.toMatchObject({ code: 429, retryAfter: 30 })
    expect(requests).toHaveLength(1)
  })
})
