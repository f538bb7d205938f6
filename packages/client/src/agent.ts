import { type Duration, seconds } from '@binnacle/core'
import type { Dispatcher } from 'undici'
import type { ProxyOptions } from './proxy.ts'
import type { TlsOptions } from './tls.ts'

/**
 * A pool of connections to one server, straight or by a proxy. What makes connections is loaded when somebody connects: half of the time and memory of an import
 * is spared to whoever never does, such as a test on the embedded cluster.
 */
export interface AgentOptions {
  readonly tls: TlsOptions
  readonly proxyUrl?: string | undefined
  /** How long a connection may take to be made, TLS included. */
  readonly connectTimeout: Duration
}

/** More than any server wants from one client; each watch holds one. */
const CONNECTIONS = 256

/** Loads it beforehand, since to load it with the first request would block the event loop of a program that is at work already. */
export async function loadAgents(): Promise<void> {
  await import('undici')
}

export async function agentOf({ tls, proxyUrl, connectTimeout }: AgentOptions): Promise<Dispatcher> {
  const { Agent } = await import('undici')
  const timeout = seconds(connectTimeout) * 1000
  const connect = proxyUrl === undefined ? { ...tls, timeout } : await connectorOf({ proxyUrl, timeout, tls })
  // Deadlines are the caller's, by the signal.
  return new Agent({ connect, connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 })
}

async function connectorOf(options: ProxyOptions) {
  const { proxyConnector } = await import('./proxy.ts')
  return proxyConnector(options)
}
