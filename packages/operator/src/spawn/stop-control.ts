import { type Duration, seconds } from '@binnacle/core'
import { type Stopped, StopReason, type StopStage, type StopWhy } from '../declare/stopped.ts'
import type { AlarmClock } from './alarm-clock.ts'

/** Calls back when something has happened; returns what ends that. */
export type Listen = (wake: () => void) => () => void

/** After so many waits that were begun in spite of the stop, and ended at once, each takes up to so many seconds: it is a loop that goes on. */
const TOLERATED = 10
const SLOWED = 1

const NOBODY: readonly never[] = []

/**
 * The stop of one daemon or timer: `stopped` as its function sees it, and the means to bring it about.
 * Guarantees: whoever waits is woken in the step of the stop; after a stop by force waiting rejects; a function that goes on waiting although
 * it was stopped gives way to others each time, and is slowed down; no listener on any signal is left by a wait. There may be one for each object:
 * signals are made when they are asked for, and one that rests costs none.
 */
export class StopControl {
  readonly #alarms: AlarmClock
  #stopped: { readonly signal: Stopped; readonly abort: (reason: StopReason) => void } | undefined
  /** Of the call that is under way, if somebody has asked for it. */
  #force: AbortController | undefined
  #calling = false
  /** Gives up the wait for the call that is under way. */
  #giveUp: ((reason: unknown) => void) | undefined
  /** A new list for each: one that grows takes room for many, and most have one. */
  #waiting: readonly (() => void)[] = NOBODY
  #stage: StopStage = 'signalled'
  /** Waits that were begun after the stop. */
  #unheeded = 0
  #reason: StopReason | undefined
  /** When the stop was asked for, on the monotonic clock. */
  since = 0

  constructor(alarms: AlarmClock) {
    this.#alarms = alarms
  }

  get stopped(): Stopped {
    this.#stopped ??= this.#makeStopped()
    return this.#stopped.signal
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

  /** Whether the function is being called now; between calls there is nothing to force. */
  get calling(): boolean {
    return this.#calling
  }

  /** It is stopped, and not politely. */
  get isForced(): boolean {
    return this.#reason !== undefined && this.#stage !== 'signalled'
  }

  /** The function is called from now on. */
  beginCall(): void {
    this.#calling = true
  }

  endCall(): void {
    this.#calling = false
    this.#force = undefined
    this.#giveUp = undefined
  }

  /** For the call that is under way alone: aborted when it is stopped by force. */
  get force(): AbortSignal {
    this.#force ??= new AbortController()
    if (this.isForced) this.#force.abort(this.#reason)
    return this.#force.signal
  }

  /** The outcome of the call that is under way, or the reason of the stop if that is by force. Costs no signal. */
  unlessForced<T>(running: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject
      if (this.isForced) reject(this.#reason)
      running.then(resolve, reject)
    })
  }

  /** Asks the function to end. Of several reasons the first stays. */
  stop(why: StopWhy): void {
    if (this.#reason) return
    this.since = this.#alarms.now()
    this.#reason = new StopReason(why, () => this.#stage)
    this.#stopped?.abort(this.#reason)
    this.#wakeAll()
  }

  cancel(): void {
    if (this.#stage !== 'signalled' || !this.#reason) return
    this.#stage = 'cancelled'
    this.#force?.abort(this.#reason)
    this.#giveUp?.(this.#reason)
    this.#wakeAll()
  }

  abandon(): void {
    this.cancel()
    this.#stage = 'abandoned'
  }

  /** Sleeps until the time is over, something else wakes it, or the stop. Resolves to whether it was stopped. */
  pause(length: number | undefined, listen?: Listen): Promise<boolean> {
    if (!this.#reason) return this.#sleep(length, listen)
    return this.#sleep(this.#unheeded++ < TOLERATED ? 0 : Math.min(length ?? SLOWED, SLOWED))
  }

  #wakeAll(): void {
    for (const wake of this.#waiting) wake()
  }

  /** Resolves to whether it was stopped; rejects when that was by force. */
  #sleep(length: number | undefined, listen?: Listen): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const wake = () => {
        this.#waiting = this.#waiting.length > 1 ? this.#waiting.filter((each) => each !== wake) : NOBODY
        clear?.()
        unlisten?.()
        if (this.isForced) reject(this.#reason)
        else resolve(this.#reason !== undefined)
      }
      this.#waiting = [...this.#waiting, wake]
      const clear = length === undefined ? undefined : this.#alarms.after(length, wake)
      const unlisten = listen?.(wake)
    })
  }

  #makeStopped() {
    const controller = new AbortController()
    if (this.#reason) controller.abort(this.#reason)
    const wait = (duration?: Duration) => this.pause(duration === undefined ? undefined : seconds(duration))
    const signal = Object.assign(controller.signal, {
      wait,
      async *every(duration: Duration) {
        for (let round = 0; !signal.aborted; round++) {
          yield round
          if (await wait(duration)) return
        }
      },
    }) as Stopped
    return { signal, abort: (reason: StopReason) => controller.abort(reason) }
  }
}
