import type { KubeObject, Logger, ResourceInfo } from '@binnacle/core'
import type { Handler } from '../declare/handler.ts'
import type { Result } from '../declare/options.ts'
import type { Stopped } from '../declare/stopped.ts'
import type { EventRecorder } from '../report/recorder.ts'
import type { AttemptInfo } from '../run/context.ts'
import type { Parcel } from './messages.ts'

/** Calls back when something has happened; returns what ends that. */
export type Listen = (wake: () => void) => () => void

/** A body that changes under a handler. */
export interface LiveBody {
  current(): KubeObject
  readonly changes: Listen
}

/** One call of a worker handler: what is sent to its thread, and what stands ready for what comes back. */
export interface Job {
  /** For messages. */
  readonly id: string
  readonly module: URL
  readonly parcel: Parcel
  readonly logger: Logger
  readonly events: EventRecorder
  /** What the handler writes is merged into it, also when it fails. */
  readonly patch: object
  /** When it aborts, the handler has `grace` seconds to end by itself; then its thread is terminated. */
  readonly signal: AbortSignal
  readonly grace: number
  /** The polite request to end. Undefined: that of the operator. */
  readonly stopped: Stopped | undefined
  readonly live: LiveBody | undefined
}

/** Where worker handlers run. */
export interface Threads {
  run(job: Job): Promise<Result>
}

/** Seconds between the abort of a handler's signal and the end of its thread, where nothing else was declared. */
const GRACE = 1

/** What handlers in threads and on the event loop have in common, as a job. */
export function jobOf(
  handler: Handler,
  module: URL,
  object: { readonly resource: ResourceInfo; readonly body: KubeObject },
  surroundings: { readonly logger: Logger; readonly events: EventRecorder },
  attempt: AttemptInfo & { readonly idempotencyKey: string },
  patch: object,
  more: {
    readonly extra?: object
    readonly stopped?: Stopped
    readonly live?: LiveBody
    readonly grace?: number | undefined
  },
): Job {
  const { signal, ...info } = attempt
  const { extra = {}, live } = more
  const { resource, body } = object
  return {
    id: handler.id,
    module,
    parcel: { resource, body, live: live !== undefined, param: handler.param, ...info, extra },
    logger: surroundings.logger,
    events: surroundings.events,
    patch,
    signal,
    grace: more.grace ?? GRACE,
    stopped: more.stopped,
    live,
  }
}
