import { exponential, ForbiddenError, InvalidError, messageOf } from '@binnacle/core'
import { applyIntention } from '../outcome/apply.ts'
import type { ObjectChange } from '../outcome/patch.ts'
import type { AttemptDeps, Companion } from './attempt.ts'
import { nameOfCompanion } from './tell.ts'

/** Between rounds of tries at one write, each of which has waited already. */
const PAUSES = exponential({ initial: '5s', max: '5m', jitter: 0.5 })

/**
 * Writes what a daemon or timer wants, beside the object's cycle.
 * Guarantees: it arrives, or the log says why not: the server refuses it, or it still failed when the run was stopped. Nothing is written to
 * an object that is gone.
 */
export async function deliver(deps: AttemptDeps, companion: Companion, change: ObjectChange): Promise<void> {
  deps.delivering(true)
  try {
    await tryUntilStopped(deps, companion, change)
  } finally {
    deps.delivering(false)
  }
}

async function tryUntilStopped(deps: AttemptDeps, companion: Companion, change: ObjectChange): Promise<void> {
  const { memory, control } = companion
  for (let attempt = 0; memory.exists; attempt++) {
    try {
      await applyIntention(deps.apply(memory), memory.body, { change, finalizer: 'leave' }, deps.lastCall)
      return
    } catch (error) {
      if (control.isStopped || isRefusal(error)) return giveUp(deps, companion, error)
      const pause = PAUSES.delay(attempt, deps.runtime.random)
      const { logger } = deps.surroundings(memory, undefined)
      logger.warn(`What ${nameOfCompanion(companion)} wrote could not be sent, and is tried again: ${messageOf(error)}`)
      await control.pause(pause)
    }
  }
}

function giveUp({ surroundings }: AttemptDeps, companion: Companion, error: unknown): void {
  const { logger } = surroundings(companion.memory, undefined)
  logger.error(`What ${nameOfCompanion(companion)} wrote is lost: ${messageOf(error)}`)
}

/** Trying again would change nothing. */
function isRefusal(error: unknown): boolean {
  return error instanceof InvalidError || error instanceof ForbiddenError
}
