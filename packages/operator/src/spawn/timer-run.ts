import type { Schedule } from '../declare/schedule.ts'
import type { TimerHandler } from '../declare/timer.ts'
import type { Attempts, Verdict } from '../progress/progress.ts'
import { type AttemptDeps, attempt, type Companion } from './attempt.ts'
import { again, begin, type End, initialDelay } from './daemon-run.ts'
import type { EssentialChanges } from './essential-changes.ts'
import { Rest } from './stop-control.ts'

/** What a timer waits for before its next call: a length of time, an essential change, a moment of its schedule, or nothing any more. */
export type NextCall = { readonly after: number } | { readonly after: 'change' | 'tick' } | undefined

/** When the next call follows one that began so many seconds ago and has just succeeded. */
export function nextCall({ interval, idle, sharp, schedule }: TimerHandler, elapsed: number): NextCall {
  if (schedule) return { after: 'tick' }
  if (interval !== undefined) return { after: sharp ? interval - (elapsed % interval) : interval }
  return idle === undefined ? undefined : { after: 'change' }
}

/** Seconds until the object has been idle for long enough; 0 when it has. */
export function untilIdle({ idle = 0 }: TimerHandler, sinceChange: number): number {
  return Math.max(0, idle - sinceChange)
}

/**
 * Runs a timer for one object until it ends.
 * Guarantees: never two calls at a time; before each call the object has been idle for as long as was asked; a failure that may be repaired is
 * tried again after its own delay instead of the interval, and counts; a success resets the count; failing for good ends the timer. Every
 * wait also watches the stop.
 */
export function runTimer(
  deps: AttemptDeps,
  companion: Companion<TimerHandler>,
  changes: EssentialChanges | undefined,
): Promise<End> {
  return new Promise((resolve, reject) => {
    const run = new TimerRun(deps, companion, changes, resolve)
    initialDelay(deps, companion)
      .then((stopped) => run.goOn(stopped))
      .catch(reject)
  })
}

/** A timer that rests between its calls as an alarm, and as nothing else: there may be one for each object of the cluster. */
class TimerRun {
  readonly #deps: AttemptDeps
  readonly #companion: Companion<TimerHandler>
  readonly #changes: EssentialChanges | undefined
  readonly #end: (end: End | Promise<End>) => void
  readonly #rest = new Rest((stopped) => this.goOn(stopped))
  /** Of the call that is under way, or has failed and is to be tried again. */
  #record: Attempts | undefined
  /** When the last call began, on the monotonic clock. */
  #begun = 0
  /** Changes of the object that the last call could know of. */
  #seen = 0

  constructor(
    deps: AttemptDeps,
    companion: Companion<TimerHandler>,
    changes: EssentialChanges | undefined,
    end: (end: End | Promise<End>) => void,
  ) {
    this.#deps = deps
    this.#companion = companion
    this.#changes = changes
    this.#end = end
  }

  /** Calls the function as soon as it is due. */
  goOn(stopped: boolean): void {
    const { handler, control } = this.#companion
    if (stopped || control.isStopped) return this.#end('stopped')
    if (!this.#changes && (!handler.schedule || this.#record)) return this.#call()
    this.#after(this.#untilDue(), (due) => (due === 'due' ? this.#call() : this.#end(due)))
  }

  #call(): void {
    this.#begun = this.#deps.alarms.now()
    this.#seen = this.#changes?.count ?? 0
    this.#record ??= begin(this.#deps)
    const record = this.#record
    this.#after(attempt(this.#deps, this.#companion, record), ({ verdict }) => this.#called(record, verdict))
  }

  #called(record: Attempts, verdict: Verdict | undefined): void {
    const { handler, control } = this.#companion
    if (control.isStopped || !verdict) return this.#end('stopped')
    if (verdict.kind === 'failure') return this.#end('failed')
    this.#record = verdict.kind === 'again' ? again(record) : undefined
    if (verdict.kind === 'again') return control.rest(this.#rest, verdict.delay)
    const next = nextCall(handler, this.#deps.alarms.now() - this.#begun)
    if (!next) return this.#end('done')
    if (next.after === 'tick') return this.goOn(false)
    if (next.after !== 'change') return control.rest(this.#rest, next.after)
    this.#after(changed(this.#companion, this.#changes, this.#seen), (stopped) => this.goOn(stopped))
  }

  async #untilDue(): Promise<'due' | End> {
    const { schedule } = this.#companion.handler
    const tick = this.#record || !schedule ? 'due' : await untilTick(this.#deps, this.#companion, schedule)
    if (tick !== 'due') return tick === 'over' ? 'done' : 'stopped'
    return this.#changes && (await idled(this.#deps, this.#companion, this.#changes)) ? 'stopped' : 'due'
  }

  #after<T>(awaited: Promise<T>, next: (result: T) => void): void {
    awaited.then(next).catch((error: unknown) => this.#end(Promise.reject(error)))
  }
}

/** Seconds of one sleep before a moment of a schedule: wall clocks are corrected now and then. */
const NAP = 600

/** Waits for the next moment of the schedule. */
async function untilTick(
  { runtime: { clock } }: AttemptDeps,
  { control }: Companion<TimerHandler>,
  schedule: Schedule,
): Promise<'due' | 'over' | 'stopped'> {
  const due = schedule.next(clock.now())
  if (!due) return 'over'
  for (;;) {
    const left = (due.getTime() - clock.now().getTime()) / 1000
    if (left <= 0) return control.isStopped ? 'stopped' : 'due'
    if (await control.pause(Math.min(left, NAP))) return 'stopped'
  }
}

/** Waits until the object has been idle for long enough; each change prolongs it. Resolves to whether it was stopped. */
async function idled(
  { alarms }: AttemptDeps,
  { handler, control }: Companion<TimerHandler>,
  changes: EssentialChanges,
): Promise<boolean> {
  for (;;) {
    const left = untilIdle(handler, alarms.now() - changes.at)
    if (left <= 0) return control.isStopped
    if (await control.pause(left)) return true
  }
}

/** Waits until there have been more changes. Resolves to whether it was stopped. */
async function changed(
  { control }: Companion<TimerHandler>,
  changes: EssentialChanges | undefined,
  seen: number,
): Promise<boolean> {
  while (!changes || changes.count <= seen) if (await control.pause(undefined, changes?.listen)) return true
  return control.isStopped
}
