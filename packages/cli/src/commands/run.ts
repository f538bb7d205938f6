import { aborted } from '@binnacle/core'
import type { ParsedArgs } from 'citty'
import { bundle } from '../bundle.ts'
import type { Command, Desk } from '../command.ts'
import { StopRequest } from '../exit.ts'
import { type Launch, OperatorRun } from '../load-operator.ts'
import { namedServer, operatorFiles, operatorFlags, runOptions, terminalFor } from '../operator-flags.ts'
import { TempDirectory } from '../temp-directory.ts'

export const run: Command<typeof operatorFlags> = {
  name: 'run',
  summary: 'Run an operator until it is told to stop',
  description:
    'Run the operators that the files export, or run themselves, until Ctrl-C or SIGTERM.\n' +
    'Without --kubeconfig the cluster is the one that kubectl would use. A second Ctrl-C exits at once.',
  args: operatorFlags,
  repeatable: ['namespace'],
  files: 'several',
  examples: ['binnacle run operator.ts', 'binnacle run operator.ts --context staging -n shop,web --log-format json'],
  run: runOperators,
}

async function runOperators(args: ParsedArgs<typeof operatorFlags>, desk: Desk): Promise<void> {
  const { io, parts } = desk
  const terminal = terminalFor(desk.terminal, args)
  const options = runOptions(args)
  const files = operatorFiles(args._, io.cwd)
  const server = namedServer(args, io.cwd)
  if (server) await parts.checkKubeconfig(server)

  using stop = new StopRequest(io, () => terminal.notice('Stopping; a second Ctrl-C exits at once.'))
  using place = new TempDirectory(io)
  const hostKey = `binnacle:${place.path}`
  const made = await bundle({ files, cwd: io.cwd, directory: place.path, hostKey })
  const launch: Launch = { io, hostKey, files: args._, options: { ...options, ...server }, prepare: async () => {} }
  await using running = new OperatorRun(made, launch)
  await Promise.race([running.ended, aborted(stop.signal)])
}
