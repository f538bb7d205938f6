import { combineMergePatch, messageOf } from '@binnacle/core'
import type { ChangeHandler } from '../declare/handler.ts'
import { joined, NO_CHANGE, type ObjectChange, patchDraft } from '../outcome/patch.ts'
import { resultPatch } from '../outcome/results.ts'
import { advance, dueIn } from '../progress/progress.ts'
import type { ProgressRecords } from '../progress/records.ts'
import { turnOf } from '../select/lifecycle.ts'
import { attempt, type Occasion, type RunDeps } from './attempt.ts'
import type { Look } from './look.ts'
import { callHandler } from './sub-handlers.ts'

/**
 * Runs those of the handlers that are due whose turn it is, one after another.
 * Guarantees: the records say what has been done, attempt by attempt; what the handlers want written, results included, comes back as one
 * change; a handler that the exit interrupted leaves no record, and runs again at the next start.
 */
export async function runHandlers(
  deps: RunDeps,
  look: Look,
  handlers: readonly ChangeHandler[],
  records: ProgressRecords,
): Promise<ObjectChange> {
  let change = NO_CHANGE
  if (handlers.length === 0) return change
  const occasion: Occasion = { body: look.body, cause: look.change.reason, logger: look.surroundings(undefined).logger }
  for (const handler of ofThisTurn(deps, handlers, records)) {
    const record = records.get(handler.id)
    if (deps.stopping.aborted) break
    // A draft of its own: what a handler that was given up still assigns reaches nobody.
    const draft = patchDraft()
    const cycle = { deps, look, records, patch: draft.patch }
    const call = (signal: AbortSignal) => callHandler(cycle, handler, record, signal)
    const attempted = await attempt(deps, occasion, handler, record, call)
    if (attempted.outcome === 'interrupted') break
    if (attempted.outcome === 'permanent') tellOf(look, handler, attempted.error)
    records.set(handler.id, advance(record, attempted.verdict, deps.runtime.clock.now()))
    const result = resultPatch(attempted.result, handler.result)
    if (result) combineMergePatch(draft.patch, result)
    change = joined(change, draft.take())
  }
  return change
}

function ofThisTurn(
  { runtime, lifecycle }: RunDeps,
  handlers: readonly ChangeHandler[],
  records: ProgressRecords,
): readonly ChangeHandler[] {
  const now = runtime.clock.now()
  const byId = new Map(handlers.map((handler) => [handler.id, handler]))
  const due = [...byId.keys()]
    .filter((id) => !records.isFinished(id) && dueIn(records.get(id), now) <= 0)
    .map((id) => ({ id, attempts: records.get(id).retries }))
  return turnOf(lifecycle, due, runtime.random).flatMap((id) => byId.get(id) ?? [])
}

/** A failure for good is visible to whoever looks at the object. */
function tellOf({ surroundings, change }: Look, { id, scope }: ChangeHandler, error: unknown): void {
  const { events } = surroundings(scope)
  events.warn('HandlerFailed', `Handler "${id}" (${change.reason}) failed for good: ${messageOf(error)}`)
}
