import { messageOf } from '@binnacle/core'
import type { TimerHandler } from '../declare/timer.ts'
import type { Attempts } from '../progress/progress.ts'
import { objectView } from '../run/context.ts'
import type { Attempted } from '../run/execute.ts'
import { type AttemptDeps, attempt, type Companion, type SpawnHandler } from './attempt.ts'
import type { EssentialChanges } from './essential-changes.ts'
import { Rest } from './stop-control.ts'
import { nameOfCompanion } from './tell.ts'
import { changed, idled, nextCall, untilTick } from './timer-waits.ts'

/** How a run has ended: by itself, by failing for good, or because it was asked to. */
export type End = 'done' | 'failed' | 'stopped'

/**
 * Runs a daemon or a timer for one object until it ends. A daemon is called once, a timer again and again.
 * Guarantees: never two calls at a time; errors, retries and timeout as for all handlers, counted in memory; a failure that may be repaired is tried again
 * after its own delay, and counts; a success resets the count; failing for good ends it. A timer is called when the object has been idle for as long as was
 * asked. Every wait also watches the stop. `ended` is called once, and not from within the stop itself.
 * There may be one for each object of the cluster: it rests as an alarm, without a frame or a promise that would wait for it.
 */
export class CompanionRun {
  readonly #deps: AttemptDeps
  readonly #companion: Companion
  readonly #changes: EssentialChanges | undefined
  readonly #ended: (end: End) => void
  #rest: Rest | undefined
  /** Of the call that has failed and is to be tried again. */
  #record: Attempts | undefined
  /** When the last call began, on the monotonic clock. */
  #begun = 0
  /** Changes of the object that the last call could know of. */
  #seen = 0

  constructor(
    deps: AttemptDeps,
    companion: Companion,
    changes: EssentialChanges | undefined,
    ended: (end: End) => void,
  ) {
    this.#deps = deps
    this.#companion = companion
    this.#changes = changes
    this.#ended = ended
  }

  begin(): void {
    const { handler, control } = this.#companion
    if (handler.initialDelay === 0) this.#goOn(control.isStopped)
    else this.#after(initialDelay(this.#deps, this.#companion), (stopped) => this.#goOn(stopped))
  }

  /** Calls the function as soon as it is due. */
  #goOn(stopped: boolean): void {
    if (stopped || this.#companion.control.isStopped) this.#ended('stopped')
    else if (this.#waitsFor()) this.#after(this.#untilDue(), (due) => (due === 'due' ? this.#call() : this.#ended(due)))
    else this.#call()
  }

  #call(): void {
    this.#begun = this.#deps.alarms.now()
    this.#seen = this.#changes?.count ?? 0
    const record = this.#record ?? new FirstAttempt(this.#deps.runtime.clock.now().getTime())
    try {
      this.#after(attempt(this.#deps, this.#companion, record), (attempted) => this.#called(record, attempted))
    } catch (error) {
      this.#cannotGoOn(error)
    }
  }

  #called(record: Attempts, { verdict }: Attempted): void {
    const { handler, control } = this.#companion
    if (control.isStopped || !verdict) return this.#ended('stopped')
    if (verdict.kind === 'failure') return this.#ended('failed')
    this.#record = verdict.kind === 'again' ? again(record) : undefined
    if (verdict.kind === 'again') return this.#restFor(verdict.delay)
    const next = isTimer(handler) ? nextCall(handler, this.#deps.alarms.now() - this.#begun) : undefined
    if (!next) this.#ended('done')
    else if (next.after === 'tick') this.#goOn(false)
    else if (next.after !== 'change') this.#restFor(next.after)
    else this.#after(changed(this.#changes, this.#seen, control), (stopped) => this.#goOn(stopped))
  }

  #restFor(seconds: number): void {
    // Whoever asks for the stop has more to do before it hears of the end.
    this.#rest ??= new Rest((stopped) => (stopped ? queueMicrotask(() => this.#ended('stopped')) : this.#goOn(false)))
    this.#companion.control.rest(this.#rest, seconds)
  }

  /** Whether there is anything to wait for before the call: a moment of the schedule, or that the object is idle. */
  #waitsFor(): boolean {
    const { handler } = this.#companion
    return this.#changes !== undefined || (isTimer(handler) && handler.schedule !== undefined && !this.#record)
  }

  async #untilDue(): Promise<'due' | End> {
    const { handler, control } = this.#companion
    const { runtime, alarms } = this.#deps
    if (!isTimer(handler)) return 'due'
    if (handler.schedule && !this.#record) {
      const tick = await untilTick(runtime.clock, handler.schedule, control)
      if (tick !== 'due') return tick === 'over' ? 'done' : 'stopped'
    }
    const stopped = this.#changes && (await idled(alarms, handler, this.#changes, control))
    return stopped ? 'stopped' : 'due'
  }

  #after<T>(awaited: Promise<T>, next: (result: T) => void): void {
    awaited.then(next, (error: unknown) => this.#cannotGoOn(error))
  }

  #cannotGoOn(error: unknown): void {
    const { memory, control } = this.#companion
    if (control.isStopped) return this.#ended('stopped')
    const name = nameOfCompanion(this.#companion)
    this.#deps.loggerAt('error', memory, undefined)?.error(`${name} cannot go on: ${messageOf(error)}`, { error })
    this.#ended('failed')
  }
}

function isTimer(handler: SpawnHandler): handler is TimerHandler {
  return handler.activity === 'timer'
}

/** Counted in memory only: a restart begins anew. The moment is put into words when somebody asks for it, since there is one for each call of each timer. */
class FirstAttempt implements Attempts {
  readonly #at: number
  readonly retries = 0

  constructor(at: number) {
    this.#at = at
  }

  get started(): string {
    return new Date(this.#at).toISOString()
  }
}

function again({ started, retries }: Attempts): Attempts {
  return { started, retries: retries + 1 }
}

/** Resolves to whether it was stopped. */
async function initialDelay(deps: AttemptDeps, companion: Companion): Promise<boolean> {
  const { handler, memory, control } = companion
  const surroundings = deps.surroundings(memory, handler.scope)
  try {
    const { initialDelay: delay } = handler
    return await control.pause(typeof delay === 'number' ? delay : delay(objectView(memory.body, surroundings)))
  } catch (error) {
    if (control.isStopped) return true
    surroundings.logger.error(
      `The initial delay of ${nameOfCompanion(companion)} cannot be told, and it starts at once: ${messageOf(error)}`,
      { error },
    )
    return false
  }
}
