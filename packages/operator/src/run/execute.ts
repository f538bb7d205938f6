import {
  abortable,
  type Clock,
  type Duration,
  type LinkedController,
  linkedController,
  messageOf,
  seconds,
} from '@binnacle/core'
import type { Handler } from '../declare/handler.ts'
import type { Backoff, Result } from '../declare/options.ts'
import { type Attempts, exhausted, exhaustedAfter, type Verdict } from '../progress/progress.ts'
import { HandlerRetriesError, HandlerTimeoutError, PermanentError, StepsPending, TemporaryError } from './errors.ts'

/** What one attempt came to. */
export type Attempted =
  | { readonly outcome: 'success'; readonly verdict: Verdict; readonly result: Result; readonly error?: undefined }
  | {
      /** `waiting` is for steps of the handler, and no failure. */
      readonly outcome: 'temporary' | 'permanent' | 'ignored' | 'waiting'
      readonly verdict: Verdict
      readonly error: unknown
      readonly result?: undefined
    }
  /** The operator is exiting: the attempt does not count, and will be made again. */
  | {
      readonly outcome: 'interrupted'
      readonly verdict?: undefined
      readonly error: unknown
      readonly result?: undefined
    }

export interface ExecuteOptions {
  readonly clock: Clock
  readonly random: () => number
  readonly defaultBackoff: Backoff
  /** Aborts when the operator can wait no longer. */
  readonly exit: AbortSignal
}

/** What can be tried, and fail. */
export type Fallible = Pick<Handler, 'id' | 'errors' | 'timeout' | 'retries' | 'backoff'>

/** Seconds, where a backoff function throws or says no duration. */
const FALLBACK_DELAY = 60

/** Nobody reads it. Made once: an abort without a reason makes an error with a stack, for each call of a handler. */
const OVER = new Error('The attempt is over')

/**
 * Makes one attempt at a handler.
 * Guarantees: never throws; `timeout` aborts the handler's signal and counts as a failure at once, and what the handler returns after that is
 * dropped; limits are checked before the call and, so that nobody waits in vain, after a failure.
 */
export async function execute(
  handler: Fallible,
  progress: Attempts,
  call: (signal: AbortSignal) => Result | Promise<Result>,
  options: ExecuteOptions,
): Promise<Attempted> {
  const now = options.clock.now()
  const spent = refused(handler, progress, now)
  if (spent) return spent
  // Whatever a handler adds to its signal is gone with it: a signal that outlives the attempt would gather listeners.
  const control = linkedController(options.exit)
  try {
    const result = await withTimeout(handler, progress, call, control, options)
    return { outcome: 'success', verdict: { kind: 'success' }, result }
  } catch (error) {
    if (options.exit.aborted) return { outcome: 'interrupted', error }
    return judge(handler, progress, error, options)
  } finally {
    control[Symbol.dispose]()
  }
}

/** What becomes of an attempt for which no time, or no try, is left; undefined when it may be made. */
export function refused(handler: Fallible, progress: Attempts, now: Date): Attempted | undefined {
  const spent = exhausted(progress, handler, now)
  return spent && failed(limitError(handler, spent, undefined))
}

/** Without a timeout there is no second controller, and no further frame. */
function withTimeout(
  handler: Fallible,
  progress: Attempts,
  call: (signal: AbortSignal) => Result | Promise<Result>,
  control: LinkedController,
  { clock }: ExecuteOptions,
): Promise<Result> {
  const running = Promise.resolve().then(() => call(control.signal))
  // What an abandoned handler throws later concerns nobody any more: `abortable` has heard it.
  const settled = abortable(running, control.signal)
  if (handler.timeout === undefined) return settled
  const ended = new AbortController()
  void expire(handler, progress, control, clock, ended.signal)
  return settled.finally(() => ended.abort(OVER))
}

/** Aborts the handler when the time since the first attempt reaches its timeout. */
async function expire(
  handler: Fallible,
  progress: Attempts,
  control: LinkedController,
  clock: Clock,
  ended: AbortSignal,
): Promise<void> {
  const age = (clock.now().getTime() - Date.parse(progress.started)) / 1000
  try {
    await clock.sleep(Math.max(0, (handler.timeout ?? 0) - age), ended)
    control.abort(limitError(handler, 'timeout', undefined))
  } catch {
    // It has ended in time.
  }
}

/** What an error means for a handler that has made so many attempts. */
export function judge(
  handler: Fallible,
  progress: Attempts,
  error: unknown,
  options: Omit<ExecuteOptions, 'exit'>,
): Attempted {
  if (error instanceof StepsPending)
    return { outcome: 'waiting', verdict: { kind: 'waits', delay: error.delay }, error }
  if (error instanceof PermanentError) return failed(error)
  if (!(error instanceof TemporaryError)) {
    if (handler.errors === 'permanent') return failed(error)
    if (handler.errors === 'ignored') return { outcome: 'ignored', verdict: { kind: 'success' }, error }
  }
  const delay = delayAfter(handler, progress, error, options)
  const spent = exhaustedAfter(progress, handler, delay, options.clock.now())
  if (spent) return failed(limitError(handler, spent, error))
  return { outcome: 'temporary', verdict: { kind: 'again', delay, message: messageOf(error) }, error }
}

/** A backoff of the user's that fails itself must not cost the attempt its verdict, or the handler would be called for ever. */
function delayAfter(
  handler: Fallible,
  progress: Attempts,
  error: unknown,
  options: Omit<ExecuteOptions, 'exit'>,
): number {
  if (error instanceof TemporaryError) return error.delay
  try {
    return backoffAfter(handler.backoff ?? options.defaultBackoff, progress, error, options)
  } catch {
    return FALLBACK_DELAY
  }
}

function backoffAfter(
  backoff: Backoff,
  { retries }: Attempts,
  error: unknown,
  options: Omit<ExecuteOptions, 'exit'>,
): number {
  if (typeof backoff === 'function') return seconds(backoff(retries, error))
  return typeof backoff === 'object' ? backoff.delay(retries, options.random) : seconds(backoff as Duration)
}

function failed(error: unknown): Attempted {
  return { outcome: 'permanent', verdict: { kind: 'failure', message: messageOf(error) }, error }
}

function limitError(handler: Fallible, limit: 'timeout' | 'retries', cause: unknown): PermanentError {
  const last = cause === undefined ? '' : `; the last error: ${messageOf(cause)}`
  if (limit === 'timeout') {
    return new HandlerTimeoutError(`Handler "${handler.id}" has not succeeded within ${handler.timeout} s${last}`, {
      cause,
    })
  }
  return new HandlerRetriesError(`Handler "${handler.id}" has not succeeded in ${handler.retries} attempts${last}`, {
    cause,
  })
}
