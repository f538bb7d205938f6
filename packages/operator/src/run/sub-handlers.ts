import { BinnacleError, combineMergePatch } from '@binnacle/core'
import { digest } from '../cause/digest.ts'
import type { Step } from '../declare/context.ts'
import { type ChangeHandler, type Declaration, isOfChange, stepHandler } from '../declare/handler.ts'
import type { Result } from '../declare/options.ts'
import { resultPatch } from '../outcome/results.ts'
import { advance, dueIn, isFinished, type Progress } from '../progress/progress.ts'
import type { ProgressRecords } from '../progress/records.ts'
import { turnOf } from '../select/lifecycle.ts'
import { changeMismatch, stateMismatch } from '../select/match.ts'
import { jobOf } from '../worker/job.ts'
import { attempt, attemptInfo, clientFor, type RunDeps } from './attempt.ts'
import { changeContext, sidesFor } from './context.ts'
import { PermanentError, StepsPending } from './errors.ts'
import type { Look } from './look.ts'

/** What a handler and all steps within it have in common. */
export interface Cycle {
  readonly deps: RunDeps
  readonly look: Look
  readonly records: ProgressRecords
  /** What handlers write into. */
  readonly patch: object
}

/**
 * Calls a handler, and then the steps that it has declared and not awaited.
 * Guarantees: a step that is done is not called again for the same state, and gives its result as it did then; when this settles, no step
 * runs any more. Rejects with StepsPending while a step is not done.
 */
export async function callHandler(
  cycle: Cycle,
  handler: ChangeHandler,
  record: Progress,
  signal: AbortSignal,
  root = handler.id,
): Promise<Result> {
  const steps = new DeclaredSteps(cycle, handler, root, signal)
  try {
    const result = await called(cycle, handler, record, signal, steps)
    await steps.finish()
    return result as Result
  } finally {
    await steps.settled()
  }
}

/** The steps of one call of a handler. */
class DeclaredSteps {
  readonly #cycle: Cycle
  readonly #parent: ChangeHandler
  readonly #root: string
  readonly #signal: AbortSignal
  readonly #steps = new Map<string, StepRun>()

  constructor(cycle: Cycle, parent: ChangeHandler, root: string, signal: AbortSignal) {
    this.#cycle = cycle
    this.#parent = parent
    this.#root = root
    this.#signal = signal
  }

  declare(id: string, ...args: readonly unknown[]): Step<unknown> {
    const handler = stepHandler(this.#parent, id, args as unknown as Declaration)
    if (this.#steps.has(handler.id)) throw twice(this.#parent, id)
    const run = new StepRun(handler.id, {
      isDue: () => isDue(this.#cycle, handler, this.#root),
      run: () => runStep(this.#cycle, handler, this.#root, this.#signal),
    })
    this.#steps.set(handler.id, run)
    return run
  }

  /** Runs what was not awaited, as far as its turn has come. A step that failed for good is done; whoever wants to know awaits it. */
  async finish(): Promise<void> {
    const turn = new Set(this.#turn())
    const delays: number[] = []
    for (const step of this.#steps.values()) {
      if (step.isDue && !turn.has(step.id)) {
        delays.push(0)
        continue
      }
      const error = await step.outcome()
      if (error instanceof StepsPending) delays.push(error.delay)
      else if (error !== undefined && this.#signal.aborted) throw error
    }
    if (delays.length > 0) throw new StepsPending(Math.min(...delays))
  }

  #turn(): readonly string[] {
    const { lifecycle, runtime } = this.#cycle.deps
    const due = [...this.#steps.values()].filter((step) => step.isDue)
    const handlers = due.map(({ id }) => ({ id, attempts: this.#cycle.records.step(id, this.#root).retries }))
    return turnOf(lifecycle, handlers, runtime.random)
  }

  /** Waits for steps that are still running because the handler did not. */
  async settled(): Promise<void> {
    for (const step of this.#steps.values()) if (step.begun) await step.outcome()
  }
}

/** A step as the handler holds it: begins when somebody waits for it. */
class StepRun implements Step<unknown> {
  readonly id: string
  readonly #step: { isDue(): boolean; run(): Promise<unknown> }
  #running: Promise<unknown> | undefined

  constructor(id: string, step: { isDue(): boolean; run(): Promise<unknown> }) {
    this.id = id
    this.#step = step
  }

  /** Whether it waits for nothing but its turn. */
  get isDue(): boolean {
    return !this.begun && this.#step.isDue()
  }

  get begun(): boolean {
    return this.#running !== undefined
  }

  /** What it failed with, if it did. */
  outcome(): Promise<unknown> {
    return this.#begin().then(
      () => undefined,
      (error: unknown) => error,
    )
  }

  // biome-ignore lint/suspicious/noThenProperty: a step is awaited like a promise, but begins only when it is
  then<A = unknown, B = never>(
    onSuccess?: ((value: unknown) => A | PromiseLike<A>) | null,
    onFailure?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#begin().then(onSuccess, onFailure)
  }

  #begin(): Promise<unknown> {
    this.#running ??= this.#step.run()
    return this.#running
  }
}

function isDue({ deps, look, records }: Cycle, handler: ChangeHandler, root: string): boolean {
  const record = records.step(handler.id, root)
  return !isFinished(record) && !isFilteredOut(handler, look) && dueIn(record, deps.runtime.clock.now()) <= 0
}

/** One attempt at a step, unless it is done, not due, or not wanted for this object. */
async function runStep(cycle: Cycle, handler: ChangeHandler, root: string, signal: AbortSignal): Promise<unknown> {
  const { deps, look, records, patch } = cycle
  const record = records.step(handler.id, root)
  if (isFinished(record)) return formerResult(record)
  if (isFilteredOut(handler, look)) return undefined
  const due = dueIn(record, deps.runtime.clock.now())
  if (due > 0 || deps.stopping.aborted) throw new StepsPending(due)
  const occasion = { body: look.body, cause: look.change.reason, logger: look.surroundings(handler.scope).logger }
  const call = async (inner: AbortSignal) =>
    rememberable(handler, await callHandler(cycle, handler, record, inner, root))
  const attempted = await attempt(deps, occasion, handler, record, call, signal)
  if (attempted.outcome === 'interrupted') throw attempted.error
  const next = advance(record, attempted.verdict, deps.runtime.clock.now())
  const { result } = attempted
  records.setStep(handler.id, result === undefined || result === null ? next : { ...next, result })
  const change = resultPatch(result, handler.result)
  if (change) combineMergePatch(patch, change)
  if (attempted.verdict.kind === 'failure') throw attempted.error
  if (attempted.verdict.kind !== 'success') throw new StepsPending(attempted.verdict.delay)
  return result
}

/** Bytes of a result: it is kept in an annotation, and all of them share 256 KiB. */
const LARGEST_RESULT = 16 * 1024

function rememberable({ id }: ChangeHandler, result: Result): Result {
  const size = result === undefined ? 0 : Buffer.byteLength(JSON.stringify(result))
  if (size <= LARGEST_RESULT) return result
  throw new PermanentError(
    `The result of step "${id}" has ${size} bytes, and ${LARGEST_RESULT} can be remembered: return what identifies it`,
  )
}

function formerResult({ failure, message, result }: Progress): unknown {
  if (failure) throw new PermanentError(message ?? 'The step failed for good')
  return result
}

function isFilteredOut(handler: ChangeHandler, { subject }: Look): boolean {
  const mismatch = isOfChange(handler) ? changeMismatch : stateMismatch
  return mismatch(handler.filters, subject) !== undefined
}

/** On the event loop, or in a thread. */
function called(
  { deps, look, patch }: Cycle,
  handler: ChangeHandler,
  record: Progress,
  signal: AbortSignal,
  steps: DeclaredSteps,
): Result | Promise<Result> {
  const { body, purpose } = look
  const idempotencyKey = () => digest([body.metadata.uid, handler.id, purpose.reason, purpose.essence])
  const info = attemptInfo(record, deps.runtime.clock.now(), signal)
  const surroundings = look.surroundings(handler.scope)
  const { module } = handler.fn
  if (module) {
    const object = { resource: surroundings.resource, body }
    const extra = sidesFor(handler, look.change)
    const attempted = { ...info, idempotencyKey: idempotencyKey() }
    return deps.threads.run(jobOf(handler, module, object, surroundings, attempted, patch, { extra }))
  }
  const means = { patch, client: clientFor(deps, body, signal), idempotencyKey }
  const step = (id: string, ...args: readonly unknown[]) => steps.declare(id, ...args)
  return handler.fn(changeContext(handler, body, surroundings, look.change, info, means, step))
}

function twice({ id }: ChangeHandler, step: string): BinnacleError {
  return new BinnacleError('BIN_DECLARATION', {
    message: `Handler "${id}" has two steps "${step}"`,
    hint: 'Progress is stored under the name of a step: in a loop, put what differs into the name.',
    fix: "for (const item of spec.items) await step('item-' + item, () => { … })",
  })
}
