import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach } from 'vitest'

/** Servers on loopback, and everything else that a test must end. */

/** What such a server has: objects of no known type, at cluster scope. */
export const Thing = {
  group: '',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  singular: 'thing',
  scope: 'Cluster',
  shortNames: [],
  categories: [],
  apiVersion: 'v1',
} as const

const cleanup: (() => unknown)[] = []
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step()
})

/** Runs when the test is over. */
export function afterwards(step: () => unknown): void {
  cleanup.push(step)
}

export interface LocalServer {
  readonly url: string
  readonly sockets: ReadonlySet<Socket>
  /** Connections that were ever made. */
  readonly opened: () => number
  readonly server: Server
}

export async function serve(listener: RequestListener, tls?: ServerOptions): Promise<LocalServer> {
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  const sockets = new Set<Socket>()
  let opened = 0
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    opened++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterwards(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, sockets, opened: () => opened, server }
}

/** What a request said, as JSON. */
export function echo(request: IncomingMessage): string {
  const { method, url, headers, rawHeaders } = request
  return JSON.stringify({ method, url, headers, rawHeaders })
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2))
}
