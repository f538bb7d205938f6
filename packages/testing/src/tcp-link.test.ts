import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TcpLink } from './tcp-link.ts'

/** A server that says everything back. */
const echo = createServer((socket) => {
  socket.on('error', () => {})
  socket.pipe(socket)
})
let link: TcpLink

beforeEach(async () => {
  echo.listen(0, '127.0.0.1')
  await once(echo, 'listening')
  link = await TcpLink.to({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port })
})

afterEach(async () => {
  await link[Symbol.asyncDispose]()
  echo.close()
  await once(echo, 'close')
})

async function dial(): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: link.port })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

async function said(socket: Socket, text: string): Promise<string> {
  socket.write(text)
  const [data] = await once(socket, 'data')
  return String(data)
}

const closed = (socket: Socket) => (socket.closed ? Promise.resolve() : once(socket, 'close'))

describe('a port that leads to another', () => {
  it('carries bytes both ways', async () => {
    expect(await said(await dial(), 'hello')).toBe('hello')
  })

  it('that is cut breaks what is open, and takes new connections', async () => {
    const socket = await dial()
    await said(socket, 'hello')
    link.cut()
    await closed(socket)
    expect(await said(await dial(), 'again')).toBe('again')
  })

  it('that is severed takes no connection until it is restored', async () => {
    const socket = await dial()
    await said(socket, 'hello')
    link.sever()
    await closed(socket)
    await closed(await dial())
    link.restore()
    expect(await said(await dial(), 'again')).toBe('again')
  })

  it('ends although connections are open, and leaves none', async () => {
    const socket = await dial()
    await said(socket, 'hello')
    const other = await TcpLink.to({ host: '127.0.0.1', port: link.port })
    await other[Symbol.asyncDispose]()
    link.cut()
    await closed(socket)
    expect(socket.destroyed).toBe(true)
  })
})

it('closes a connection whose other end cannot be reached', async () => {
  const nowhere = await TcpLink.to({ host: '127.0.0.1', port: 1 })
  const socket = connect({ host: '127.0.0.1', port: nowhere.port })
  socket.on('error', () => {})
  await once(socket, 'close')
  await nowhere[Symbol.asyncDispose]()
})
