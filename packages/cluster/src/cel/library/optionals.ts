/** Values that may be absent. `or` and `orValue` are run by the evaluator: their argument may never be worked out. */
import { EvaluationError } from '../ast.ts'
import { type Overload, overloads } from '../function.ts'
import { isList, isMap, Optional, Uint, type Value } from '../value.ts'

export const optionals = (): readonly Overload[] =>
  overloads({
    'optional.of(A) -> optional(A)': (value: Value) => new Optional(value),
    'optional.none() -> optional(A)': () => new Optional(undefined),
    'optional.ofNonZeroValue(A) -> optional(A)': (value: Value) => new Optional(isZero(value) ? undefined : value),
    'optional(A).hasValue() -> bool': (value: Optional) => value.value !== undefined,
    'optional(A).value() -> A': (value: Optional) => value.value ?? absent(),
    'optional(A).or(optional(A)) -> optional(A)': (value: Optional) => value,
    'optional(A).orValue(A) -> A': (value: Optional, other: Value) => value.value ?? other,
  })

function absent(): never {
  throw new EvaluationError('optional.none() dereference')
}

function isZero(value: Value): boolean {
  if (isList(value)) return value.length === 0
  if (isMap(value)) return value.size === 0
  if (value instanceof Uint) return value.value === 0n
  if (value instanceof Uint8Array) return value.length === 0
  return value === null || value === false || value === '' || value === 0 || value === 0n
}
