import { aborted, BinnacleError } from '@binnacle/core'
import type { ArgsDef, ParsedArgs } from 'citty'
import type { Command, Desk } from '../command.ts'
import { usageError, values } from '../command-line.ts'
import { StopRequest } from '../exit.ts'
import { exportLine, KubeconfigFile } from '../kubeconfig-file.ts'
import { isCRD, readCRDs, readManifests } from '../manifests.ts'
import type { ClusterOptions } from '../parts.ts'

const flags = {
  port: { type: 'string', valueHint: 'number', description: 'The port to listen on; without it, a free one' },
  host: { type: 'string', valueHint: 'address', description: 'The address to listen on; without it, 127.0.0.1' },
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
  const options = clusterOptions(args, io.cwd)
  using stop = new StopRequest(io)
  using file = new KubeconfigFile(io, (args as Flags).kubeconfig)
  const started = await parts.startCluster(options).catch((error: unknown) => {
    throw notListening(error, options)
  })
  try {
    file.write(started.kubeconfig())
    terminal.result(`Kubernetes API server at ${started.url}`)
    terminal.result(exportLine(file.path))
    await aborted(stop.signal)
  } finally {
    await started.stop()
  }
}

function clusterOptions(args: Flags, cwd: string): ClusterOptions {
  const crds = readCRDs(values(args.crd), cwd)
  const objects = readManifests(values(args.apply), cwd)
  return {
    crds: [...crds, ...objects.filter(isCRD)],
    objects: objects.filter((object) => !isCRD(object)),
    ...(args.port !== undefined && { port: portOf(args.port) }),
    ...(args.host !== undefined && { host: args.host }),
    ...(args['kubernetes-version'] !== undefined && { version: versionOf(args['kubernetes-version']) }),
  }
}

/** The usual reasons why a server cannot listen, in words; anything else is passed on. */
function notListening(error: unknown, { port, host }: ClusterOptions): unknown {
  const { code } = error as NodeJS.ErrnoException
  const [message, hint] =
    code === 'EADDRINUSE'
      ? [
          `Port ${port} is taken by another program`,
          'Give another one with --port, or leave it out to take a free one.',
        ]
      : code === 'EACCES'
        ? [`Port ${port} may not be used by this user`, 'Take one from 1024 upwards.']
        : code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND'
          ? [`${host} is not an address of this machine`, 'Leave --host out to listen on 127.0.0.1.']
          : []
  return message === undefined ? error : new BinnacleError('BIN_NETWORK', { message, hint, cause: error })
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
