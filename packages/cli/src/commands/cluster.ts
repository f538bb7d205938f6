import { resolve } from 'node:path'
import { aborted, BinnacleError } from '@binnacle/core'
import type { ArgsDef, ParsedArgs } from 'citty'
import { ClusterUsers } from '../cluster-users.ts'
import type { Command, Desk } from '../command.ts'
import { usageError, values } from '../command-line.ts'
import { StopRequest } from '../exit.ts'
import { install, withNamespaces } from '../install.ts'
import type { Io } from '../io.ts'
import { exportLine, KubeconfigFile } from '../kubeconfig-file.ts'
import { type Manifest, readCRDs, readManifests } from '../manifests.ts'
import type { ClusterOptions, EmbeddedCluster, Parts } from '../parts.ts'

const flags = {
  port: { type: 'string', valueHint: 'number', description: 'The port to listen on; without it, a free one' },
  host: {
    type: 'string',
    valueHint: 'address',
    description: 'The address to listen on; without it, 127.0.0.1; others than loopback need --tls',
  },
  kubeconfig: {
    type: 'string',
    valueHint: 'file',
    description: 'Where to write the kubeconfig, and leave it; without it, a temporary file',
  },
  tls: { type: 'boolean', description: 'Speak HTTPS, and let in only who has credentials' },
  rbac: { type: 'boolean', description: 'Enforce Roles and ClusterRoles; implies --tls' },
  user: {
    type: 'string',
    valueHint: 'name=file',
    description: 'A user who may sign in, and where to write the kubeconfig; implies --tls',
  },
  controllers: {
    type: 'boolean',
    description: 'Make workloads look alive: Deployments, Jobs and others get pods, which run in name only',
  },
  data: {
    type: 'string',
    valueHint: 'file',
    description: 'Where to keep objects from one run to the next; without it, in memory only',
  },
  crd: { type: 'string', valueHint: 'file', description: 'CustomResourceDefinitions to start with, as YAML' },
  apply: { type: 'string', valueHint: 'file', description: 'Objects to start with, as YAML' },
  'kubernetes-version': {
    type: 'string',
    valueHint: '1.N',
    description: 'The Kubernetes version to be like; without it, the newest known',
  },
  verbose: { type: 'boolean', alias: 'v', description: 'Show the stack of errors' },
} as const satisfies ArgsDef

type Switch = 'verbose' | 'tls' | 'rbac' | 'controllers'
type Flags = { readonly [F in Exclude<keyof typeof flags, Switch>]?: string | undefined } & {
  readonly [F in Switch]?: boolean | undefined
}

export const cluster: Command<typeof flags> = {
  name: 'cluster',
  summary: 'Run an embedded Kubernetes API server',
  description:
    'Run a Kubernetes API server in this process, with nothing in it but what you give, until Ctrl-C or SIGTERM.\n' +
    'It asks nobody who he is and listens to this machine only, unless --tls, --rbac or --user say otherwise.',
  args: flags,
  repeatable: ['crd', 'apply', 'user'],
  files: 'none',
  examples: [
    'binnacle cluster',
    'binnacle cluster --port 6443 --kubeconfig ./dev.kubeconfig --crd crds.yaml --apply sample.yaml',
    'binnacle cluster --rbac --user jane=jane.kubeconfig --kubeconfig ./admin.kubeconfig',
    'binnacle cluster --port 6443 --kubeconfig ./dev.kubeconfig --data ./dev.data',
  ],
  run: runCluster,
}

async function runCluster(args: ParsedArgs<typeof flags>, { io, parts, terminal }: Desk): Promise<void> {
  const given: Flags = args
  const users = new ClusterUsers(io, values(given.user), given.kubeconfig)
  const options = clusterOptions(given, users, io)
  const crds = readCRDs(values(given.crd), io.cwd)
  const manifests = [...crds, ...readManifests(values(given.apply), io.cwd), ...users.accounts]
  using stop = new StopRequest(io)
  using file = new KubeconfigFile(io, given.kubeconfig)
  const started = await start(parts, { ...options, warn: (message) => terminal.warning(message) })
  try {
    if (manifests.length > 0) await populate(started, manifests, parts, io)
    file.write(started.kubeconfig())
    users.write(started)
    terminal.result(`Kubernetes API server at ${started.url}`)
    terminal.result(exportLine(file.path))
    for (const { name, path } of users.files) terminal.result(`${exportLine(path)}  # ${name}`)
    await aborted(stop.signal)
  } finally {
    await started.stop()
  }
}

async function populate(cluster: EmbeddedCluster, manifests: readonly Manifest[], parts: Parts, io: Io): Promise<void> {
  await using server = await parts.connect(cluster.connection)
  await install(server, withNamespaces(manifests), io.clock)
}

/** The usual reasons why a server cannot listen, in words. */
async function start(parts: Parts, options: ClusterOptions): Promise<EmbeddedCluster> {
  try {
    return await parts.startCluster(options)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw cause
    throw new BinnacleError('BIN_NETWORK', {
      message: `Port ${options.port} ${code === 'EACCES' ? 'may not be used by this user' : 'is taken by another program'}`,
      hint: 'Give another one with --port, or leave it out to take a free one.',
      cause,
    })
  }
}

function clusterOptions(args: Flags, users: ClusterUsers, io: Io): ClusterOptions {
  const secure = Boolean(args.tls || args.rbac || users.files.length > 0)
  return {
    ...(args.port !== undefined && { port: portOf(args.port) }),
    ...(args.host !== undefined && { host: hostOf(args.host, secure) }),
    ...(args['kubernetes-version'] !== undefined && { version: versionOf(args['kubernetes-version']) }),
    ...(secure && { tls: true }),
    ...(args.rbac && { rbac: true }),
    ...(users.people.length > 0 && { users: users.people }),
    ...(args.controllers && { controllers: true }),
    ...(args.data !== undefined && { data: resolve(io.cwd, args.data) }),
  }
}

/** Who is not asked who he is can do anything, so that nobody else may reach it. */
function hostOf(host: string, secure: boolean): string {
  if (secure || ['127.0.0.1', '::1', 'localhost'].includes(host)) return host
  throw usageError(
    `--host ${host} lets others reach the cluster, and it asks nobody who he is`,
    'Add --tls, with --rbac if they may not do everything; or use 127.0.0.1, ::1 or localhost.',
  )
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  throw usageError(`--port is a number from 0 to 65535, and got "${text}"`, '0 takes a free port, as does no --port.')
}

function versionOf(text: string): `1.${number}` {
  const minor = /^v?1\.(\d{1,2})$/.exec(text)?.[1]
  if (minor !== undefined) return `1.${Number(minor)}`
  throw usageError(`--kubernetes-version is like 1.35, and got "${text}"`, 'Give major and minor only.')
}
