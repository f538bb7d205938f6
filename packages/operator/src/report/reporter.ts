import { formatObjectName, type Json, type KubeObject, objectName } from '@binnacle/core'
import type { Attempted } from '../run/execute.ts'
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

/**
 * Is told what the operator does, as it happens.
 * Guarantees: what an observer is told of a call is made for an observer only; without one a call is told without anything being made. There may be one each
 * second for each of thousands of objects.
 */
export interface Reporter extends Pick<Observer, 'write' | 'event'> {
  begun(call: ReportedCall): void
  ended(call: ReportedCall, attempted: Attempted): void
}

/** Tells all of it to an observer. */
export function reportingTo(observer: Observer): Reporter {
  return {
    begun: (call) => observer.run?.(runOf(call, undefined)),
    ended: (call, attempted) => observer.run?.(runOf(call, attempted)),
    write: (write) => observer.write?.(write),
    event: (said) => observer.event?.(said),
  }
}

function runOf({ handler, cause, body, attempt, at }: ReportedCall, attempted: Attempted | undefined): Run {
  return {
    handler: handler.id,
    cause,
    object: `${body.kind} ${formatObjectName(objectName(body))}`,
    uid: body.metadata.uid,
    attempt,
    at: new Date(at),
    outcome: attempted?.outcome ?? 'running',
    // To wait for steps is no failure.
    error: attempted?.outcome === 'waiting' ? undefined : attempted?.error,
    result: attempted?.result as Json | undefined,
  }
}
