import { formatObjectName, type Json, type KubeObject, objectName } from '@binnacle/core'
import type { Observer, Run } from './observer.ts'

/** A call of a handler that is under way, as those who make it know it. */
export interface ReportedCall {
  readonly handler: { readonly id: string }
  readonly cause: string
  readonly body: KubeObject
  /** 0 at the first attempt. */
  readonly attempt: number
  /** When it began, in milliseconds of the wall clock. */
  readonly at: number
  /** When it began, in seconds of the monotonic clock. */
  readonly begun: number
}

/** How a call has ended. */
export interface ReportedEnd {
  readonly outcome: Exclude<Run['outcome'], 'running'>
  readonly error?: unknown
  readonly result?: unknown
}

/**
 * Is told what the operator does, as it happens.
 * Guarantees: what an observer is told of a call is made for an observer only; without one a call is told without anything being made. There may be one each
 * second for each of thousands of objects.
 */
export interface Reporter extends Pick<Observer, 'write' | 'event'> {
  begun(call: ReportedCall): void
  ended(call: ReportedCall, end: ReportedEnd): void
}

/** Tells all of it to an observer. */
export function reportingTo(observer: Observer): Reporter {
  return {
    begun: (call) => observer.run?.(runOf(call, undefined)),
    ended: (call, end) => observer.run?.(runOf(call, end)),
    write: (write) => observer.write?.(write),
    event: (said) => observer.event?.(said),
  }
}

function runOf({ handler, cause, body, attempt, at }: ReportedCall, end: ReportedEnd | undefined): Run {
  return {
    handler: handler.id,
    cause,
    object: `${body.kind} ${formatObjectName(objectName(body))}`,
    uid: body.metadata.uid,
    attempt,
    at: new Date(at),
    outcome: end?.outcome ?? 'running',
    // To wait for steps is no failure.
    error: end?.outcome === 'waiting' ? undefined : end?.error,
    result: end?.result as Json | undefined,
  }
}
