import { combineMergePatch, type KubeObject } from '@binnacle/core'
import { digest } from '../cause/digest.ts'
import type { EventHandler } from '../declare/handler.ts'
import type { Result } from '../declare/options.ts'
import { type ObjectChange, patchDraft } from '../outcome/patch.ts'
import { resultPatch } from '../outcome/results.ts'
import type { Progress } from '../progress/progress.ts'
import { stateMismatch } from '../select/match.ts'
import { attempt, attemptInfo, clientFor, type RunDeps } from './attempt.ts'
import { eventContext, eventView, type Surroundings, type WatchedEvent } from './context.ts'
import type { SurroundingsOf } from './look.ts'

/**
 * Tells events of the watch to the handlers that want them, one after another, in the order in which they came.
 * Guarantees: each event once, whatever becomes of the handler; what the handlers want written, results included, comes back as one change.
 * Does not guarantee: that an event which the exit interrupted is told again.
 */
export async function tellEvents(
  deps: RunDeps,
  handlers: readonly EventHandler[],
  events: WatchedEvent[],
  surroundingsOf: SurroundingsOf,
): Promise<ObjectChange> {
  const draft = patchDraft()
  // What comes meanwhile waits for the next cycle: whoever answers events with writes must not keep this one for ever.
  for (const event of events.splice(0)) {
    for (const handler of handlers) {
      if (deps.stopping.aborted) return draft.take()
      await tell(deps, handler, event, surroundingsOf(handler.scope), draft.patch)
    }
  }
  return draft.take()
}

async function tell(
  deps: RunDeps,
  handler: EventHandler,
  event: WatchedEvent,
  surroundings: Surroundings,
  patch: object,
): Promise<void> {
  const body = event.object
  const view = eventView(event, surroundings)
  if (stateMismatch(handler.filters, { body, view: () => view })) return
  const record = onlyAttempt(deps.runtime.clock.now())
  const call = (signal: AbortSignal) =>
    handler.fn(contextOf(deps, handler, event, surroundings, record, patch, signal)) as Promise<Result>
  const { result } = await attempt(deps, { body, cause: 'event', logger: surroundings.logger }, handler, record, call)
  const change = resultPatch(result, handler.result)
  if (change) combineMergePatch(patch, change)
}

function contextOf(
  deps: RunDeps,
  handler: EventHandler,
  event: WatchedEvent,
  surroundings: Surroundings,
  record: Progress,
  patch: object,
  signal: AbortSignal,
): object {
  const { uid, resourceVersion } = (event.object as KubeObject).metadata
  const idempotencyKey = digest([uid, handler.id, event.type, resourceVersion])
  return eventContext(
    handler,
    event,
    surroundings,
    attemptInfo(record, deps.runtime.clock.now(), signal, idempotencyKey),
    { patch, client: clientFor(deps, event.object, signal) },
  )
}

/** An event is told once: there is no progress to keep. */
function onlyAttempt(now: Date): Progress {
  return { started: now.toISOString(), purpose: 'update', retries: 0, success: false, failure: false, essence: '' }
}
