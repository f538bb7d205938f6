import { type Clock, type Json, type Logger, messageOf } from '@binnacle/core'
import type { ActivityHandler } from '../declare/activity.ts'
import type { Backoff, Result } from '../declare/options.ts'
import { advance, dueIn, isFinished, type Progress } from '../progress/progress.ts'
import { attemptInfo } from './attempt.ts'
import type { AttemptInfo } from './context.ts'
import { execute } from './execute.ts'

export interface ProbesDeps {
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  readonly defaultBackoff: Backoff
  readonly contextOf: (handler: ActivityHandler, attempt: AttemptInfo) => object
  /** Aborts at the exit. */
  readonly signal: AbortSignal
}

/** Seconds for which an answer is good. */
const MAX_AGE = 10

interface State {
  readonly record: Progress
  readonly value: Json | undefined
  readonly error: string | undefined
}

/**
 * What the probe handlers say of the operator's health.
 * Guarantees: however often it is asked, each handler is called at most every ten seconds, one call at a time; one that has failed is not called
 * again before its delay, and counts as failed until it succeeds.
 */
export class Probes {
  readonly #handlers: readonly ActivityHandler[]
  readonly #deps: ProbesDeps
  readonly #states = new Map<string, State>()
  #at = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined

  constructor(handlers: readonly ActivityHandler[], deps: ProbesDeps) {
    this.#handlers = handlers
    this.#deps = deps
  }

  /** What each said last. */
  get values(): { readonly [id: string]: Json } {
    const said = [...this.#states].map(([id, { value, error }]) => [id, error === undefined ? (value ?? null) : null])
    return Object.fromEntries(said)
  }

  /** Those that have failed, and with what. */
  get failures(): ReadonlyMap<string, string> {
    return new Map([...this.#states].flatMap(([id, { error }]) => (error === undefined ? [] : [[id, error] as const])))
  }

  /** Asks them, unless they were asked a moment ago. */
  refresh(): Promise<void> {
    if (this.#handlers.length === 0 || this.#deps.clock.monotonic() - this.#at < MAX_AGE) return Promise.resolve()
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #ask(): Promise<void> {
    await Promise.all(this.#handlers.map((handler) => this.#askOne(handler)))
    this.#at = this.#deps.clock.monotonic()
  }

  async #askOne(handler: ActivityHandler): Promise<void> {
    const { clock, random, defaultBackoff, contextOf, signal, logger } = this.#deps
    const former = this.#states.get(handler.id)?.record
    const now = clock.now()
    if (former && !isFinished(former) && dueIn(former, now) > 0) return
    const record = former && !isFinished(former) ? former : begun(now)
    const call = (until: AbortSignal) => handler.fn(contextOf(handler, attemptInfo(record, now, until)))
    const attempted = await execute(handler, record, call as (until: AbortSignal) => Promise<Result>, {
      clock,
      random,
      defaultBackoff,
      exit: signal,
    })
    if (attempted.outcome === 'interrupted') return
    const error = attempted.outcome === 'success' || attempted.outcome === 'ignored' ? undefined : attempted.error
    if (attempted.error !== undefined)
      logger.warn(`Handler "${handler.id}" (probe) failed: ${messageOf(attempted.error)}`)
    this.#states.set(handler.id, {
      record: advance(record, attempted.verdict, clock.now()),
      value: attempted.result as Json | undefined,
      error: error === undefined ? undefined : messageOf(error),
    })
  }
}

function begun(now: Date): Progress {
  return { started: now.toISOString(), purpose: 'create', retries: 0, success: false, failure: false, essence: '' }
}
