import { explain, type Logger } from '@binnacle/core'
import { StopReason } from '../declare/stopped.ts'
import { PermanentError, TemporaryError } from '../run/errors.ts'
import type { Attempted } from '../run/execute.ts'
import type { Companion } from './attempt.ts'

/** How a daemon or timer is called in the log. */
export function nameOfCompanion({ handler }: Pick<Companion, 'handler'>): string {
  return `${handler.activity === 'daemon' ? 'Daemon' : 'Timer'} "${handler.id}"`
}

/** One line for each attempt. An error of ours needs no stack; one that nobody expected does; the echo of a stop is no error. */
export function tell(logger: Logger, companion: Companion, attempted: Attempted): void {
  const name = nameOfCompanion(companion)
  const { outcome, error } = attempted
  const { control } = companion
  const expected = error instanceof TemporaryError || error instanceof PermanentError
  const fields = expected || error === undefined ? {} : { error }
  if (outcome === 'interrupted') return logger.debug(`${name} was cancelled.`)
  if (control.isStopped && isEcho(error)) return logger.debug(`${name} has stopped.`)
  if (outcome === 'success') return logger.debug(control.isStopped ? `${name} has stopped.` : `${name} succeeded.`)
  if (outcome === 'permanent') return logger.error(`${name} failed for good: ${explain(error)}`, fields)
  if (outcome === 'ignored') return logger.warn(`${name} failed, which is ignored: ${explain(error)}`, fields)
  const delay = attempted.verdict.kind === 'again' ? attempted.verdict.delay : 0
  const again = control.isStopped ? '' : ` and will be tried again in ${Math.round(delay * 10) / 10} s`
  logger.warn(`${name} failed${again}: ${explain(error)}`, fields)
}

/** Whether an error is only the echo of a stop: whoever was handed `stopped` or `signal` rejects like that. */
function isEcho(error: unknown): boolean {
  return error instanceof StopReason || (error instanceof Error && error.name === 'AbortError')
}
