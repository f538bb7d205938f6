import { readFileSync } from 'node:fs'
import { runCommand } from 'citty'
import { type AnyCommand, type Desk, definitionOf } from './command.ts'
import { canonical, mentions, usageError } from './command-line.ts'
import { cluster } from './commands/cluster.ts'
import { dev } from './commands/dev.ts'
import { run } from './commands/run.ts'
import { EXIT, exitCodeOf } from './exit.ts'
import { helpOf, helpOfAll } from './help.ts'
import type { Io } from './io.ts'
import { type Parts, realParts } from './parts.ts'
import { nearest } from './suggestion.ts'
import { Terminal } from './terminal.ts'

const COMMANDS: readonly AnyCommand[] = [dev, run, cluster]

/**
 * The command line: takes the words after `binnacle`, does what they say, resolves to the exit code.
 * Guarantees: never rejects; whatever goes wrong is one message on stderr, and what was begun is cleaned up when it resolves.
 */
export async function main(argv: readonly string[], io: Io, parts: Parts = realParts): Promise<number> {
  const terminal = new Terminal(io, { verbose: mentions(argv, '-v', '--verbose') })
  try {
    return await dispatch(argv, { io, parts, terminal })
  } catch (error) {
    terminal.problem(error)
    return exitCodeOf(error)
  }
}

async function dispatch(argv: readonly string[], desk: Desk): Promise<number> {
  const [word, ...words] = argv
  if (word === undefined) {
    desk.io.stderr.write(`${helpOfAll(COMMANDS)}\n`)
    return EXIT.usage
  }
  if (word === '--version' || word === '-V') return answer(desk, version())
  if (word === '--help' || word === '-h' || (word === 'help' && words[0] === undefined)) {
    return answer(desk, helpOfAll(COMMANDS))
  }
  if (word === 'help') return answer(desk, helpOf(commandOf(words[0] ?? '')))
  const command = commandOf(word)
  if (mentions(words, '--help', '-h')) return answer(desk, helpOf(command))
  await runCommand(definitionOf(command), { rawArgs: canonical(command, words), data: desk })
  return EXIT.ok
}

function answer({ terminal }: Desk, text: string): number {
  terminal.result(text)
  return EXIT.ok
}

function commandOf(word: string): AnyCommand {
  const command = COMMANDS.find(({ name }) => name === word)
  if (command) return command
  const flag = word.startsWith('-')
  const candidates = flag ? ['--help', '--version'] : COMMANDS.map(({ name }) => name)
  const meant = /\.[cm]?[jt]sx?$/.test(word) ? `run ${word}` : nearest(word, candidates)
  throw usageError(
    flag ? `binnacle does not know the flag ${word}` : `binnacle does not know the command "${word}"`,
    `${meant ? `Did you mean ${flag ? meant : `\`binnacle ${meant}\``}? ` : ''}\`binnacle --help\` shows all commands.`,
  )
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return String(manifest.version)
}
