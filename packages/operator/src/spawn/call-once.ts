import { combineMergePatch, type KubeObject } from '@binnacle/core'
import { digest } from '../cause/digest.ts'
import { type Stopped, StopReason } from '../declare/stopped.ts'
import { type ObjectChange, patchDraft } from '../outcome/patch.ts'
import { resultPatch } from '../outcome/results.ts'
import { clientFor, type RunDeps } from '../run/attempt.ts'
import { execute } from '../run/execute.ts'
import type { SurroundingsOf } from '../run/look.ts'
import type { SpawnHandler } from './attempt.ts'
import { backgroundContext } from './background-context.ts'

/** What a single call needs of its surroundings. */
export interface OneCall {
  readonly deps: RunDeps
  readonly surroundings: SurroundingsOf
  readonly retry: number
}

/**
 * Calls a daemon or a timer once, by itself, and gives what it wants written.
 * Guarantees: it is told to stop when it waits for the first time, so that a daemon makes one round.
 */
export async function callOnce(handler: SpawnHandler, body: KubeObject, call: OneCall): Promise<ObjectChange> {
  const { deps, surroundings, retry } = call
  const { clock, random } = deps.runtime
  const now = clock.now()
  const record = { started: now.toISOString(), retries: retry }
  const draft = patchDraft()
  const begun = clock.monotonic()
  const called = (signal: AbortSignal) => {
    const stopped = stoppedAtFirstWait()
    const source = {
      ...{ handler, body, attempt: retry, started: now, runtime: 0 },
      indices: surroundings(handler.scope).indices,
      surroundings: () => surroundings(handler.scope),
      stopped: () => stopped,
      signal: () => signal,
      patch: () => draft.patch,
      client: () => clientFor(deps, body, signal),
      idempotencyKey: () => digest([body.metadata.uid, handler.id]),
    }
    return handler.fn(backgroundContext(source))
  }
  const { defaultBackoff, exit } = deps
  const attempted = await execute(handler, record, called, { clock, random, defaultBackoff, exit })
  deps.reporter.ended({ handler, cause: handler.activity, body, attempt: retry, at: now.getTime(), begun }, attempted)
  const written = resultPatch(attempted.result, handler.result)
  if (written) combineMergePatch(draft.patch, written)
  return draft.take()
}

function stoppedAtFirstWait(): Stopped {
  const controller = new AbortController()
  const wait = async () => {
    controller.abort(new StopReason('operator-exiting', () => 'signalled'))
    return true
  }
  async function* every() {
    yield 0
    await wait()
  }
  return Object.assign(controller.signal, { wait, every }) as unknown as Stopped
}
