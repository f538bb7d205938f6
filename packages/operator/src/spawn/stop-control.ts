import { type Duration, seconds } from '@binnacle/core'
import { type Stopped, StopReason, type StopStage, type StopWhy } from '../declare/stopped.ts'
import type { AlarmClock } from './alarm-clock.ts'

/** Calls back when something has happened; returns what ends that. */
export type Listen = (wake: () => void) => () => void

/** After so many waits that were begun in spite of the stop, and ended at once, each takes up to so many seconds: it is a loop that goes on. */
const TOLERATED = 10
const SLOWED = 1

/**
 * The stop of one daemon or timer: `stopped` as its function sees it, and the means to bring it about.
 * Guarantees: whoever waits is woken in the step of the stop; after a stop by force waiting rejects; a function that goes on waiting although
 * it was stopped gives way to others each time, and is slowed down; no listener on any signal is left by a wait.
 */
export class StopControl {
  readonly stopped: Stopped
  readonly #alarms: AlarmClock
  readonly #controller = new AbortController()
  readonly #force = new AbortController()
  readonly #waiting = new Set<() => void>()
  #stage: StopStage = 'signalled'
  /** Waits that were begun after the stop. */
  #unheeded = 0
  #reason: StopReason | undefined
  /** Whether the function is being called now; between calls there is nothing to force. */
  calling = false
  /** When the stop was asked for, on the monotonic clock. */
  since = 0

  constructor(alarms: AlarmClock) {
    this.#alarms = alarms
    const wait = (duration?: Duration) => this.pause(duration === undefined ? undefined : seconds(duration))
    this.stopped = Object.assign(this.#controller.signal, {
      wait,
      async *every(duration: Duration) {
        for (let round = 0; !stopped.aborted; round++) {
          yield round
          if (await wait(duration)) return
        }
      },
    }) as Stopped
    const { stopped } = this
  }

  get isStopped(): boolean {
    return this.#reason !== undefined
  }

  /** Why it stops; undefined while it is not asked to. */
  get why(): StopWhy | undefined {
    return this.#reason?.why
  }

  get stage(): StopStage | undefined {
    return this.#reason && this.#stage
  }

  /** Aborted when the function is stopped by force. */
  get force(): AbortSignal {
    return this.#force.signal
  }

  /** Asks the function to end. Of several reasons the first stays. */
  stop(why: StopWhy): void {
    if (this.#reason) return
    this.since = this.#alarms.now()
    this.#reason = new StopReason(why, () => this.#stage)
    this.#controller.abort(this.#reason)
    for (const wake of this.#waiting) wake()
  }

  cancel(): void {
    if (this.#stage !== 'signalled' || !this.#reason) return
    this.#stage = 'cancelled'
    this.#force.abort(this.#reason)
    for (const wake of this.#waiting) wake()
  }

  abandon(): void {
    this.cancel()
    this.#stage = 'abandoned'
  }

  /** Sleeps until the time is over, something else wakes it, or the stop. Resolves to whether it was stopped. */
  async pause(length: number | undefined, listen?: Listen): Promise<boolean> {
    if (!this.#reason) await this.#sleep(length, listen)
    else await this.#sleep(this.#unheeded++ < TOLERATED ? 0 : Math.min(length ?? SLOWED, SLOWED))
    if (this.#force.signal.aborted) throw this.#reason
    return this.#reason !== undefined
  }

  #sleep(length: number | undefined, listen?: Listen): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake)
        clear?.()
        unlisten?.()
        resolve()
      }
      this.#waiting.add(wake)
      const clear = length === undefined ? undefined : this.#alarms.after(length, wake)
      const unlisten = listen?.(wake)
    })
  }
}
