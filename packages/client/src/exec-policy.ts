import { access, constants } from 'node:fs/promises'
import { basename, delimiter, isAbsolute, join } from 'node:path'
import { LoginError } from '@binnacle/core'
import type { ExecPlugin } from './connection.ts'

/**
 * Which programs may print our credentials, and where they are.
 * Guarantees: a program is run by its absolute path; a name is found on the PATH of this process, never on one that the kubeconfig
 * sets, nor in the working directory; with a list, nothing runs that is not on it, nor is anything loaded into what is on it.
 * Does not guarantee: anything about what an allowed program does with the arguments that the kubeconfig gives it.
 */

/** `'allow'` all, `'deny'` all, or those listed: names as found on PATH, or absolute paths. */
export type ExecPolicy = 'allow' | 'deny' | readonly string[]

type Environment = { readonly [name: string]: string | undefined }

/** The absolute path of the program, if it may run. */
export async function permittedProgram(plugin: ExecPlugin, policy: ExecPolicy, env: Environment): Promise<string> {
  const { command } = plugin
  if (policy === 'deny') throw denied(command, 'programs of this kubeconfig are not allowed')
  const isName = basename(command) === command
  if (!isName && !isAbsolute(command)) throw relative(command)
  const program = isName ? await found(command, env) : command
  if (program === undefined || !(await isExecutable(program))) throw absent(plugin)
  if (policy === 'allow') return program
  if (!policy.includes(program) && !(isName && policy.includes(command))) throw denied(command, 'it is not on the list')
  const loader = Object.keys(plugin.env ?? {}).find((name) => LOADERS.test(name))
  if (loader !== undefined) throw denied(command, `${loader} in its environment would load other code into it`)
  return program
}

/** Variables that make a program run what somebody else wrote. */
const LOADERS =
  /^(PATH|LD_.*|DYLD_.*|NODE_OPTIONS|PYTHON(PATH|HOME|STARTUP)|PERL5(LIB|OPT)|RUBY(LIB|OPT)|BASH_ENV|ENV)$/

async function found(name: string, env: Environment): Promise<string | undefined> {
  for (const directory of (env.PATH ?? '').split(delimiter)) {
    if (isAbsolute(directory) && (await isExecutable(join(directory, name)))) return join(directory, name)
  }
  return undefined
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

function denied(command: string, why: string): LoginError {
  return new LoginError({
    message: `The program ${JSON.stringify(command)}, which the kubeconfig names for signing in, was not run: ${why}`,
    hint: `If you trust the kubeconfig, allow it: connect({ execPlugins: [${JSON.stringify(command)}] }).`,
  })
}

function relative(command: string): LoginError {
  return new LoginError({
    message: `The program ${JSON.stringify(command)}, which signs in, is named by a relative path`,
    hint: 'Name it by an absolute path, or by its name alone if it is on PATH; in a kubeconfig file a path is relative to that file.',
  })
}

function absent({ command, installHint }: ExecPlugin): LoginError {
  return new LoginError({
    message: `The program ${JSON.stringify(command)}, which the kubeconfig names for signing in, is not installed or may not be run`,
    hint: installHint ?? 'Install it, or correct users[].user.exec.command of the kubeconfig.',
  })
}
