import type { Json, Mistake } from '@binnacle/core'

/** The field, label or annotation is there, whatever its value; an empty string is a value. */
export const PRESENT: unique symbol = Symbol('PRESENT')
/** The field, label or annotation is not there. */
export const ABSENT: unique symbol = Symbol('ABSENT')
export type Marker = typeof PRESENT | typeof ABSENT

/** A set of accepted values; made by `oneOf`. Unlike a callback it can be pushed to the server as a selector. */
export interface OneOf<V> {
  readonly '~oneOf': readonly V[]
}
export function oneOf<const V extends readonly unknown[]>(...values: V): OneOf<V[number]> {
  return { '~oneOf': values }
}

/**
 * One criterion for one value: a literal to equal, a marker, a set, or a callback with the value (undefined when absent) and
 * the handler's view of the object. Callbacks are synchronous and must not change anything.
 */
export type Check<V, View> = 0 extends 1 & V
  ? LooseCheck<View>
  : [V] extends [Mistake<string>]
    ? V
    : V | Marker | OneOf<V> | ((value: V | undefined, ctx: View) => boolean)
/** Where the field may be anything. A union with `any` would be `any`, and say nothing of the callback's arguments. */
// biome-ignore lint/suspicious/noExplicitAny: as loose as the object
type LooseCheck<View> = Json | Marker | OneOf<any> | ((value: any, ctx: View) => boolean)

type AnyCheck = (...args: never[]) => boolean
type First<F> = (F extends (a: infer A, b: infer _) => boolean ? (x: A) => void : never) extends (x: infer A) => void
  ? A
  : never
type Second<F> = (F extends (a: infer _, b: infer B) => boolean ? (x: B) => void : never) extends (x: infer B) => void
  ? B
  : never
/** The combination of checks, whichever of the two shapes they have. */
type Joined<F> = (value: First<F>, ctx?: Second<F>) => boolean

// Written in place, the arguments of the checks follow from where the result goes (first form); of functions combined
// elsewhere they follow from the functions (second form). The views of filters must not depend on `field`, or the first
// form breaks: TypeScript would have to infer the one from the other.
interface Combine {
  <A extends readonly unknown[]>(...checks: readonly ((...args: NoInfer<A>) => boolean)[]): (...args: A) => boolean
  <const F extends readonly AnyCheck[]>(...checks: F): Joined<F[number]>
}
interface Negate {
  <A extends readonly unknown[]>(check: (...args: NoInfer<A>) => boolean): (...args: A) => boolean
  <F extends AnyCheck>(check: F): Joined<F>
}
type Checks = readonly ((...args: readonly unknown[]) => boolean)[]
type Combined = (...args: readonly unknown[]) => boolean

/** The check must fail. */
export const not = ((check: Checks[number]): Combined =>
  (...args) =>
    !check(...args)) as Negate
/** Every check must pass. */
export const all = ((...checks: Checks): Combined =>
  (...args) =>
    checks.every((check) => check(...args))) as Combine
/** At least one check must pass. */
export const any = ((...checks: Checks): Combined =>
  (...args) =>
    checks.some((check) => check(...args))) as Combine
/** Every check must fail. */
export const none = ((...checks: Checks): Combined =>
  (...args) =>
    !checks.some((check) => check(...args))) as Combine
