import { BinnacleError } from '@binnacle/core'

/** Something that has once seen everything there is. */
export interface Synced {
  /** What it is called in the message of a wait that was given up. */
  readonly name?: string
  hasSynced(): boolean
  /** Resolves when `hasSynced`; rejects if that will never be, or with the signal's reason. */
  whenSynced(signal?: AbortSignal): Promise<void>
}

/** Resolves when all have synced. The error of a wait that failed or was aborted names those that have not. */
export async function waitForCacheSync(signal: AbortSignal, ...what: readonly Synced[]): Promise<void> {
  const outcomes = await Promise.allSettled(what.map((one) => one.whenSynced(signal)))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (!failed) return
  const missing = what.map((one, i) => ({ name: one.name ?? `number ${i + 1}`, synced: one.hasSynced() }))
  const names = missing.filter(({ synced }) => !synced).map(({ name }) => name)
  throw new BinnacleError('BIN_STATE', {
    message: `The wait for the first list ended without: ${names.sort().join(', ')}`,
    hint: 'Either the wait was aborted, or they were stopped, or the server does not answer: look at their `state` and `lastError`.',
    cause: failed.reason,
  })
}
