import { type Duration, seconds } from '@binnacle/core'
import { Agent, type Dispatcher } from 'undici'
import { proxyConnector } from './proxy.ts'
import type { TlsOptions } from './tls.ts'

/** A pool of connections to one server, straight or by a proxy. */
export interface AgentOptions {
  readonly tls: TlsOptions
  readonly proxyUrl?: string | undefined
  /** How long a connection may take to be made, TLS included. */
  readonly connectTimeout: Duration
}

/** More than any server wants from one client; each watch holds one. */
const CONNECTIONS = 256

export function agentOf({ tls, proxyUrl, connectTimeout }: AgentOptions): Dispatcher {
  const timeout = seconds(connectTimeout) * 1000
  const connect = proxyUrl === undefined ? { ...tls, timeout } : proxyConnector({ proxyUrl, timeout, tls })
  // Deadlines are the caller's, by the signal.
  return new Agent({ connect, connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 })
}
