import type { Reason } from '../declare/context.ts'

/** The stored record of one handler for one object: where it stands with one cause. */
export interface Progress {
  readonly started: string
  readonly stopped?: string
  readonly delayed?: string
  readonly purpose: Reason
  /** Attempts that have been made. */
  readonly retries: number
  readonly success: boolean
  readonly failure: boolean
  readonly message?: string
  /** A digest of the state that the handler saw; empty where it is not known. */
  readonly essence: string
  /** Ids of all steps within the handler, at whatever depth, that have records of their own. */
  readonly subrefs?: readonly string[]
  /** What a step came to; it is given to the handler again at its next attempt. */
  readonly result?: unknown
}

/** As much of a record as limits are counted by; all that there is of handlers whose progress is kept in memory. */
export type Attempts = Pick<Progress, 'started' | 'retries'>

/** What a handler's attempt came to. */
export type Verdict =
  | { readonly kind: 'success' }
  | { readonly kind: 'again'; readonly delay: number; readonly message: string }
  | { readonly kind: 'failure'; readonly message: string }
  /** Steps of it are not done: no failure, so it does not count as an attempt. */
  | { readonly kind: 'waits'; readonly delay: number }

export interface Limits {
  /** Seconds since the first attempt. */
  readonly timeout: number | undefined
  /** Attempts in all. */
  readonly retries: number | undefined
}

/** The cause that a handler is asked for: its purpose, and the state that the object has now. */
export interface Purpose {
  readonly reason: Reason
  readonly essence: string
}

/**
 * The record to go on from. One of another purpose is superseded: the handler starts over.
 * One that is finished for an older state starts over too, so that no change made while another handler was retrying is lost. A deletion
 * has no newer state to see, so what has finished for it stays finished.
 */
export function resume(record: Progress | undefined, purpose: Purpose, now: Date): Progress {
  if (!record || record.purpose !== purpose.reason) return begin(purpose, now)
  if (record.essence === purpose.essence || record.essence === '' || purpose.reason === 'delete') return record
  return isFinished(record) ? begin(purpose, now) : { ...record, essence: purpose.essence }
}

/** Whether the handler has acted, for this purpose, on another state than the present one. */
export function isOutdated(record: Progress | undefined, purpose: Purpose): boolean {
  return (
    record !== undefined &&
    record.purpose === purpose.reason &&
    record.retries > 0 &&
    record.essence !== '' &&
    record.essence !== purpose.essence
  )
}

export function isFinished(record: Progress): boolean {
  return record.success || record.failure
}

/** Seconds until the next attempt is due; 0 when it is due now. */
export function dueIn(record: Progress, now: Date): number {
  if (record.delayed === undefined) return 0
  return Math.max(0, (Date.parse(record.delayed) - now.getTime()) / 1000)
}

/** Why no further attempt may be made; undefined when one may. */
export function exhausted(record: Attempts, limits: Limits, now: Date): 'timeout' | 'retries' | undefined {
  if (limits.timeout !== undefined && ageOf(record, now) >= limits.timeout) return 'timeout'
  if (limits.retries !== undefined && record.retries >= limits.retries) return 'retries'
  return undefined
}

/** Why another attempt after the delay would be made in vain; undefined when it would not. */
export function exhaustedAfter(
  record: Attempts,
  limits: Limits,
  delay: number,
  now: Date,
): 'timeout' | 'retries' | undefined {
  if (limits.retries !== undefined && record.retries + 1 >= limits.retries) return 'retries'
  if (limits.timeout !== undefined && ageOf(record, now) + delay >= limits.timeout) return 'timeout'
  return undefined
}

/** The record after an attempt. */
export function advance(record: Progress, verdict: Verdict, now: Date): Progress {
  const { started, purpose, essence } = record
  const retries = record.retries + 1
  const at = now.toISOString()
  switch (verdict.kind) {
    case 'success':
      return { started, stopped: at, purpose, retries, success: true, failure: false, essence }
    case 'failure':
      return {
        started,
        stopped: at,
        purpose,
        retries,
        success: false,
        failure: true,
        message: verdict.message,
        essence,
      }
    case 'waits':
      return {
        started,
        delayed: later(now, verdict.delay),
        purpose,
        retries: record.retries,
        success: false,
        failure: false,
        essence,
      }
    case 'again': {
      const delayed = later(now, verdict.delay)
      return { started, delayed, purpose, retries, success: false, failure: false, message: verdict.message, essence }
    }
  }
}

function later(now: Date, seconds: number): string {
  return new Date(now.getTime() + seconds * 1000).toISOString()
}

function begin({ reason, essence }: Purpose, now: Date): Progress {
  return { started: now.toISOString(), purpose: reason, retries: 0, success: false, failure: false, essence }
}

function ageOf(record: Attempts, now: Date): number {
  return (now.getTime() - Date.parse(record.started)) / 1000
}
