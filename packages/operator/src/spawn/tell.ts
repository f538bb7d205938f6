import { explain } from '@binnacle/core'
import { StopReason } from '../declare/stopped.ts'
import { PermanentError, TemporaryError } from '../run/errors.ts'
import type { Attempted } from '../run/execute.ts'
import type { AttemptDeps, Companion } from './attempt.ts'

/** How a daemon or timer is called in the log. */
export function nameOfCompanion({ handler }: Pick<Companion, 'handler'>): string {
  return `${handler.activity === 'daemon' ? 'Daemon' : 'Timer'} "${handler.id}"`
}

/** One line for each attempt. An error of ours needs no stack; one that nobody expected does; the echo of a stop is no error. */
export function tell({ loggerAt }: Pick<AttemptDeps, 'loggerAt'>, companion: Companion, attempted: Attempted): void {
  const { control, handler, memory } = companion
  const { outcome, error } = attempted
  if (outcome === 'interrupted' || outcome === 'success' || (control.isStopped && isEcho(error))) {
    const became = outcome === 'interrupted' ? 'was cancelled' : control.isStopped ? 'has stopped' : 'succeeded'
    loggerAt('debug', memory, handler.scope)?.debug(`${nameOfCompanion(companion)} ${became}.`)
    return
  }
  const name = nameOfCompanion(companion)
  const expected = error instanceof TemporaryError || error instanceof PermanentError
  const fields = expected || error === undefined ? {} : { error }
  if (outcome === 'permanent') {
    loggerAt('error', memory, handler.scope)?.error(`${name} failed for good: ${explain(error)}`, fields)
    return
  }
  const delay = attempted.verdict.kind === 'again' ? attempted.verdict.delay : 0
  const again = control.isStopped ? '' : ` and will be tried again in ${Math.round(delay * 10) / 10} s`
  const fate = outcome === 'ignored' ? ', which is ignored' : again
  loggerAt('warn', memory, handler.scope)?.warn(`${name} failed${fate}: ${explain(error)}`, fields)
}

/** Whether an error is only the echo of a stop: whoever was handed `stopped` or `signal` rejects like that. */
function isEcho(error: unknown): boolean {
  return error instanceof StopReason || (error instanceof Error && error.name === 'AbortError')
}
