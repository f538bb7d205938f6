import { messageOf } from '@binnacle/core'
import type { DaemonHandler } from '../declare/daemon.ts'
import type { Attempts } from '../progress/progress.ts'
import { objectView } from '../run/context.ts'
import { type AttemptDeps, attempt, type Companion } from './attempt.ts'
import { nameOfCompanion } from './tell.ts'

/** How a run has ended: by itself, by failing for good, or because it was asked to. */
export type End = 'done' | 'failed' | 'stopped'

/**
 * Runs a daemon for one object until it ends.
 * Guarantees: errors, retries and timeout as for all handlers, counted in memory; every wait also watches the stop.
 */
export async function runDaemon(deps: AttemptDeps, companion: Companion<DaemonHandler>): Promise<End> {
  const { control } = companion
  if (await initialDelay(deps, companion)) return 'stopped'
  for (let record = begin(deps); ; record = again(record)) {
    const { verdict } = await attempt(deps, companion, record)
    if (control.isStopped || !verdict) return 'stopped'
    if (verdict.kind !== 'again') return verdict.kind === 'success' ? 'done' : 'failed'
    if (await control.pause(verdict.delay)) return 'stopped'
  }
}

/** In memory only: a restart begins anew. */
export function begin({ runtime }: AttemptDeps): Attempts {
  return new FirstAttempt(runtime.clock.now().getTime())
}

/** After a failure that may be repaired. */
export function again({ started, retries }: Attempts): Attempts {
  return { started, retries: retries + 1 }
}

/** The moment is put into words when somebody asks for it: there is one of these for each call of each timer. */
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

/** Resolves to whether it was stopped. */
export async function initialDelay(deps: AttemptDeps, companion: Companion): Promise<boolean> {
  const { handler, memory, control } = companion
  if (handler.initialDelay === 0) return control.isStopped
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
