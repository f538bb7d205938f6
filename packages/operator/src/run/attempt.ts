import type { Client } from '@binnacle/client'
import { explain, type KubeObject, type Logger, type ResourceVersion, type Runtime } from '@binnacle/core'
import type { Handler } from '../declare/handler.ts'
import type { Backoff, Result } from '../declare/options.ts'
import type { Progress } from '../progress/progress.ts'
import type { Reporter } from '../report/reporter.ts'
import type { Lifecycle } from '../select/lifecycle.ts'
import type { Threads } from '../worker/job.ts'
import type { AttemptInfo } from './context.ts'
import { PermanentError, TemporaryError } from './errors.ts'
import { type Attempted, execute } from './execute.ts'

export interface RunDeps {
  readonly runtime: Runtime
  readonly client: Client
  readonly operatorName: string
  readonly defaultBackoff: Backoff
  readonly lifecycle: Lifecycle
  readonly reporter: Reporter
  /** A handler has written its own object by itself, past the cycle. */
  readonly wrote: (uid: string, version: ResourceVersion) => void
  readonly threads: Threads
  /** Aborted when the operator stops: no further handler begins. */
  readonly stopping: AbortSignal
  /** Aborted when it can wait no longer: running handlers are interrupted. */
  readonly exit: AbortSignal
}

/** What a handler is called for: which object, and why. */
export interface Occasion {
  readonly body: KubeObject
  readonly cause: string
  readonly logger: Logger
}

/**
 * One attempt at a handler, told to whoever observes and to the log.
 * Guarantees: never throws; one line in the log for each attempt.
 */
export async function attempt(
  deps: RunDeps,
  occasion: Occasion,
  handler: Handler,
  record: Progress,
  call: (signal: AbortSignal) => Result | Promise<Result>,
  exit: AbortSignal = deps.exit,
): Promise<Attempted> {
  const { clock, random } = deps.runtime
  const { body, cause } = occasion
  const at = clock.now().getTime()
  const reported = { handler, cause, body, attempt: record.retries, at, begun: clock.monotonic() }
  deps.reporter.begun(reported)
  const attempted = await execute(handler, record, call, { clock, random, defaultBackoff: deps.defaultBackoff, exit })
  tell(occasion, handler, attempted)
  deps.reporter.ended(reported, attempted)
  return attempted
}

/** What a context tells about this attempt. */
export function attemptInfo(record: Progress, now: Date, signal: AbortSignal): AttemptInfo {
  const started = new Date(record.started)
  const runtime = (now.getTime() - started.getTime()) / 1000
  return { retry: record.retries, started, runtime, signal }
}

/** A client that acts in the object's namespace, in the name of the operator, for as long as the attempt. */
export function clientFor(
  { client, operatorName, wrote }: RunDeps,
  { metadata }: KubeObject,
  signal: AbortSignal,
): Client {
  const { namespace, uid } = metadata
  const onWrite = ({ metadata: written }: KubeObject) => {
    if (written.uid === uid) wrote(uid, written.resourceVersion)
  }
  return client.with({ fieldManager: operatorName, signal, onWrite, ...(namespace !== undefined && { namespace }) })
}

/** One line for each attempt. An error of ours needs no stack; one that nobody expected does. */
function tell({ logger, cause }: Occasion, { id }: Handler, attempted: Attempted): void {
  const handler = `Handler "${id}" (${cause})`
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
    case 'waiting':
      return logger.debug(`${handler} waits for its steps.`)
    case 'interrupted':
      return logger.warn(`${handler} was interrupted, and will run again.`)
  }
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10
}
