import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { explain, NetworkError } from '@binnacle/core'
import { afterEach, describe, expect, it } from 'vitest'
import { httpTransport, type Transport } from './transport.ts'

interface TestServer {
  readonly server: string
  readonly sockets: Set<Socket>
  opened: number
}

const cleanup: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step()
})

async function serve(listener: RequestListener): Promise<TestServer> {
  const server: Server = createServer(listener)
  const sockets = new Set<Socket>()
  const made: TestServer = { server: '', sockets, opened: 0 }
  server.on('connection', (socket) => {
    made.opened++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanup.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return Object.assign(made, { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

function transportTo(server: string): Transport {
  const transport = httpTransport({ server })
  cleanup.push(async () => transport[Symbol.asyncDispose]())
  return transport
}

function get(path: string, signal: AbortSignal = new AbortController().signal) {
  return { method: 'GET', path, headers: { accept: 'application/json' }, signal }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

describe('the HTTP transport', () => {
  it('sends method, path, headers and body as they are, below the path of the server', async () => {
    const { server } = await serve((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        const { method, url, headers } = request
        response.writeHead(201, { 'X-Answer': 'yes' })
        response.end(
          JSON.stringify({ method, url, type: headers['content-type'], body: Buffer.concat(chunks).toString() }),
        )
      })
    })
    const answer = await transportTo(`${server}/prefix/`).request({
      ...get('/a%2Fb?c=d'),
      method: 'POST',
      headers: { 'content-type': 'text/x' },
      body: Buffer.from('ünicode'),
    })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('x-answer')).toBe('yes')
    expect(JSON.parse(Buffer.from(answer.body).toString())).toEqual({
      method: 'POST',
      url: '/prefix/a%2Fb?c=d',
      type: 'text/x',
      body: 'ünicode',
    })
  })

  it('uses a connection again and again', async () => {
    const served = await serve((_, response) => response.end('{}'))
    const transport = transportTo(served.server)
    for (let i = 0; i < 20; i++) await transport.request(get('/'))
    // Two, because a request may come before the connection of the last one is known to be free.
    expect(served.opened).toBeLessThanOrEqual(2)
    await Promise.all(Array.from({ length: 200 }, () => transport.request(get('/'))))
    const opened = served.opened
    await Promise.all(Array.from({ length: 200 }, () => transport.request(get('/'))))
    expect(served.opened - opened).toBeLessThan(20)
  })

  it('closes the connection of a stream that is left, whether or not it was read', async () => {
    const served = await serve((_, response) => response.write('first'))
    const transport = transportTo(served.server)
    for await (const chunk of (await transport.stream(get('/'))).body) {
      expect(Buffer.from(chunk).toString()).toBe('first')
      break
    }
    await until(() => served.sockets.size === 0)
    const unread = await transport.stream(get('/'))
    await unread.body[Symbol.asyncIterator]().return?.()
    await until(() => served.sockets.size === 0)
  })

  it('gives up with the reason of the signal, before and in the middle of the answer', async () => {
    const served = await serve((request, response) => {
      if (request.url === '/half') response.write('half')
    })
    const transport = transportTo(served.server)
    const never = new AbortController()
    const waiting = transport.request(get('/never', never.signal))
    await until(() => served.sockets.size === 1)
    never.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    const half = new AbortController()
    const { body } = await transport.stream(get('/half', half.signal))
    const chunks = body[Symbol.asyncIterator]()
    await chunks.next()
    half.abort(new Error('enough'))
    await expect(chunks.next()).rejects.toThrow('enough')
    await until(() => served.sockets.size === 0)
  })

  it('does not end the process when a stream that nobody reads is aborted', async () => {
    const served = await serve((_, response) => response.write('x'))
    const controller = new AbortController()
    await transportTo(served.server).stream(get('/', controller.signal))
    controller.abort()
    await until(() => served.sockets.size === 0)
  })

  it('leaves no socket behind', async () => {
    const served = await serve((request, response) =>
      request.url === '/open' ? response.write('x') : response.end('{}'),
    )
    const transport = httpTransport({ server: served.server })
    await transport.request(get('/'))
    const open = await transport.stream(get('/open'))
    await transport[Symbol.asyncDispose]()
    await until(() => served.sockets.size === 0)
    await expect(open.body[Symbol.asyncIterator]().next()).rejects.toThrow()
    await expect(transport.request(get('/'))).rejects.toThrow(/closed/)
  })

  it('says who refused the connection', async () => {
    const served = await serve(() => {})
    const address = served.server
    await cleanup.pop()?.()
    const error = await transportTo(address)
      .request({ ...get('/'), method: 'POST' })
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(NetworkError)
    expect(error).toMatchObject({ mayHaveCommitted: false })
    expect(explain(error)).toBe(
      `No answer from ${address}: the connection was refused\nIs the server running, and is this its port?`,
    )
  })

  it('says that a write may have happened when the connection was lost after sending it', async () => {
    const { server } = await serve((request) => request.socket.destroy())
    const send = (method: string) =>
      transportTo(server)
        .request({ ...get('/'), method })
        .catch((thrown: unknown) => thrown)
    expect(await send('POST')).toMatchObject({ name: 'NetworkError', mayHaveCommitted: true })
    expect(await send('GET')).toMatchObject({ name: 'NetworkError', mayHaveCommitted: false })
  })

  it('notices a body that ends too early', async () => {
    const { server } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('only this', () => response.socket?.destroy())
    })
    await expect(transportTo(server).request(get('/'))).rejects.toBeInstanceOf(NetworkError)
  })

  it('makes the server wait when nobody reads', async () => {
    let written = 0
    let blocked = false
    const piece = Buffer.alloc(64 * 1024)
    const { server } = await serve((_, response) => {
      const fill = () => {
        blocked = false
        while (response.write(piece)) written += piece.length
        blocked = true
      }
      response.on('drain', fill)
      fill()
    })
    const { body } = await transportTo(server).stream(get('/'))
    const chunks = body[Symbol.asyncIterator]()
    await chunks.next()
    for (let quiet = 0; quiet < 500; quiet = blocked ? quiet + 1 : 0)
      await new Promise((resolve) => setImmediate(resolve))
    expect(written).toBeLessThan(64 * 1024 * 1024)
    await chunks.return?.()
  })

  it('refuses an address that is no URL', () => {
    expect(() => httpTransport({ server: '10.0.0.1:6443' })).toThrow(/is not a URL: "10.0.0.1:6443"/)
    expect(() => httpTransport({ server: 'https://u:planted@host' })).toThrow(
      /^The address of the server, at host, contains/,
    )
  })
})
