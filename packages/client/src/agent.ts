import { type Duration, seconds } from '@binnacle/core'
import type { Agent, Dispatcher } from 'undici'
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

/** More than any server wants from one client; each watch holds one, and none may wait for another. */
const FOR_STREAMS = 256

/**
 * An operator that wakes up to a hundred objects asks for all of them at once. To make a connection costs both sides more than several requests, and a server
 * that is asked by more at once answers none of them sooner: what is beyond waits for a connection that becomes free.
 */
const FOR_REQUESTS = 32

/** Milliseconds that an idle connection is kept: longer than the pauses of an operator at work, shorter than servers and what stands before them wait. */
const KEPT_IDLE = 20_000

/** Short requests and streams go by connections of their own, so that neither waits for the other. */
export interface Agents {
  readonly requests: Requester
  readonly streams: Requester
}
/** The part of an agent that is used. */
export interface Requester {
  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>
  close(): Promise<void>
  destroy(error: Error): Promise<void>
}

/**
 * Loads it beforehand, since to load it with the first request would block the event loop of a program that is at work already.
 * Only the parts that are needed: all of undici, with its fetch, cookies, caches and mocks, takes four times as long to load and as much memory.
 * The methods of an agent that make requests are added by the whole of it, so that the one that is used is called by itself.
 */
export async function loadAgents(): Promise<(options: Agent.Options) => Requester> {
  const [{ default: Agent }, { default: request }] = await Promise.all([
    import('undici/lib/dispatcher/agent.js'),
    import('undici/lib/api/api-request.js'),
  ])
  return (options) => {
    const agent = new Agent(options)
    return {
      request: (asked) => request.call(agent, asked),
      close: () => agent.close(),
      destroy: (error) => agent.destroy(error),
    }
  }
}

export async function agentsOf({ tls, proxyUrl, connectTimeout }: AgentOptions): Promise<Agents> {
  const agentWith = await loadAgents()
  const timeout = seconds(connectTimeout) * 1000
  const connect = proxyUrl === undefined ? { ...tls, timeout } : await connectorOf({ proxyUrl, timeout, tls })
  // Deadlines are the caller's, by the signal.
  const common = { connect, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: KEPT_IDLE }
  return {
    requests: agentWith({ ...common, connections: FOR_REQUESTS }),
    streams: agentWith({ ...common, connections: FOR_STREAMS }),
  }
}

async function connectorOf(options: ProxyOptions) {
  const { proxyConnector } = await import('./proxy.ts')
  return proxyConnector(options)
}
