import { messageOf } from '@binnacle/core'
import { StopReason } from '../declare/stopped.ts'
import { PermanentError, TemporaryError } from '../run/errors.ts'

/** An error as data, since structured cloning keeps neither classes nor what they add. */
export interface ErrorParcel {
  readonly kind: 'temporary' | 'permanent' | 'stop' | 'other'
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  /** Seconds, of a temporary one. */
  readonly delay: number
  readonly code: string | undefined
  readonly hint: string | undefined
  readonly fix: string | undefined
  readonly cause: ErrorParcel | undefined
}

/** Causes of causes that are sent along. */
const DEPTH = 5

export function errorParcel(error: unknown, depth = DEPTH): ErrorParcel {
  const { name, stack, code, hint, fix, cause } = (error instanceof Error ? error : {}) as {
    readonly [field: string]: unknown
  }
  return {
    kind: kindOf(error),
    name: text(name) ?? 'Error',
    message: messageOf(error),
    stack: text(stack),
    delay: error instanceof TemporaryError ? error.delay : 0,
    code: text(code),
    hint: text(hint),
    fix: text(fix),
    cause: cause === undefined || depth === 0 ? undefined : errorParcel(cause, depth - 1),
  }
}

/**
 * The error that was sent.
 * Guarantees: ours are of their own classes again; others keep name, message, stack, code, hint and cause.
 */
export function unpackError(parcel: ErrorParcel): Error {
  const cause = parcel.cause && unpackError(parcel.cause)
  const error = bare(parcel, cause)
  const { name, stack, code, hint, fix } = parcel
  for (const [key, value] of Object.entries({ name, stack, code, hint, fix })) {
    if (value !== undefined) Object.defineProperty(error, key, { value, configurable: true, writable: true })
  }
  return error
}

function bare({ kind, message, delay }: ErrorParcel, cause: Error | undefined): Error {
  if (kind === 'temporary') return new TemporaryError(message, { delay, cause })
  if (kind === 'permanent') return new PermanentError(message, { cause })
  return new Error(message, cause && { cause })
}

function kindOf(error: unknown): ErrorParcel['kind'] {
  if (error instanceof TemporaryError) return 'temporary'
  if (error instanceof PermanentError) return 'permanent'
  return error instanceof StopReason ? 'stop' : 'other'
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
