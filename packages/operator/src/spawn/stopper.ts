import type { StopStage } from '../declare/stopped.ts'
import type { AlarmClock } from './alarm-clock.ts'
import type { StopControl } from './stop-control.ts'

/** How long each stage of a stop may take, in seconds. */
export interface StopLimits {
  /** Between the request and force. */
  readonly backoff: number | undefined
  /** Between force and giving up. Undefined: no force, and no giving up. */
  readonly timeout: number | undefined
  /** Between two looks at what has no limit. */
  readonly polling: number
}

export interface StopStep {
  readonly stage: StopStage
  /** Seconds until the next look; undefined when nothing is left to be done. */
  readonly again: number | undefined
}

/** Turns of the event loop in which a function may end after it was asked to, before it sees anything else. */
const POLITE_TURNS = 3

/** Sums of fractions of seconds miss each other by a hair. */
const HAIR = 1e-6

/**
 * How far a stop has come when it was asked for so many seconds ago: asked politely, then by force, then given up; or, without a timeout,
 * asked politely for ever.
 */
export function stopStep(age: number, { backoff = 0, timeout, polling }: StopLimits): StopStep {
  if (timeout === undefined) return { stage: 'signalled', again: polling }
  if (age + HAIR < backoff) return { stage: 'signalled', again: backoff - age }
  if (age + HAIR < backoff + timeout) return { stage: 'cancelled', again: backoff + timeout - age }
  return { stage: 'abandoned', again: undefined }
}

/** What becomes of a stop is told to whoever keeps the run. */
export interface StopWitness {
  /** Time passes, and nothing limits it. */
  waiting(age: number): void
  abandoned(age: number): void
}

/**
 * Leads a stop through its stages.
 * Guarantees: nothing happens at a later stage to a function that has ended, and one that ends at once sees no force;
 * what has been called and has returned is not forced while it only writes its result; each stage begins when its time has come, whatever else the object is busy with.
 */
export class Stopper {
  readonly #control: StopControl
  readonly #alarms: AlarmClock
  readonly #limits: StopLimits
  readonly #witness: StopWitness
  #clear: (() => void) | undefined
  #ended = false

  constructor(control: StopControl, alarms: AlarmClock, limits: StopLimits, witness: StopWitness) {
    this.#control = control
    this.#alarms = alarms
    this.#limits = limits
    this.#witness = witness
  }

  /** The stop has just been asked for. */
  begin(turns = POLITE_TURNS): void {
    const next = turns > 1 ? () => this.begin(turns - 1) : () => this.#look(false)
    this.#clear = this.#alarms.after(0, next)
  }

  /** The function has ended. */
  end(): void {
    this.#ended = true
    this.#clear?.()
  }

  #look(polled: boolean): void {
    if (this.#ended) return
    const age = this.#alarms.now() - this.#control.since
    const { stage, again } = stopStep(age, this.#limits)
    if (!this.#control.calling) return this.#lookAgain(Math.min(again ?? this.#limits.polling, this.#limits.polling))
    if (stage === 'cancelled') this.#control.cancel()
    if (again === undefined) return this.#abandon(age)
    if (polled && this.#limits.timeout === undefined) this.#witness.waiting(age)
    this.#lookAgain(again)
  }

  #lookAgain(seconds: number): void {
    this.#clear = this.#alarms.after(seconds, () => this.#look(true))
  }

  #abandon(age: number): void {
    this.#control.abandon()
    this.#witness.abandoned(age)
  }
}
