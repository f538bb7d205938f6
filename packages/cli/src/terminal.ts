import { type BinnacleError, explain } from '@binnacle/core'
import type { Io, Output } from './io.ts'
import { userFrames } from './stack.ts'

const RED = 31
const YELLOW = 33
const DIM = 2

export interface TerminalOptions {
  /** Show the stack of an error. @default false */
  readonly verbose?: boolean
  /** Leave out what is neither a result nor a problem. @default false */
  readonly quiet?: boolean
}

/**
 * What a person reads: results on stdout, everything else on stderr, so that a pipe gets results only.
 * Guarantees: colours only on a terminal, and never when NO_COLOR is set; no stack of ours without `verbose`.
 */
export class Terminal {
  readonly #io: Io
  readonly #options: TerminalOptions

  constructor(io: Io, options: TerminalOptions = {}) {
    this.#io = io
    this.#options = options
  }

  /** Whether colours may be used on stdout. */
  get coloured(): boolean {
    return this.#colours(this.#io.stdout)
  }

  /** The same terminal for a command that was told to be quiet or verbose. */
  with(options: TerminalOptions): Terminal {
    return new Terminal(this.#io, { ...this.#options, ...options })
  }

  result(line: string): void {
    this.#io.stdout.write(`${line}\n`)
  }

  notice(line: string): void {
    if (!this.#options.quiet) this.#io.stderr.write(`${this.#paint(DIM, line)}\n`)
  }

  warning(line: string): void {
    this.#io.stderr.write(`${this.#paint(YELLOW, 'warning:')} ${line}\n`)
  }

  problem(error: unknown): void {
    this.#io.stderr.write(`${this.#paint(RED, 'error:')} ${this.#told(error)}\n`)
  }

  #told(error: unknown): string {
    if (this.#options.verbose && error instanceof Error) return withStack(error)
    if (isOurs(error)) return explained(error)
    return [explain(error), ...userFrames(error, this.#io.cwd)].join('\n')
  }

  #colours(output: Output): boolean {
    return output.isTTY === true && !this.#io.env['NO_COLOR'] && this.#io.env['TERM'] !== 'dumb'
  }

  #paint(colour: number, text: string): string {
    return this.#colours(this.#io.stderr) ? `\u001B[${colour}m${text}\u001B[0m` : text
  }
}

/** By shape: the operator of the user may bring its own copy of the package that defines the class. */
function isOurs(error: unknown): error is BinnacleError {
  const { code } = (error ?? {}) as { code?: unknown }
  return error instanceof Error && typeof code === 'string' && code.startsWith('BIN_')
}

/** The code goes at the end of the first line, for whoever looks it up; who mistyped a flag need not. */
function explained(error: BinnacleError): string {
  if (error.code === 'BIN_USAGE') return explain(error)
  const [first, ...rest] = explain(error).split('\n')
  return [`${first} [${error.code}]`, ...rest].join('\n')
}

function withStack(error: Error): string {
  const told = isOurs(error) ? explained(error) : error.message
  const causes: string[] = []
  for (let at: unknown = error; at instanceof Error && causes.length < 8; at = at.cause) causes.push(String(at.stack))
  return [told, ...causes].join('\n')
}
