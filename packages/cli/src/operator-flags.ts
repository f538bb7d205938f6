import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { BinnacleError } from '@binnacle/core'
import type { ArgsDef } from 'citty'
import { usageError, values } from './command-line.ts'
import type { ServerChoice } from './parts.ts'
import type { RunOptionsLike } from './shapes.ts'
import type { Terminal } from './terminal.ts'

/** The flags that `run` and `dev` have in common, and what they mean for an operator. */
export const operatorFlags = {
  kubeconfig: { type: 'string', valueHint: 'file', description: 'The kubeconfig to use' },
  context: { type: 'string', valueHint: 'name', description: 'The context of the kubeconfig to use' },
  namespace: {
    type: 'string',
    alias: 'n',
    valueHint: 'name,...',
    description: 'Namespaces to work in; without it, all of them',
  },
  'log-level': { type: 'enum', options: ['debug', 'info', 'warn', 'error'], description: 'What to log' },
  'log-format': { type: 'enum', options: ['text', 'plain', 'json'], description: 'How to log' },
  'log-prefix': { type: 'boolean', description: 'Begin lines with [namespace/name]; --no-log-prefix for not' },
  'log-refkey': { type: 'string', valueHint: 'name', description: 'The field of JSON lines that holds the object' },
  health: { type: 'string', valueHint: '[host:]port', description: 'Where to serve /healthz, /readyz and /metrics' },
  verbose: { type: 'boolean', alias: 'v', description: 'Log everything, and show the stack of errors' },
  debug: {
    type: 'boolean',
    alias: 'd',
    description: 'As --verbose, and freeze objects that handlers must not write to',
  },
  quiet: { type: 'boolean', alias: 'q', description: 'Log warnings and errors only' },
} as const satisfies ArgsDef

/** What was given of these flags. citty types flags that are absent as if they were there. */
export interface OperatorFlags {
  readonly kubeconfig?: string | undefined
  readonly context?: string | undefined
  readonly namespace?: string | undefined
  readonly 'log-level'?: string | undefined
  readonly 'log-format'?: string | undefined
  readonly 'log-prefix'?: boolean | undefined
  readonly 'log-refkey'?: string | undefined
  readonly health?: string | undefined
  readonly verbose?: boolean | undefined
  readonly debug?: boolean | undefined
  readonly quiet?: boolean | undefined
}

/** The server that the flags name; undefined if they name none. */
export function namedServer({ kubeconfig, context }: OperatorFlags, cwd: string): ServerChoice | undefined {
  if (kubeconfig === undefined && context === undefined) return undefined
  return {
    ...(kubeconfig !== undefined && { kubeconfig: resolve(cwd, kubeconfig) }),
    ...(context !== undefined && { context }),
  }
}

/** What the flags say to an operator, apart from the server. */
export function runOptions(flags: OperatorFlags): RunOptionsLike {
  const { 'log-format': format, 'log-prefix': prefix, 'log-refkey': refkey } = flags
  const logger = defined({ level: levelOf(flags), format, prefix, refkey })
  const namespaces = values(flags.namespace)
    .flatMap((value) => value.split(','))
    .filter((name) => name !== '')
  return {
    ...(namespaces.length > 0 && { namespaces }),
    ...(Object.keys(logger).length > 0 && { logger }),
    ...(flags.health !== undefined && { health: addressOf(flags.health) }),
    ...(flags.debug && { dev: true }),
  }
}

function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** `8080`, `0.0.0.0:8080` or `[::]:8080`. */
function addressOf(text: string): { readonly port: number; readonly host?: string } {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]:|([^:]+):)?(\d+)$/.exec(text) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  if (digits !== undefined && port < 65_536) return { port, ...(host !== undefined && { host }) }
  throw usageError(
    `--health ${text} is neither a port nor an address`,
    'Write --health 8080, or --health 0.0.0.0:8080.',
  )
}

function levelOf({ verbose, debug, quiet, 'log-level': level }: OperatorFlags): string | undefined {
  const loud = verbose ? '--verbose' : debug ? '--debug' : undefined
  if (loud && quiet) throw usageError(`${loud} and --quiet contradict each other`, 'Give one of them.')
  return level ?? (loud ? 'debug' : quiet ? 'warn' : undefined)
}

/** The terminal as the flags want it. */
export function terminalFor(terminal: Terminal, { verbose, debug, quiet }: OperatorFlags): Terminal {
  return terminal.with({ verbose: verbose === true || debug === true, quiet: quiet === true })
}

const LOADABLE = /\.[cm]?[jt]sx?$/

/** The absolute paths of the files that were named; each is there and is a script. */
export function operatorFiles(files: readonly string[], cwd: string): readonly string[] {
  return files.map((file) => {
    const path = resolve(cwd, file)
    if (!existsSync(path)) throw unusable(`There is no file ${file}`, `Looked for ${path}.`)
    if (!statSync(path).isFile()) throw unusable(`${file} is a directory`, 'Name the file that declares the operator.')
    if (!LOADABLE.test(path)) throw unusable(`${file} is not a script`, 'Files end in .ts, .mts, .js or .mjs.')
    return path
  })
}

function unusable(message: string, hint: string): BinnacleError {
  return new BinnacleError('BIN_OPERATOR_FILE', { message, hint })
}
