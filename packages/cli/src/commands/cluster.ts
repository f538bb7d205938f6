import { aborted, BinnacleError } from '@binnacle/core'
import type { ArgsDef, ParsedArgs } from 'citty'
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
    description: 'The loopback address to listen on; without it, 127.0.0.1',
  },
  kubeconfig: {
    type: 'string',
    valueHint: 'file',
    description: 'Where to write the kubeconfig, and leave it; without it, a temporary file',
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

type Flags = { readonly [F in Exclude<keyof typeof flags, 'verbose'>]?: string | undefined }

export const cluster: Command<typeof flags> = {
  name: 'cluster',
  summary: 'Run an embedded Kubernetes API server',
  description:
    'Run a Kubernetes API server in this process, with nothing in it but what you give, until Ctrl-C or SIGTERM.\n' +
    'It keeps its objects in memory: they are gone when it stops.',
  args: flags,
  repeatable: ['crd', 'apply'],
  files: 'none',
  examples: [
    'binnacle cluster',
    'binnacle cluster --port 6443 --kubeconfig ./dev.kubeconfig --crd crds.yaml --apply sample.yaml',
  ],
  run: runCluster,
}

async function runCluster(args: ParsedArgs<typeof flags>, { io, parts, terminal }: Desk): Promise<void> {
  const given: Flags = args
  const options = clusterOptions(given)
  const manifests = [...readCRDs(values(given.crd), io.cwd), ...readManifests(values(given.apply), io.cwd)]
  using stop = new StopRequest(io)
  using file = new KubeconfigFile(io, given.kubeconfig)
  const started = await start(parts, options)
  try {
    if (manifests.length > 0) await populate(started, manifests, parts, io)
    file.write(started.kubeconfig())
    terminal.result(`Kubernetes API server at ${started.url}`)
    terminal.result(exportLine(file.path))
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

function clusterOptions(args: Flags): ClusterOptions {
  return {
    ...(args.port !== undefined && { port: portOf(args.port) }),
    ...(args.host !== undefined && { host: hostOf(args.host) }),
    ...(args['kubernetes-version'] !== undefined && { version: versionOf(args['kubernetes-version']) }),
  }
}

/** Anyone who can reach it can do anything with it, so that nobody else may reach it. */
function hostOf(host: string): string {
  if (['127.0.0.1', '::1', 'localhost'].includes(host)) return host
  throw usageError(
    `--host is 127.0.0.1, ::1 or localhost, and got "${host}"`,
    'The embedded cluster asks nobody who he is, and therefore listens to this machine only.',
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
