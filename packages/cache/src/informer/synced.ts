import { BinnacleError, type Logger } from '@binnacle/core'

/** Something that has once seen everything there is. */
export interface Synced {
  /** What it is called in the message of a wait that was given up. */
  readonly name?: string
  hasSynced(): boolean
  /** Resolves when `hasSynced`; rejects if that will never be, or with the signal's reason. */
  whenSynced(signal?: AbortSignal): Promise<void>
}

export interface WaitForOptions {
  readonly signal: AbortSignal
  /** What waits, for the log. @default nothing is logged */
  readonly what?: string
  /** Is told of each that has synced, if `what` is given. @default silence */
  readonly logger?: Logger
}

/** Resolves when all have synced. The error of a wait that failed or was aborted names those that have not, sorted, and carries the cause. */
export async function waitFor({ signal, what, logger }: WaitForOptions, ...synced: readonly Synced[]): Promise<void> {
  const nameOf = (one: Synced, i: number) => one.name ?? `number ${i + 1}`
  const outcomes = await Promise.allSettled(
    synced.map(async (one, i) => {
      await one.whenSynced(signal)
      if (what !== undefined) logger?.info(`${what}: ${nameOf(one, i)} has synced`)
    }),
  )
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (!failed) return
  const names = synced.map(nameOf).filter((_, i) => !synced[i]?.hasSynced())
  throw new BinnacleError('BIN_STATE', {
    message: `${what === undefined ? 'The' : `${what}: the`} wait for the first list ended without: ${names.sort().join(', ')}`,
    hint: 'Either the wait was aborted, or they were stopped, or the server does not answer: look at their `state` and `lastError`.',
    cause: failed.reason,
  })
}

/** Resolves when all have synced. The error of a wait that failed or was aborted names those that have not. */
export function waitForCacheSync(signal: AbortSignal, ...what: readonly Synced[]): Promise<void> {
  return waitFor({ signal }, ...what)
}
