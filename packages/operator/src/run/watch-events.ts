import { combineMergePatch, type KubeObject } from '@binnacle/core'
import { digest } from '../cause/digest.ts'
import type { EventHandler } from '../declare/handler.ts'
import type { Result } from '../declare/options.ts'
import { type ObjectChange, patchDraft } from '../outcome/patch.ts'
import { resultPatch } from '../outcome/results.ts'
import type { Progress } from '../progress/progress.ts'
import { stateMismatch } from '../select/match.ts'
import { jobOf } from '../worker/job.ts'
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
  const call = (signal: AbortSignal) => called(deps, handler, event, surroundings, record, patch, signal)
  const { result } = await attempt(deps, { body, cause: 'event', logger: surroundings.logger }, handler, record, call)
  const change = resultPatch(result, handler.result)
  if (change) combineMergePatch(patch, change)
}

/** On the event loop, or in a thread. */
function called(
  deps: RunDeps,
  handler: EventHandler,
  event: WatchedEvent,
  surroundings: Surroundings,
  record: Progress,
  patch: object,
  signal: AbortSignal,
): Result | Promise<Result> {
  const body: KubeObject = event.object
  const { uid, resourceVersion } = body.metadata
  const idempotencyKey = () => digest([uid, handler.id, event.type, resourceVersion])
  const info = attemptInfo(record, deps.runtime.clock.now(), signal)
  const { module } = handler.fn
  if (module) {
    const extra = { type: event.type, event }
    const object = { resource: surroundings.resource, body }
    const attempted = { ...info, idempotencyKey: idempotencyKey() }
    return deps.threads.run(jobOf(handler, module, object, surroundings, attempted, patch, { extra }))
  }
  const means = { patch, client: clientFor(deps, body, signal), idempotencyKey }
  return handler.fn(eventContext(handler, event, surroundings, info, means))
}

/** An event is told once: there is no progress to keep. */
function onlyAttempt(now: Date): Progress {
  return { started: now.toISOString(), purpose: 'update', retries: 0, success: false, failure: false, essence: '' }
}
