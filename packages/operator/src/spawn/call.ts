import type { Client } from '@binnacle/client'
import type { KubeObject } from '@binnacle/core'
import { digest } from '../cause/digest.ts'
import { essenceOf } from '../cause/essence.ts'
import type { Result } from '../declare/options.ts'
import type { Stopped } from '../declare/stopped.ts'
import { NO_CHANGE, type ObjectChange, patchDraft } from '../outcome/patch.ts'
import type { Attempts } from '../progress/progress.ts'
import type { ReportedCall } from '../report/reporter.ts'
import type { Surroundings } from '../run/context.ts'
import { type Attempted, execute, judge, refused } from '../run/execute.ts'
import { jobOf } from '../worker/job.ts'
import type { AttemptDeps, Companion, SpawnHandler } from './attempt.ts'
import { backgroundContext, type ContextSource } from './background-context.ts'

const NOTHING: Promise<undefined> = Promise.resolve(undefined)
const SUCCESS = { kind: 'success' } as const

/**
 * One call of the function of a daemon or timer: what the function is called with, each part made when it is asked for, and what came of it.
 * Guarantees: `made` never rejects; after it has resolved, `ended` resolves when the function has really ended, also one that was cancelled or has
 * outlived its timeout.
 * A daemon rests in its call for all its life: this is one object with methods, and not a handful of functions, because there is one for each object
 * of the cluster.
 */
export class Call implements ContextSource, ReportedCall {
  readonly at: number
  readonly begun: number
  readonly #deps: AttemptDeps
  readonly #companion: Companion
  readonly #record: Attempts
  #draft: ReturnType<typeof patchDraft> | undefined
  #running: Promise<Result> = NOTHING
  /** Of a call with a timeout its own; else the one that force aborts, when somebody has asked for it. */
  #signal: AbortSignal | undefined

  constructor(deps: AttemptDeps, companion: Companion, record: Attempts) {
    this.#deps = deps
    this.#companion = companion
    this.#record = record
    const { clock } = deps.runtime
    this.at = clock.now().getTime()
    this.begun = clock.monotonic()
  }

  get handler(): SpawnHandler {
    return this.#companion.handler
  }

  get cause(): string {
    return this.#companion.handler.activity
  }

  get body(): KubeObject {
    return this.#companion.memory.body
  }

  get attempt(): number {
    return this.#record.retries
  }

  get started(): Date {
    return new Date(this.#record.started)
  }

  get runtime(): number {
    return (this.at - this.started.getTime()) / 1000
  }

  get indices(): Surroundings['indices'] {
    return this.surroundings().indices
  }

  /** Calls the function. A function that was cancelled and returns nevertheless has succeeded. */
  made(): Promise<Attempted> {
    const { handler, control } = this.#companion
    control.beginCall()
    if (handler.timeout !== undefined) return this.#madeInTime()
    const spent = handler.retries === undefined ? undefined : refused(handler, this.#record, new Date(this.at))
    // Nothing but force could end it early, and then it is waited for nevertheless.
    return spent ? Promise.resolve(spent) : this.#begin(undefined).then(succeeded, (error) => this.#failed(error))
  }

  /** Resolves when the function has ended, however it did. */
  get ended(): Promise<unknown> {
    return this.#running.catch(() => {})
  }

  /** What the function wants written. */
  written(): ObjectChange {
    return this.#draft?.take() ?? NO_CHANGE
  }

  surroundings(): Surroundings {
    const { memory, handler } = this.#companion
    return this.#deps.surroundings(memory, handler.scope)
  }

  stopped(): Stopped {
    return this.#companion.control.stopped
  }

  signal(): AbortSignal {
    this.#signal ??= this.#companion.control.force
    return this.#signal
  }

  /** Made when somebody asks for it: most daemons and timers write nothing. */
  patch(): object {
    this.#draft ??= patchDraft()
    return this.#draft.patch
  }

  client(): Client {
    const { client, operatorName } = this.#deps
    const { namespace } = this.#companion.memory.body.metadata
    const signal = this.signal()
    return client.with({ fieldManager: operatorName, signal, ...(namespace !== undefined && { namespace }) })
  }

  idempotencyKey(): string {
    const { handler, memory } = this.#companion
    return digest([memory.uid, handler.id, handler.activity, essenceOf(memory.body, memory.kind.tracked)])
  }

  async #madeInTime(): Promise<Attempted> {
    const { handler, control } = this.#companion
    const { runtime, defaultBackoff } = this.#deps
    const { clock, random } = runtime
    const limits = { clock, random, defaultBackoff, exit: control.force }
    const judged = await execute(handler, this.#record, (signal) => this.#begin(signal), limits)
    return judged.outcome === 'interrupted' ? this.#running.then(succeeded, () => judged) : judged
  }

  #failed(error: unknown): Attempted {
    const { handler, control } = this.#companion
    if (control.isForced) return { outcome: 'interrupted', error: control.reason }
    const { runtime, defaultBackoff } = this.#deps
    return judge(handler, this.#record, error, { ...runtime, defaultBackoff })
  }

  #begin(signal: AbortSignal | undefined): Promise<Result> {
    this.#signal = signal
    try {
      this.#running = Promise.resolve(this.#called())
    } catch (error) {
      this.#running = Promise.reject(error)
    }
    return this.#running
  }

  /** On the event loop, or in a thread. */
  #called(): Result | Promise<Result> {
    const { handler, memory, control, news } = this.#companion
    const { module } = handler.fn
    if (!module) return handler.fn(backgroundContext(this))
    const { attempt: retry, started, runtime } = this
    const info = { retry, started, runtime, signal: this.signal(), idempotencyKey: this.idempotencyKey() }
    const object = { resource: memory.kind.info, body: memory.body }
    const job = jobOf(handler, module, object, this.surroundings(), info, this.patch(), {
      stopped: control.stopped,
      live: { current: () => memory.body, changes: news?.listen ?? (() => () => {}) },
      grace: handler.activity === 'daemon' ? handler.cancellationTimeout : undefined,
    })
    return this.#deps.threads.run(job)
  }
}

function succeeded(result: Result): Attempted {
  return { outcome: 'success', verdict: SUCCESS, result }
}
