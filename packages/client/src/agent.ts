import { type Duration, KubeConfigError, seconds } from '@binnacle/core'
import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import { withoutUser } from './connection.ts'
import { socksConnector } from './socks.ts'
import type { TlsOptions } from './tls.ts'

/**
 * A pool of connections to one server, straight or by a proxy.
 * Guarantees: through a proxy all traffic goes by a tunnel, so that the proxy sees neither credentials nor content of https.
 */
export interface AgentOptions {
  readonly tls: TlsOptions
  readonly proxyUrl?: string | undefined
  /** How long a connection may take to be made, TLS included. */
  readonly connectTimeout: Duration
}

/** More than any server wants from one client; each watch holds one. */
const CONNECTIONS = 256
const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:'])

export function agentOf({ tls, proxyUrl, connectTimeout }: AgentOptions): Dispatcher {
  const timeout = seconds(connectTimeout) * 1000
  // Deadlines are the caller's, by the signal.
  const pool = { connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 }
  if (proxyUrl === undefined) return new Agent({ ...pool, connect: { ...tls, timeout } })
  const uri = checkedProxy(proxyUrl)
  if (uri.startsWith('socks5:')) return new Agent({ ...pool, connect: socksConnector({ proxyUrl: uri, timeout, tls }) })
  const proxyTls = { timeout, minVersion: tls.minVersion, rejectUnauthorized: true }
  return new ProxyAgent({ ...pool, uri, requestTls: { ...tls, timeout }, proxyTls })
}

function checkedProxy(proxyUrl: string): string {
  if (URL.canParse(proxyUrl) && SCHEMES.has(new URL(proxyUrl).protocol)) return new URL(proxyUrl).href
  throw new KubeConfigError({
    message: `The address of the proxy cannot be used: ${withoutUser(proxyUrl)}`,
    hint: 'Write it with its scheme: http://, https:// or socks5://, such as socks5://127.0.0.1:1080.',
  })
}
