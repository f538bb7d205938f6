import { linkedController } from './abort.ts'
import { type BackoffPolicy, BackoffSequence } from './backoff.ts'
import { BinnacleError, messageOf } from './errors.ts'
import type { Runtime } from './runtime.ts'

/** What a background task is known by in health. */
export interface TaskState {
  readonly name: string
  readonly restarts: number
  readonly error?: string
}

export interface TaskOptions {
  /** What a failure means: start anew after a wait, or end everything. @default 'fatal' */
  readonly onFailure?: BackoffPolicy | 'fatal'
}

/** Seconds after which a run counts as healthy, unless the wait before it was even longer: the next failure is then a new one. */
const HEALTHY_AFTER = 60

interface State {
  name: string
  restarts: number
  error?: string
}

/**
 * The only place that starts a background task.
 * Guarantees: a task that fails starts anew with backoff or is reported by `failed`, never lost in silence; one that has run well for
 * a while begins with short waits again; after `stop` has resolved no task runs any more.
 * Assumes: a task returns soon after its signal aborts; `stop` waits for it.
 */
export class Supervisor implements AsyncDisposable {
  readonly #runtime: Runtime
  readonly #controller
  readonly #running = new Map<Promise<void>, State>()
  readonly #fail: (error: BinnacleError) => void
  /** Rejects when a task that must not fail has failed. Never resolves. */
  readonly failed: Promise<never>

  constructor(runtime: Runtime, signal?: AbortSignal) {
    this.#runtime = runtime
    this.#controller = linkedController(signal)
    let fail: (error: BinnacleError) => void = () => {}
    this.failed = new Promise<never>((_, reject) => {
      fail = reject
    })
    this.#fail = fail
    // Whoever cares awaits `failed`; the others must not be ended by an unhandled rejection.
    this.failed.catch(() => {})
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get tasks(): readonly TaskState[] {
    return [...this.#running.values()].map((state) => ({ ...state }))
  }

  /** Runs the task until it returns, fails for good, or `stop` is called. */
  start(name: string, task: (signal: AbortSignal) => Promise<void>, options: TaskOptions = {}): Promise<void> {
    const state: State = { name, restarts: 0 }
    const run = this.#keep(state, task, options.onFailure ?? 'fatal').finally(() => this.#running.delete(run))
    this.#running.set(run, state)
    return run
  }

  /** Asks all tasks to end, and waits for them. */
  async stop(reason?: unknown): Promise<void> {
    this.#controller.abort(reason)
    this.#controller[Symbol.dispose]()
    await Promise.all(this.#running.keys())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #keep(
    state: State,
    task: (signal: AbortSignal) => Promise<void>,
    onFailure: BackoffPolicy | 'fatal',
  ): Promise<void> {
    const waits = onFailure === 'fatal' ? undefined : new BackoffSequence(onFailure, this.#runtime.random)
    let wait = 0
    while (!this.signal.aborted) {
      const started = this.#runtime.clock.monotonic()
      try {
        return await task(this.signal)
      } catch (error) {
        if (this.signal.aborted) return this.#farewell(state, error)
        state.error = messageOf(error)
        if (!waits) return this.#fail(fatal(state.name, error))
        if (this.#runtime.clock.monotonic() - started >= Math.max(HEALTHY_AFTER, wait)) waits.reset()
        wait = waits.next()
        await this.#pause(state, error, wait)
      }
    }
  }

  async #pause(state: State, error: unknown, wait: number): Promise<void> {
    this.#runtime.logger.error(`${state.name} failed and starts anew in ${wait.toFixed(1)} s: ${messageOf(error)}`)
    state.restarts++
    await this.#runtime.clock.sleep(wait, this.signal).catch(() => {})
  }

  /** Most tasks end by the reason of the signal, or by an AbortError; what else they say is worth a line. */
  #farewell(state: State, error: unknown): void {
    if (error === this.signal.reason || (error instanceof Error && error.name === 'AbortError')) return
    this.#runtime.logger.warn(`${state.name} failed while it was stopped: ${messageOf(error)}`)
  }
}

function fatal(name: string, error: unknown): BinnacleError {
  if (error instanceof BinnacleError) return error
  return new BinnacleError('BIN_TASK', {
    message: `${name} has failed: ${messageOf(error)}`,
    hint: (error as { hint?: string } | null)?.hint,
    cause: error,
  })
}
