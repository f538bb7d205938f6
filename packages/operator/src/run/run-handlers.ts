import type { Client } from '@binnacle/client'
import { combineMergePatch, explain, formatObjectName, type Json, objectName, type Runtime } from '@binnacle/core'
import { digest } from '../cause/digest.ts'
import type { ChangeHandler } from '../declare/handler.ts'
import type { Backoff, Result } from '../declare/options.ts'
import { type ObjectChange, patchDraft } from '../outcome/patch.ts'
import { resultPatch } from '../outcome/results.ts'
import { advance, dueIn, type Progress } from '../progress/progress.ts'
import type { ProgressRecords } from '../progress/records.ts'
import type { Observer, Run } from '../report/observer.ts'
import { changeContext } from './context.ts'
import { PermanentError, TemporaryError } from './errors.ts'
import { type Attempted, execute } from './execute.ts'
import type { Look } from './look.ts'

export interface RunDeps {
  readonly runtime: Runtime
  readonly client: Client
  readonly operatorName: string
  readonly defaultBackoff: Backoff
  readonly observer: Observer
  /** Aborted when the operator stops: no further handler begins. */
  readonly stopping: AbortSignal
  /** Aborted when it can wait no longer: running handlers are interrupted. */
  readonly exit: AbortSignal
}

/**
 * Runs the handlers that are due, one after another.
 * Guarantees: the records say what has been done, attempt by attempt; what the handlers want written, results included, comes back as one
 * change; a handler that the exit interrupted leaves no record, and runs again at the next start.
 */
export async function runHandlers(
  deps: RunDeps,
  look: Look,
  handlers: readonly ChangeHandler[],
  records: ProgressRecords,
): Promise<ObjectChange> {
  const draft = patchDraft()
  for (const handler of handlers) {
    const record = records.get(handler.id)
    if (records.isFinished(handler.id) || dueIn(record, deps.runtime.clock.now()) > 0) continue
    if (deps.stopping.aborted) break
    const attempted = await attempt(deps, look, handler, record, draft.patch)
    if (attempted.outcome === 'interrupted') break
    records.set(handler.id, advance(record, attempted.verdict, deps.runtime.clock.now()))
    const result = resultPatch(attempted.result, handler.result)
    if (result) combineMergePatch(draft.patch, result)
  }
  return draft.take()
}

async function attempt(
  deps: RunDeps,
  look: Look,
  handler: ChangeHandler,
  record: Progress,
  patch: object,
): Promise<Attempted> {
  const { clock, random } = deps.runtime
  const run = runOf(handler, look, record, clock.now())
  deps.observer.run?.(run)
  const call = (signal: AbortSignal) =>
    handler.fn(contextOf(deps, look, handler, record, patch, signal)) as Promise<Result>
  const attempted = await execute(handler, record, call, {
    clock,
    random,
    defaultBackoff: deps.defaultBackoff,
    exit: deps.exit,
  })
  tell(look, handler, attempted)
  deps.observer.run?.({
    ...run,
    outcome: attempted.outcome,
    error: attempted.error,
    result: attempted.result as Json | undefined,
  })
  return attempted
}

function contextOf(
  { runtime, client, operatorName }: RunDeps,
  look: Look,
  handler: ChangeHandler,
  record: Progress,
  patch: object,
  signal: AbortSignal,
): object {
  const started = new Date(record.started)
  const { namespace } = look.body.metadata
  return changeContext(
    handler,
    look.body,
    look.surroundings,
    look.change,
    {
      retry: record.retries,
      started,
      runtime: (runtime.clock.now().getTime() - started.getTime()) / 1000,
      signal,
      idempotencyKey: digest([look.body.metadata.uid, handler.id, look.purpose.reason, look.purpose.essence]),
    },
    {
      patch,
      client: client.with({ fieldManager: operatorName, signal, ...(namespace !== undefined && { namespace }) }),
    },
  )
}

function runOf(handler: ChangeHandler, { body, change }: Look, record: Progress, at: Date): Run {
  return {
    handler: handler.id,
    cause: change.reason,
    object: `${body.kind} ${formatObjectName(objectName(body))}`,
    uid: body.metadata.uid,
    attempt: record.retries,
    at,
    outcome: 'running',
    error: undefined,
    result: undefined,
  }
}

/** One line for each attempt. An error of ours needs no stack; one that nobody expected does. */
function tell({ surroundings: { logger }, change }: Look, { id }: ChangeHandler, attempted: Attempted): void {
  const handler = `Handler "${id}" (${change.reason})`
  const { error } = attempted
  const expected = error instanceof TemporaryError || error instanceof PermanentError
  const fields = expected || error === undefined ? {} : { error }
  switch (attempted.outcome) {
    case 'success':
      return logger.info(`${handler} succeeded.`)
    case 'temporary': {
      const again = attempted.verdict.kind === 'again' ? attempted.verdict.delay : 0
      return logger.warn(`${handler} failed and will be tried again in ${round(again)} s: ${explain(error)}`, fields)
    }
    case 'permanent':
      return logger.error(`${handler} failed for good: ${explain(error)}`, fields)
    case 'ignored':
      return logger.warn(`${handler} failed, which is ignored: ${explain(error)}`, fields)
    case 'interrupted':
      return logger.warn(`${handler} was interrupted by the exit, and will run again at the next start.`)
  }
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10
}
