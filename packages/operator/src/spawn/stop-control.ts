import { type Duration, seconds } from '@binnacle/core'
import { type Stopped, StopReason, type StopStage, type StopWhy } from '../declare/stopped.ts'
import { Alarm, type AlarmClock } from './alarm-clock.ts'

/** Calls back when something has happened; returns what ends that. */
export type Listen = (wake: () => void) => () => void

/** After so many waits that were begun in spite of the stop, and ended at once, each takes up to so many seconds: it is a loop that goes on. */
const TOLERATED = 10
const SLOWED = 1

/** One who sleeps until the alarm rings, something else wakes it, or the stop. */
abstract class Sleeper extends Alarm {
  /** Beside it, one control may have others: they are a list, since most have one, and a collection would weigh more than all of it. */
  next: Sleeper | undefined
  /** While it sleeps. An alarm that was cleared is kept by the clock for a while, and must not hold anybody. */
  control: StopControl | undefined

  override ring(): void {
    this.control?.wake(this)
  }

  /** It sleeps no more. */
  abstract woken(control: StopControl): void
}

/** A sleep that is awaited. */
class Pause extends Sleeper {
  #resolve: ((stopped: boolean | Promise<boolean>) => void) | undefined
  #unlisten: (() => void) | undefined

  /** Resolves to whether it was stopped; rejects with the reason if that was by force. */
  begin(listen: Listen | undefined): Promise<boolean> {
    this.#unlisten = listen?.(() => this.ring())
    return new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  override woken({ isForced, isStopped, reason }: StopControl): void {
    this.#unlisten?.()
    this.#resolve?.(isForced ? Promise.reject(reason) : isStopped)
    this.#resolve = undefined
    this.#unlisten = undefined
  }
}

/** A sleep that nobody awaits: whoever rests between calls for most of its life has neither a promise nor a frame meanwhile. It may be used again. */
export class Rest extends Sleeper {
  readonly #then: (stopped: boolean) => void

  constructor(then: (stopped: boolean) => void) {
    super()
    this.#then = then
  }

  override woken({ isStopped }: StopControl): void {
    this.#then(isStopped)
  }
}

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
  /** The first of those who sleep. */
  #sleeper: Sleeper | undefined
  /** One who has slept, for the next who does. */
  #spare: Pause | undefined
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

  get reason(): StopReason | undefined {
    return this.#reason
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
  }

  /** For the call that is under way alone: aborted when it is stopped by force. */
  get force(): AbortSignal {
    this.#force ??= new AbortController()
    if (this.isForced) this.#force.abort(this.#reason)
    return this.#force.signal
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
    this.#wakeAll()
  }

  abandon(): void {
    this.cancel()
    this.#stage = 'abandoned'
  }

  /** Sleeps until the time is over, something else wakes it, or the stop. Resolves to whether it was stopped. */
  pause(length: number | undefined, listen?: Listen): Promise<boolean> {
    const pause = this.#spare ?? new Pause()
    this.#spare = undefined
    if (!this.#reason) this.#sleep(pause, length)
    else this.#sleep(pause, this.#unheeded++ < TOLERATED ? 0 : Math.min(length ?? SLOWED, SLOWED))
    return pause.begin(this.#reason ? undefined : listen)
  }

  /** Sleeps until the time is over, or the stop. Assumes: it is not stopped yet. */
  rest(rest: Rest, length: number): void {
    this.#sleep(rest, length)
  }

  /** Ends a sleep. */
  wake(sleeper: Sleeper): void {
    // The clock has let go of one that has rung, which can serve once more.
    const isFree = !sleeper.isSet
    this.#alarms.clear(sleeper)
    this.#remove(sleeper)
    sleeper.control = undefined
    sleeper.next = undefined
    sleeper.woken(this)
    if (isFree && sleeper instanceof Pause) this.#spare = sleeper
  }

  #wakeAll(): void {
    for (let each = this.#sleeper; each; each = this.#sleeper) this.wake(each)
  }

  #sleep(sleeper: Sleeper, length: number | undefined): void {
    sleeper.control = this
    this.#add(sleeper)
    if (length !== undefined) this.#alarms.set(sleeper, length)
  }

  /** The last is woken last. */
  #add(sleeper: Sleeper): void {
    let last = this.#sleeper
    while (last?.next) last = last.next
    if (last) last.next = sleeper
    else this.#sleeper = sleeper
  }

  #remove(sleeper: Sleeper): void {
    if (this.#sleeper === sleeper) this.#sleeper = sleeper.next
    for (let each = this.#sleeper; each; each = each.next) if (each.next === sleeper) each.next = sleeper.next
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
