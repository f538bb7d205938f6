import { once } from 'node:events'
import { connect, isIPv4, type Socket } from 'node:net'
import type { Target } from './proxy.ts'
import { refused } from './proxy-error.ts'

/**
 * A tunnel through a SOCKS 5 proxy (RFC 1928, RFC 1929).
 * Guarantees: names are looked up by the proxy; a proxy that is silent fails within the timeout, which is in milliseconds.
 */

const VERSION = 5
const NO_LOGIN = 0
const PASSWORD = 2
const IPV4 = 1
const NAME = 3
const REFUSALS = [
  'ok',
  'it failed',
  'its rules forbid it',
  'the network cannot be reached',
  'the host cannot be reached',
  'the connection was refused',
]

export async function socksTunnel(proxy: URL, target: Target, timeout: number): Promise<Socket> {
  const socket = connect(Number(proxy.port) || 1080, proxy.hostname.replace(/^\[|\]$/g, ''))
  socket.setTimeout(timeout, () => socket.destroy(refused('it is silent')))
  try {
    await once(socket, 'connect')
    await greet(socket, proxy)
    await ask(socket, target)
    socket.setTimeout(0)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

async function greet(socket: Socket, { username, password }: URL): Promise<void> {
  socket.write(Buffer.from(username === '' ? [VERSION, 1, NO_LOGIN] : [VERSION, 2, NO_LOGIN, PASSWORD]))
  const [version, method] = await bytes(socket, 2)
  if (version !== VERSION) throw refused('it does not speak SOCKS 5')
  if (method === NO_LOGIN) return
  if (method !== PASSWORD || username === '') throw refused('it wants another way to sign in')
  const [user, secret] = [username, password].map((part) => Buffer.from(decodeURIComponent(part)))
  if (user === undefined || secret === undefined || user.length > 255 || secret.length > 255)
    throw refused('name or password are too long')
  socket.write(Buffer.from([1, user.length, ...user, secret.length, ...secret]))
  const [, outcome] = await bytes(socket, 2)
  if (outcome !== 0) throw refused('it does not accept name and password')
}

async function ask(socket: Socket, { host, port }: Target): Promise<void> {
  const name = Buffer.from(host)
  const address = isIPv4(host) ? [IPV4, ...host.split('.').map(Number)] : [NAME, name.length, ...name]
  socket.write(Buffer.from([VERSION, 1, 0, ...address, port >> 8, port & 0xff]))
  const [, outcome = 1, , kind] = await bytes(socket, 4)
  if (outcome !== 0) throw refused(REFUSALS[outcome] ?? `it answered ${outcome}`)
  const length = kind === IPV4 ? 4 : kind === NAME ? ((await bytes(socket, 1))[0] ?? 0) : 16
  await bytes(socket, length + 2)
}

/** Exactly so many bytes; what comes behind them stays in the socket. */
async function bytes(socket: Socket, count: number): Promise<Uint8Array> {
  while (true) {
    const chunk: Buffer | null = socket.read(count)
    if (chunk !== null && chunk.length === count) return chunk
    if (socket.destroyed || socket.readableEnded) throw refused('it hung up')
    await Promise.race([
      once(socket, 'readable'),
      once(socket, 'end').then(() => Promise.reject(refused('it hung up'))),
    ])
  }
}
