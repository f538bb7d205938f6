import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BinnacleError, messageOf } from '@binnacle/core'
import type { Health } from './health.ts'

/** Where health and figures are served. */
export interface HealthOptions {
  /** 0 for any that is free; `healthUrl` of the running operator then tells it. */
  readonly port: number
  /** The address to listen at. @default in a cluster all of the pod's, since probes come from outside of it; elsewhere 127.0.0.1 */
  readonly host?: string
  /** Put in front of the paths: with `/operator` it is `/operator/healthz`. @default nothing */
  readonly path?: string
}

export interface HealthSource {
  /** The state now; probe handlers are asked first, for a bounded time. */
  health(): Promise<Health>
  /** The figures as text; undefined where nobody can read them. */
  metrics(): string | undefined
}

const JSON_TYPE = 'application/json; charset=utf-8'
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/**
 * Answers `/healthz` (also `/livez`), `/readyz`, `/startupz` and `/metrics`, and nothing else.
 * Guarantees: 200 or 503 with the whole state as JSON; what a source throws is a 500 and ends nothing; after disposal the port is free and no
 * connection is left.
 */
export class HealthServer implements AsyncDisposable {
  readonly url: string
  readonly #server: Server

  private constructor(server: Server, url: string) {
    this.#server = server
    this.url = url
  }

  static async start(options: HealthOptions, inCluster: boolean, source: HealthSource): Promise<HealthServer> {
    const prefix = prefixOf(options.path ?? '')
    const server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname
      const reading = request.method === 'GET' || request.method === 'HEAD'
      void answered(source, reading && path.startsWith(prefix) ? path.slice(prefix.length) : '', response)
    })
    // A probe is short: whoever holds a connection open without asking is not one.
    server.headersTimeout = 5000
    server.keepAliveTimeout = 5000
    const host = options.host ?? (inCluster ? undefined : '127.0.0.1')
    await listening(server, options.port, host)
    const { address, family, port } = server.address() as AddressInfo
    const shown = address === '::' || address === '0.0.0.0' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
    return new HealthServer(server, `http://${shown}:${port}${prefix}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#server.closeAllConnections()
    await closed
  }
}

function listening(server: Server, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(port, host, error)))
    // Without a host Node listens at all addresses of both families, where the machine has both.
    server.listen({ port, ...(host !== undefined && { host }) }, () => resolve())
  })
}

async function answered(source: HealthSource, path: string, response: ServerResponse): Promise<void> {
  const { status, type, body } = await answerTo(source, path).catch((error: unknown) => ({
    status: 500,
    type: JSON_TYPE,
    body: json({ error: messageOf(error) }),
  }))
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
  response.end(body)
}

async function answerTo(source: HealthSource, path: string): Promise<Answer> {
  switch (path) {
    case '/healthz':
    case '/livez':
      return state(await source.health(), 'live')
    case '/readyz':
      return state(await source.health(), 'ready')
    case '/startupz':
      return state(await source.health(), 'started')
    case '/metrics': {
      const body = source.metrics()
      return body === undefined ? notFound() : { status: 200, type: METRICS_TYPE, body }
    }
    default:
      return notFound()
  }
}

function state(health: Health, asked: 'live' | 'ready' | 'started'): Answer {
  return { status: health[asked] ? 200 : 503, type: JSON_TYPE, body: json({ [asked]: health[asked], ...health }) }
}

function notFound(): Answer {
  const paths = ['/healthz', '/readyz', '/startupz', '/metrics']
  return { status: 404, type: JSON_TYPE, body: json({ error: `There is ${paths.join(', ')}, and nothing else.` }) }
}

/** A person may read it. */
function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

function prefixOf(path: string): string {
  const prefix = path.replace(/\/+$/, '')
  if (prefix === '' || /^(\/[\w.~-]+)+$/.test(prefix)) return prefix
  throw new BinnacleError('BIN_HEALTH', {
    message: `${JSON.stringify(path)} cannot stand in front of the paths of the health endpoint`,
    hint: "It begins with a slash and is made of letters, digits, '.', '_', '~' and '-': path: '/operator'.",
  })
}

function cannotListen(port: number, host: string | undefined, error: Error): BinnacleError {
  const taken = (error as { code?: string }).code === 'EADDRINUSE'
  return new BinnacleError('BIN_HEALTH', {
    message: `Health cannot be served at ${host ?? '*'}:${port}: ${messageOf(error)}`,
    hint: taken
      ? 'Another process, or another operator of this one, listens there: give each a port of its own.'
      : 'Choose another port or host in the option `health`.',
    cause: error,
  })
}
