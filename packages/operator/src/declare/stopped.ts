import type { Duration } from '@binnacle/core'

export type StopWhy = 'done' | 'filters-mismatch' | 'resource-deleted' | 'operator-pausing' | 'operator-exiting'
export type StopStage = 'signalled' | 'cancelled' | 'abandoned'

const IN_WORDS: { readonly [why in StopWhy]: string } = {
  done: 'it has ended',
  'filters-mismatch': 'the object does not match the filters any more',
  'resource-deleted': 'the object is deleted',
  'operator-pausing': 'the operator pauses',
  'operator-exiting': 'the operator exits',
}

/** Why a daemon or timer stops, and how far the stopping has come. It is also the error that aborted calls reject with. */
export class StopReason extends Error {
  override readonly name = 'StopReason'
  readonly why: StopWhy
  readonly #stage: () => StopStage

  constructor(why: StopWhy, stage: () => StopStage) {
    super(`Stopped: ${IN_WORDS[why]}`)
    this.why = why
    this.#stage = stage
  }

  /** Live: asked to stop; then cancelled by force; then abandoned. */
  get stage(): StopStage {
    return this.#stage()
  }
}

/**
 * A real AbortSignal, aborted as soon as the daemon or timer ought to end: pass it to `fetch` or to timers. Test it with
 * `stopped.aborted`; the object itself is always truthy.
 */
export interface Stopped extends AbortSignal {
  readonly reason: StopReason | undefined
  /**
   * Sleeps, but wakes up when stopped. Resolves to whether it was stopped: `while (!(await stopped.wait('10s'))) …`.
   * Without a duration it waits for the stop. Rejects with the reason when the daemon is cancelled by force.
   */
  wait(duration?: Duration): Promise<boolean>
  /** Yields 0, 1, 2, … at once and then after each pause, and ends when stopped. */
  every(duration: Duration): AsyncIterableIterator<number>
}
