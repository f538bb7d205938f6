import { BinnacleError, type Duration, messageOf, seconds } from '@binnacle/core'
import type { Activity } from '../declare/activity.ts'

/** Delay of a TemporaryError that names none, as in Kopf. */
const DEFAULT_DELAY = 60

/** Try again after `delay` (default: 60 s; 0 or null: at once). Logged in one line, without a stack. */
export class TemporaryError extends Error {
  override readonly name = 'TemporaryError'
  /** Seconds. */
  readonly delay: number

  constructor(message: string, options: { readonly delay?: Duration | null; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.delay = options.delay === null ? 0 : seconds(options.delay ?? DEFAULT_DELAY)
  }
}

/** Give up for this cause. Logged in one line, without a stack. */
export class PermanentError extends Error {
  override readonly name: string = 'PermanentError'

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
  }
}
/** Steps of a handler are not done yet: it is called again when the next of them is due, which is no failure of its own. */
export class StepsPending extends Error {
  override readonly name = 'StepsPending'
  /** Seconds. */
  readonly delay: number

  constructor(delay: number) {
    super('Steps of the handler are not done yet; it is called again when they are due')
    this.delay = delay
  }
}

/** The handler's `timeout` is over. */
export class HandlerTimeoutError extends PermanentError {
  override readonly name = 'HandlerTimeoutError'
}
/** The handler's `retries` are used up; `cause` is the last error. */
export class HandlerRetriesError extends PermanentError {
  override readonly name = 'HandlerRetriesError'
}

/** A startup, cleanup, login or probe handler failed for good. */
export class ActivityError extends BinnacleError {
  override readonly name = 'ActivityError'
  readonly activity: Activity
  /** By the id of the handler. */
  readonly failures: ReadonlyMap<string, unknown>

  constructor(activity: Activity, failures: ReadonlyMap<string, unknown>) {
    const lines = [...failures].map(([id, error]) => `"${id}": ${messageOf(error)}`)
    super('BIN_TASK', {
      message: `The ${activity} failed for good in ${lines.join('; ')}`,
      hint: 'Let the handler throw a TemporaryError where another attempt may help.',
      cause: [...failures.values()][0],
    })
    this.activity = activity
    this.failures = failures
  }
}
