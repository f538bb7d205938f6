import type { Duration, ObjectOf, ResourceLikes } from '@binnacle/core'
import type { ObjectView } from './context.ts'
import {
  type BackgroundHandler,
  type BackgroundOptions,
  backgroundHandler,
  type DaemonContext,
  type DaemonVerb,
  type Delay,
  daemonHandler,
} from './daemon.ts'
import { DeclarationError } from './declaration-error.ts'
import type { Env, With } from './env.ts'
import { type Declaration, type Handler, length, optionsAndFunction } from './handler.ts'
import type { Declared } from './on.ts'
import type { Behaviour, Fn, StateFilters } from './options.ts'
import type { Field } from './paths.ts'
import type { Registry } from './registry.ts'
import { type Schedule, scheduleOf } from './schedule.ts'
import type { WorkerModule } from './worker.ts'

type In<E extends Env, C> = With<C, E['indices']>

/** When a timer is called. */
export interface TimerExtras<View> {
  /** The pause between calls. Without `interval`, `idle` and `schedule` there is one call. */
  readonly interval?: Duration
  /** Time between the first sight of the object and the first call. @default none */
  readonly initialDelay?: Delay<View>
  /** Call only when nothing essential has changed for so long. Without `interval`, once after each change. */
  readonly idle?: Duration
  /** Count the interval from the start of a call, not from its end. @default false */
  readonly sharp?: boolean
  /**
   * A cron expression, in the place of `interval`: minute, hour, day of the month, month, day of the week, with seconds before them if need be.
   * Moments that pass while a call runs, or while the operator does not, are not made up for. With `idle`, a call waits for that after its moment.
   */
  readonly schedule?: string
  /** The IANA name of the zone that `schedule` is read in. @default 'Etc/UTC' */
  readonly timeZone?: string
  /** `false`: the object may vanish under the timer, which is then stopped. @default true */
  readonly finalizer?: boolean
}

export interface TimerVerb<E extends Env> {
  /**
   * A function that is called for each object again and again.
   * Guarantees: never two calls at a time for one object and id; no call once the object is deleted or does not match any more.
   * @example op.timer(Database, { interval: '1h', idle: '10m' }, ({ patch }) => { patch.status.checked = true })
   */
  timer<R extends ResourceLikes, const F extends Field<ObjectOf<R>> = never, P = undefined>(
    resource: R,
    options: Behaviour<ObjectOf<R>, P> &
      StateFilters<ObjectOf<R>, F, In<E, ObjectView<ObjectOf<R>, E>>> &
      TimerExtras<In<E, ObjectView<ObjectOf<R>, E>>>,
    fn: Fn<In<E, DaemonContext<ObjectOf<R>, E, P>>> | WorkerModule,
  ): Declared
}

/** A timer as data. Times are in seconds. */
export interface TimerHandler extends BackgroundHandler {
  readonly activity: 'timer'
  readonly interval: number | undefined
  readonly idle: number | undefined
  readonly sharp: boolean
  readonly schedule: Schedule | undefined
}

interface TimerOptions extends BackgroundOptions {
  readonly interval?: Duration
  readonly idle?: Duration
  readonly sharp?: boolean
  readonly schedule?: string
  readonly timeZone?: string
}

/** Makes a timer out of what was declared; every contradiction is a DeclarationError. */
export function timerHandler(resource: ResourceLikes, args: Declaration): TimerHandler {
  const [options, fn] = optionsAndFunction('timer', resource, args) as [TimerOptions, Handler['fn']]
  const common = backgroundHandler('timer', resource, options, fn)
  const { id } = common
  const interval = options.interval === undefined ? undefined : length(options.interval, 'interval', id)
  const idle = options.idle === undefined ? undefined : length(options.idle, 'idle', id)
  if (interval === 0) throw busy(id)
  if (options.sharp && interval === undefined) throw sharpWithoutInterval(id)
  const schedule = checkedSchedule(options, id)
  return { ...common, activity: 'timer', interval, idle, sharp: options.sharp ?? false, schedule }
}

function checkedSchedule({ schedule, timeZone, interval, sharp }: TimerOptions, id: string): Schedule | undefined {
  if (schedule === undefined) {
    if (timeZone !== undefined) throw zoneWithoutSchedule(id)
    return undefined
  }
  if (interval !== undefined || sharp) throw twoRhythms(id)
  return scheduleOf(schedule, timeZone, id)
}

function busy(id: string): DeclarationError {
  return new DeclarationError({
    message: `Timer "${id}" has an interval of no time, and would never rest`,
    hint: "Give the pause between two calls: interval: '1s'. For one call only, leave it out.",
  })
}

function twoRhythms(id: string): DeclarationError {
  return new DeclarationError({
    message: `Timer "${id}" has a schedule, and an interval or \`sharp\` beside it`,
    hint: 'Call it by the calendar (`schedule`) or by pauses (`interval`, `sharp`); declare two timers for both. `idle` and `initialDelay` go with either.',
  })
}

function zoneWithoutSchedule(id: string): DeclarationError {
  return new DeclarationError({
    message: `Timer "${id}" has a time zone, but no schedule`,
    hint: 'Only a schedule is read in a zone; an interval is the same everywhere.',
  })
}

function sharpWithoutInterval(id: string): DeclarationError {
  return new DeclarationError({
    message: `Timer "${id}" is sharp, but has no interval`,
    hint: '`sharp` counts the interval from the start of a call: give an interval, or leave `sharp` out.',
  })
}

/** `daemon` and `timer`, writing into the registry of an operator. */
export function backgroundVerbs<E extends Env>(registry: Registry): DaemonVerb<E> & TimerVerb<E> {
  const add = (handler: Parameters<Registry['addBackground']>[0]) => {
    return { id: registry.addBackground(handler).id }
  }
  return {
    daemon: (resource: ResourceLikes, ...args: Declaration) => add(daemonHandler(resource, args)),
    timer: (resource: ResourceLikes, ...args: Declaration) => add(timerHandler(resource, args)),
  } as DaemonVerb<E> & TimerVerb<E>
}
