import { BinnacleError, type Runtime, runtimeOf, seconds } from '@binnacle/core'
import { loadAgents } from './agent.ts'
import type { Client, ConnectOptions } from './client.ts'
import { ConnectedClient } from './client.ts'
import { type ConnectionInfo, withoutUser } from './connection.ts'
import type { Credentials } from './credentials.ts'
import { authorized, credentialsOf, hasSecrets, needsProgram } from './credentials.ts'
import { ServerDiscovery } from './discovery.ts'
import { Exchange } from './exchange.ts'
import { ExecCredentials } from './exec-credentials.ts'
import { type ExecPolicy, permittedProgram } from './exec-policy.ts'
import { impersonating, impersonationHeaders } from './impersonation.ts'
import { KubeConfig } from './kubeconfig.ts'
import { type Login, LoginTransport } from './login.ts'
import { tlsOf, tlsOptionsOf } from './tls.ts'
import type { Transport } from './transport.ts'
import { httpTransport } from './transport.ts'

/** The edge of the package: options, files and the system become a client that knows of none of them. */

export const VERSION = '0.1.0'
const ERROR_BACKOFFS = [0.2, 0.5, 1, 2, 4] as const

/** A way to a server, and the namespace that goes with it. */
interface Route {
  readonly transport: Transport
  /** May become another one with the next login. */
  readonly namespace: string
  readonly close: () => Promise<void>
}

/** What the parts of a client share. */
interface Surroundings {
  readonly runtime: Runtime
  /** Aborts when the client is closed. */
  readonly lifetime: AbortSignal
}

/**
 * A client for the cluster that kubectl would use, or for the one of the options.
 * Guarantees: credentials and certificates are read and checked; no program has run and the server is not asked for anything yet.
 */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  const runtime = runtimeOf(options)
  const lifetime = new AbortController()
  const route = await routeOf(options, { runtime, lifetime: lifetime.signal })
  const exchange = new Exchange(runtime, route.transport, {
    requestTimeout: seconds(options.requestTimeout ?? 60),
    waits: (options.errorBackoffs ?? ERROR_BACKOFFS).map(seconds),
    exactly: options.enforceRetryAfter ?? false,
    userAgent: options.userAgent ?? `binnacle/${VERSION}`,
    lifetime: [lifetime.signal],
    onRequest: options.onRequest ?? (() => {}),
  })
  return new ConnectedClient(() => ({
    exchange,
    discovery: new ServerDiscovery(exchange),
    defaults: {
      get namespace() {
        return options.namespace ?? route.namespace
      },
      fieldManager: options.fieldManager ?? 'binnacle',
      dryRun: false,
      managedFields: options.managedFields ?? 'drop',
    },
    close: async () => {
      lifetime.abort(closed())
      await route.close()
    },
  }))
}

async function routeOf(options: ConnectOptions, surroundings: Surroundings): Promise<Route> {
  const { kubeconfig, impersonate, login } = options
  if (login) return loginRoute(login, options, surroundings)
  const transport =
    options.transport && (impersonate ? impersonating(options.transport, impersonate) : options.transport)
  if (transport && kubeconfig === undefined) return { transport, namespace: 'default', close: async () => {} }
  const config = await configOf(options)
  if (transport) return { transport, namespace: config.namespace, close: async () => {} }
  const own = await transportOf(config, options, surroundings)
  return { transport: own, namespace: config.namespace, close: async () => own[Symbol.asyncDispose]() }
}

function loginRoute(login: Login, options: ConnectOptions, around: Surroundings): Route {
  const { runtime, lifetime } = around
  const transportTo = (info: ConnectionInfo) => transportOf(KubeConfig.fromConnection(info), options, around)
  const transport = new LoginTransport({ runtime, login, lifetime, transportOf: transportTo })
  return {
    transport,
    get namespace() {
      return transport.namespace
    },
    close: async () => transport[Symbol.asyncDispose](),
  }
}

async function configOf({ kubeconfig, context }: ConnectOptions): Promise<KubeConfig> {
  const choice = context === undefined ? {} : { context }
  if (kubeconfig === undefined) return KubeConfig.load(choice)
  if (typeof kubeconfig === 'string') return KubeConfig.fromFile(kubeconfig, choice)
  const config = kubeconfig instanceof KubeConfig ? kubeconfig : KubeConfig.fromConnection(kubeconfig)
  return context === undefined ? config : config.withContext(context)
}

async function transportOf(config: KubeConfig, options: ConnectOptions, around: Surroundings): Promise<Transport> {
  const connection = await config.connection()
  warn(connection, around.runtime)
  const credentials = credentialsFor(connection, options.execPlugins ?? config.execPlugins, options, around)
  const impersonate = options.impersonate ?? connection.impersonate
  const http = httpTransport(connection, {
    connectTimeout: options.connectTimeout ?? '10s',
    compression: options.compression ?? 'none',
    headers: impersonate ? impersonationHeaders(impersonate) : [],
    tls: await tlsOf(connection, credentials, around.runtime),
  })
  await loadAgents()
  return authorized(http, credentials)
}

function credentialsFor(
  connection: ConnectionInfo,
  policy: ExecPolicy,
  { loginTimeout = '60s' }: ConnectOptions,
  { runtime, lifetime }: Surroundings,
): Credentials {
  const { exec } = connection
  if (!exec || !needsProgram(connection)) return credentialsOf(connection, runtime)
  const { env } = process
  return new ExecCredentials(exec, runtime, {
    timeout: seconds(loginTimeout),
    lifetime,
    run: async (signal) => {
      const program = await permittedProgram(exec, policy, env)
      const cluster = exec.provideClusterInfo ? await clusterInfo(connection, signal) : {}
      // Few sign in by a program: processes are loaded for those only.
      const { runProgram } = await import('./exec-plugin.ts')
      return runProgram({ plugin: exec, program, cluster, terminal: process.stdin.isTTY === true, env, signal })
    },
  })
}

/** What a program that signs in is told about the cluster, in the words of the protocol. */
async function clusterInfo(connection: ConnectionInfo, signal: AbortSignal): Promise<object> {
  const { server, tlsServerName, insecure, proxyUrl } = connection
  const { ca } = await tlsOptionsOf(connection, signal)
  return {
    server,
    ...(tlsServerName !== undefined && { 'tls-server-name': tlsServerName }),
    ...(insecure && { 'insecure-skip-tls-verify': true }),
    ...(ca && { 'certificate-authority-data': ca.toString('base64') }),
    ...(proxyUrl !== undefined && { 'proxy-url': proxyUrl }),
  }
}

function warn(connection: ConnectionInfo, { logger }: Runtime): void {
  const { insecure } = connection
  const server = withoutUser(connection.server)
  if (insecure && server.startsWith('https:'))
    logger.warn('The certificate of the API server is not checked', { server })
  if (hasSecrets(connection) && /^http:\/\/(?!127\.|localhost[:/]|localhost$|\[::1\])/i.test(server)) {
    logger.warn('Credentials are sent unencrypted, since the address of the API server begins with http://', { server })
  }
}

function closed(): BinnacleError {
  return new BinnacleError('BIN_STATE', {
    message: 'The client is closed',
    hint: 'It was disposed of; connect anew, or dispose of it later.',
  })
}
