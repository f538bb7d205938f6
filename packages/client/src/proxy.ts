import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { KubeConfigError } from '@binnacle/core'
import type { buildConnector } from 'undici'
import connectorOf from 'undici/lib/core/connect.js'
import { withoutUser } from './connection.ts'
import { refused } from './proxy-error.ts'
import { socksTunnel } from './socks.ts'

/**
 * Connections by a proxy: a tunnel through it, and TLS through the tunnel.
 * Guarantees: the proxy sees neither credentials nor content of https; a proxy that refuses, hangs up or is silent fails the request once, within the time
 * for connecting. (The proxy agent of undici 7.30 asks a proxy that hangs up again without end or pause, and so is not used.)
 */
export interface ProxyOptions {
  readonly proxyUrl: string
  /** Milliseconds. */
  readonly timeout: number
  /** What stands behind the proxy. */
  readonly tls: buildConnector.BuildOptions
}

/** Where a tunnel leads. */
export interface Target {
  readonly host: string
  readonly port: number
}

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:'])

export function proxyConnector({ proxyUrl, timeout, tls }: ProxyOptions): buildConnector.connector {
  const proxy = proxyOf(proxyUrl)
  const tunnel = proxy.protocol === 'socks5:' ? socksTunnel : httpTunnel
  const finish = connectorOf({ ...tls, timeout })
  return (options, callback) => {
    const isTls = options.protocol === 'https:'
    const target = { host: options.hostname.replace(/^\[|\]$/g, ''), port: Number(options.port) || (isTls ? 443 : 80) }
    tunnel(proxy, target, timeout).then(
      (httpSocket) => (isTls ? finish({ ...options, httpSocket }, callback) : callback(null, httpSocket)),
      (error: Error) => callback(error, null),
    )
  }
}

function httpTunnel(proxy: URL, { host, port }: Target, timeout: number): Promise<Socket> {
  const path = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const login = Buffer.from(`${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`).toString(
    'base64',
  )
  return new Promise((resolve, reject) => {
    const request = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
      method: 'CONNECT',
      hostname: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      path,
      headers: { host: path, ...(proxy.username && { 'proxy-authorization': `Basic ${login}` }) },
      agent: false,
      timeout,
      ...(proxy.protocol === 'https:' && { minVersion: 'TLSv1.2', rejectUnauthorized: true }),
    })
    request.on('timeout', () => request.destroy(refused('it is silent')))
    request.on('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ECONNRESET' ? refused('it hung up', error) : error),
    )
    request.on('response', (response) => request.destroy(refused(`it answered ${response.statusCode}`)))
    request.on('connect', (response, socket: Socket, head) => {
      socket.setTimeout(0)
      if (response.statusCode !== 200) {
        socket.destroy()
        reject(refused(`it answered ${response.statusCode}`))
      } else {
        if (head.length > 0) socket.unshift(head)
        resolve(socket)
      }
    })
    request.end()
  })
}

function proxyOf(proxyUrl: string): URL {
  if (URL.canParse(proxyUrl) && SCHEMES.has(new URL(proxyUrl).protocol)) return new URL(proxyUrl)
  throw new KubeConfigError({
    message: `The address of the proxy cannot be used: ${withoutUser(proxyUrl)}`,
    hint: 'Write it with its scheme: http://, https:// or socks5://, such as socks5://127.0.0.1:1080.',
  })
}
