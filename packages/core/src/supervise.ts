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

/**
 * The only place that starts a background task.
 * Guarantees: a task that fails starts anew with backoff or is reported by `failed`, never lost in silence; after `stop` has resolved
 * no task runs any more.
 * Assumes: a task returns soon after its signal aborts; `stop` waits for it.
 */
export class Supervisor {
  readonly #runtime: Runtime
  readonly #controller
  readonly #running = new Map<Promise<void>, { name: string; restarts: number; error?: string }>()
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
    const state = { name, restarts: 0 }
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

  async #keep(
    state: { name: string; restarts: number; error?: string },
    task: (signal: AbortSignal) => Promise<void>,
    onFailure: BackoffPolicy | 'fatal',
  ): Promise<void> {
    const waits = onFailure === 'fatal' ? undefined : new BackoffSequence(onFailure, this.#runtime.random)
    while (!this.signal.aborted) {
      try {
        return await task(this.signal)
      } catch (error) {
        if (this.signal.aborted) return
        state.error = messageOf(error)
        if (!waits) return this.#fail(fatal(state.name, error))
        await this.#pause(state, error, waits.next())
      }
    }
  }

  async #pause(state: { name: string; restarts: number }, error: unknown, wait: number): Promise<void> {
    this.#runtime.logger.error(`${state.name} failed and starts anew in ${wait.toFixed(1)} s: ${messageOf(error)}`)
    state.restarts++
    await this.#runtime.clock.sleep(wait, this.signal).catch(() => {})
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
