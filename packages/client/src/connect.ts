import { BinnacleError, type Runtime, runtimeOf, seconds } from '@binnacle/core'
import type { Client, ConnectOptions } from './client.ts'
import { ConnectedClient } from './client.ts'
import type { ConnectionInfo } from './connection.ts'
import { authorized, credentialsOf, tlsOptionsOf } from './credentials.ts'
import { ServerDiscovery } from './discovery.ts'
import { Exchange } from './exchange.ts'
import { KubeConfig } from './kubeconfig.ts'
import type { Transport } from './transport.ts'
import { httpTransport } from './transport.ts'

/** The edge of the package: options, files and the system become a client that knows of none of them. */

export const VERSION = '0.1.0'
const ERROR_BACKOFFS = [0.2, 0.5, 1, 2, 4] as const

/** A way to a server, and the namespace that goes with it. */
interface Route {
  readonly transport: Transport
  readonly namespace: string
  readonly close: () => Promise<void>
}

/**
 * A client for the cluster that kubectl would use, or for the one of the options.
 * Guarantees: credentials and certificates are read and checked; the server is not asked for anything yet.
 */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  const runtime = runtimeOf(options)
  const lifetime = new AbortController()
  const { transport, namespace, close } = await routeOf(options, runtime)
  const exchange = new Exchange(runtime, transport, {
    requestTimeout: seconds(options.requestTimeout ?? 60),
    waits: (options.errorBackoffs ?? ERROR_BACKOFFS).map(seconds),
    userAgent: options.userAgent ?? `binnacle/${VERSION}`,
    lifetime: [lifetime.signal],
    onRequest: options.onRequest ?? (() => {}),
  })
  return new ConnectedClient({
    exchange,
    discovery: new ServerDiscovery(exchange),
    defaults: {
      namespace: options.namespace ?? namespace,
      fieldManager: options.fieldManager ?? 'binnacle',
      dryRun: false,
      managedFields: options.managedFields ?? 'drop',
    },
    close: async () => {
      lifetime.abort(closed())
      await close()
    },
  })
}

async function routeOf(options: ConnectOptions, runtime: Runtime): Promise<Route> {
  const { transport, kubeconfig } = options
  if (transport && kubeconfig === undefined) return { transport, namespace: 'default', close: async () => {} }
  const config = await configOf(options)
  if (transport) return { transport, namespace: config.namespace, close: async () => {} }
  const own = await transportOf(await config.connection(), options, runtime)
  return { transport: own, namespace: config.namespace, close: async () => own[Symbol.asyncDispose]() }
}

async function configOf({ kubeconfig, context }: ConnectOptions): Promise<KubeConfig> {
  const choice = context === undefined ? {} : { context }
  if (kubeconfig === undefined) return KubeConfig.load(choice)
  if (typeof kubeconfig === 'string') return KubeConfig.fromFile(kubeconfig, choice)
  const config = kubeconfig instanceof KubeConfig ? kubeconfig : KubeConfig.fromConnection(kubeconfig)
  return context === undefined ? config : config.withContext(context)
}

async function transportOf(connection: ConnectionInfo, options: ConnectOptions, runtime: Runtime): Promise<Transport> {
  const { connectTimeout = '10s' } = options
  const http = httpTransport(connection, { connectTimeout, tls: await tlsOptionsOf(connection) })
  if (connection.insecure && connection.server.startsWith('https:')) {
    runtime.logger.warn('The certificate of the API server is not checked', { server: connection.server })
  }
  return authorized(http, credentialsOf(connection, runtime))
}

function closed(): BinnacleError {
  return new BinnacleError('BIN_STATE', {
    message: 'The client is closed',
    hint: 'It was disposed of; connect anew, or dispose of it later.',
  })
}
