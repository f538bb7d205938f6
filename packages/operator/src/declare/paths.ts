// biome-ignore-all lint/suspicious/noExplicitAny: loose objects are part of the face, so that a first operator needs no types
import type { Mistake } from '@binnacle/core'

// Paths descend through objects only, never into lists. A depth limit alone is not enough: a schema that embeds a wide
// recursive type (JSONSchemaProps) has 52,000 paths of six levels and takes 20 s to check. So a type that is met again inside
// of itself, and whatever lies below six levels, is open: any path is accepted there, and only its value type is still known.
type Leaf = string | number | boolean | bigint | null | undefined | readonly unknown[]
type Seen<T, Above> = Above extends readonly [infer Head, ...infer Rest]
  ? [T, Head] extends [Head, T]
    ? true
    : Seen<T, Rest>
  : false
type Paths<T, Above extends readonly unknown[]> = T extends Leaf
  ? never
  : string extends keyof T
    ? string
    : Above['length'] extends 6
      ? string
      : Seen<T, Above> extends true
        ? string
        : { [K in keyof T & string]-?: K | `${K}.${Paths<NonNullable<T[K]>, readonly [T, ...Above]>}` }[keyof T &
            string]

/** Dotted paths to the fields of `T`, such as `'spec.replicas'`; any string when `T` is loose. */
export type FieldPath<T> = string extends keyof T ? string : Paths<T, []>

/** How a field is named: a dotted path, checked; or the keys one by one, which is the way to reach keys with dots in them. */
export type Field<T> = FieldPath<T> | readonly string[]

type AtPath<T, P extends string> = T extends null | undefined
  ? undefined
  : P extends `${infer Head}.${infer Rest}`
    ? Head extends keyof T
      ? AtPath<T[Head], Rest>
      : unknown
    : P extends keyof T
      ? T[P]
      : unknown
type AtKeys<T, P> = P extends readonly [infer Head, ...infer Rest]
  ? T extends null | undefined
    ? undefined
    : Head extends keyof T
      ? AtKeys<T[Head], Rest>
      : unknown
  : T

/** The type of the value in a field, when it is there. */
export type FieldValue<T, F> = [F] extends [never]
  ? Mistake<'`value`, `old` and `new` need a `field` to look at'>
  : string extends keyof T
    ? any
    : F extends string
      ? Exclude<AtPath<T, F>, undefined>
      : Exclude<AtKeys<T, F>, undefined>
