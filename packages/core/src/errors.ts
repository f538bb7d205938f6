import type { ErrorCode } from './error-codes.ts'

export interface ErrorOptions {
  /** What happened, to what; what was expected, and what came. */
  readonly message: string
  /** What to do about it, in a sentence. */
  readonly hint?: string | undefined
  /** A line to write or a command to run, ready to be copied. */
  readonly fix?: string | undefined
  readonly cause?: unknown
}

/**
 * An error that teaches: a stable code, what happened, and what to do next.
 * Guarantees: `code` is in the catalogue (`error-codes.ts`) and never changes its meaning; nothing secret is in the message.
 */
export class BinnacleError extends Error {
  override readonly name: string = 'BinnacleError'
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly fix: string | undefined

  constructor(code: ErrorCode, options: ErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint
    this.fix = options.fix
  }
}

/** The message of anything that was thrown: also of what only looks like an error, and of what cannot be a text. */
export function messageOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  const { message } = error as { message?: unknown }
  if (typeof message === 'string') return message
  try {
    return JSON.stringify(error) ?? Object.prototype.toString.call(error)
  } catch {
    return Object.prototype.toString.call(error)
  }
}

/** What a person should read of an error: the message, then the hint and the fix if it has them; no stack. */
export function explain(error: unknown): string {
  const { hint, fix } = (typeof error === 'object' && error !== null ? error : {}) as { hint?: unknown; fix?: unknown }
  const lines = [messageOf(error)]
  if (typeof hint === 'string') lines.push(hint)
  if (typeof fix === 'string') lines.push(fix.replace(/^/gm, '  '))
  return lines.join('\n')
}
