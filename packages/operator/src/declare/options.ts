// biome-ignore-all lint/suspicious/noConfusingVoidType: a function that returns nothing may be given where a result may be
import type { BackoffPolicy, Duration, Json, KubeObject, Mistake } from '@binnacle/core'
import type { Check } from './filters.ts'
import type { FieldPath, FieldValue } from './paths.ts'

/** What a handler may return: nothing, or JSON that goes to the object's status under the handler's id. */
export type Result = Json | undefined | void
export type Fn<Context, R = Result> = (ctx: Context) => R | Promise<R>

/** What an error that is none of ours means: carry on as if nothing happened, try again, or give up. */
export type ErrorsMode = 'ignored' | 'temporary' | 'permanent'

/** How long to wait after the n-th failure (from 0) with an error that carries no delay of its own. */
export type Backoff = Duration | BackoffPolicy | ((attempt: number, error: unknown) => Duration)

/** How a handler is known and how it fails. */
export interface Behaviour<T extends KubeObject, P> {
  /**
   * Under this name progress is stored and lines are logged. Default: the function's name; for one nameless function per
   * cause and resource, the cause. With `field`, `/` and the field are appended.
   */
  readonly id?: string
  /** Handed to the handler as it is. */
  readonly param?: P
  /** What errors other than ours mean. @default 'temporary' */
  readonly errors?: ErrorsMode
  /** Time since the first attempt after which the handler has failed for good; it also aborts `signal`. */
  readonly timeout?: Duration
  /** Number of attempts in all. */
  readonly retries?: number
  /** @default `settings.execution.defaultBackoff` */
  readonly backoff?: Backoff
  /** Where the result goes: `false` for nowhere. @default `status.<id>` */
  readonly result?: false | StatusPath<T>
}

/** A path within the status; any, where the fields of the object are not known. */
type StatusPath<T extends KubeObject> =
  string extends FieldPath<T> ? `status.${string}` : Extract<FieldPath<T>, `status.${string}`>

/** Filters by metadata and by callback. All filters of a handler must hold. */
export interface ObjectFilters<View> {
  readonly labels?: { readonly [label: string]: Check<string, View> }
  readonly annotations?: { readonly [annotation: string]: Check<string, View> }
  /** Looks at whatever it likes; called last. */
  readonly when?: (ctx: View) => boolean
}

/** Filters on the current, and only, state. */
export interface StateFilters<T, F, View> extends ObjectFilters<View> {
  /** The field must be there, or satisfy `value`. */
  readonly field?: F
  readonly value?: Check<FieldValue<T, F>, View>
  readonly old?: Mistake<'`old` exists on update and field handlers only: here there is one state, use `value`'>
  readonly new?: Mistake<'`new` exists on update and field handlers only: here there is one state, use `value`'>
}

/** Filters on a change: the field must have changed; then either `value` on any of the two sides, or each side by itself. */
export type ChangeFilters<T, F, View> = EitherSide<T, F, View> | EachSide<T, F, View>
interface EitherSide<T, F, View> extends ObjectFilters<View> {
  readonly field?: F
  readonly value?: Check<FieldValue<T, F>, View>
  readonly old?: Mistake<'give either `value`, or `old` and `new`'>
  readonly new?: Mistake<'give either `value`, or `old` and `new`'>
}
interface EachSide<T, F, View> extends ObjectFilters<View> {
  readonly field?: F
  readonly value?: Mistake<'give either `value`, or `old` and `new`'>
  readonly old?: Check<FieldValue<T, F>, View>
  readonly new?: Check<FieldValue<T, F>, View>
}

export interface ResumeExtras {
  /** Also for objects that are being deleted. @default false */
  readonly deleted?: boolean
}
export interface DeleteExtras {
  /** Do not hold the object back with a finalizer; the handler then runs only if the deletion is seen in time. */
  readonly optional?: boolean
}
