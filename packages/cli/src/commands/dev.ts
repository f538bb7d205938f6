import { resolve } from 'node:path'
import { aborted } from '@binnacle/core'
import type { ArgsDef, ParsedArgs } from 'citty'
import type { Command, Desk } from '../command.ts'
import { values } from '../command-line.ts'
import { DevWorld } from '../dev-world.ts'
import { StopRequest } from '../exit.ts'
import { readCRDs, readManifests } from '../manifests.ts'
import { namedServer, operatorFiles, operatorFlags, runOptions, terminalFor } from '../operator-flags.ts'
import { Reloader } from '../reloader.ts'
import { TempDirectory } from '../temp-directory.ts'

const flags = {
  crd: { type: 'string', valueHint: 'file', description: 'CustomResourceDefinitions to install first, as YAML' },
  apply: { type: 'string', valueHint: 'file', description: 'Objects to create before the operator starts, as YAML' },
  ...operatorFlags,
} as const satisfies ArgsDef

type Flags = { readonly crd?: string | undefined; readonly apply?: string | undefined }

export const dev: Command<typeof flags> = {
  name: 'dev',
  summary: 'Run an operator on an embedded cluster, and reload it on change',
  description:
    'Run an operator on an embedded cluster, and start it anew whenever one of its files changes; the objects stay.\n' +
    'Resources that the file declares are installed. With --kubeconfig or --context it runs on that cluster instead,\n' +
    'where nothing is installed but what --crd and --apply name.',
  args: flags,
  repeatable: ['crd', 'apply', 'namespace'],
  files: 'one',
  examples: ['binnacle dev operator.ts', 'binnacle dev operator.ts --crd crds.yaml --apply sample.yaml'],
  run: develop,
}

async function develop(args: ParsedArgs<typeof flags>, desk: Desk): Promise<void> {
  const { io, parts } = desk
  const terminal = terminalFor(desk.terminal, args)
  const given: Flags = args
  const [file = ''] = operatorFiles(args._, io.cwd)
  const [crds, objects] = [values(given.crd), values(given.apply)]
  const manifests = () => [...readCRDs(crds, io.cwd), ...readManifests(objects, io.cwd)]
  manifests()
  const options = humane(runOptions(args), terminal.coloured)

  using stop = new StopRequest(io, () => terminal.notice('Stopping; a second Ctrl-C exits at once.'))
  await using world = await DevWorld.open({ io, parts, server: namedServer(args, io.cwd), manifests })
  if (world.exportLine !== undefined) terminal.result(world.exportLine)
  using place = new TempDirectory(io)
  await using _reloader = await Reloader.start({
    io,
    terminal,
    file,
    name: args._[0] ?? file,
    alsoWatched: [...crds, ...objects].map((path) => resolve(io.cwd, path)),
    directory: place.path,
    options: { dev: true, ...options, ...world.choice },
    prepare: (resources) => world.install(resources),
  })
  await aborted(stop.signal)
}

/** A person reads along: lines of text, and colours only where they show. */
function humane<O extends { readonly logger?: object }>(options: O, coloured: boolean): O {
  return { ...options, logger: { format: coloured ? 'text' : 'plain', ...options.logger } }
}
