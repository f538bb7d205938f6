/** How values are gone through, and into. */
import { EvaluationError } from './ast.ts'
import { noSuchOverload } from './function.ts'
import { isList, isMap, isNumber, type MapValue, Optional, Uint, type Value } from './value.ts'

export interface Step {
  readonly first: Value
  readonly second: Value
}

/** With one variable: the items of a list, the keys of a map. With two: index and item, key and value. */
export function* stepsOf(target: Value, two: boolean): Iterable<Step> {
  if (isList(target)) {
    for (const [i, item] of target.entries())
      yield two ? { first: BigInt(i), second: item } : { first: item, second: null }
    return
  }
  if (!isMap(target)) throw noSuchOverload()
  for (const key of target.keys()) yield { first: key, second: two ? ((target as MapValue).get(key) as Value) : null }
}

export const longNames = new Map([
  ['timestamp', 'google.protobuf.Timestamp'],
  ['duration', 'google.protobuf.Duration'],
])

/** A field or an item behind a question mark: nothing, when any part of the way is absent. */
export function within(target: Value, key: Value): Optional {
  const inner = target instanceof Optional ? target.value : target
  if (inner === undefined) return new Optional(undefined)
  if (isMap(inner)) return new Optional(inner.get(key))
  if (isList(inner)) return new Optional(itemAt(inner, key))
  throw noSuchOverload()
}

export function itemAt(list: readonly Value[], key: Value): Value | undefined {
  if (!isNumber(key)) throw noSuchOverload()
  const index = key instanceof Uint ? key.value : key
  if (typeof index === 'number' && !Number.isInteger(index))
    throw new EvaluationError(`unsupported index value: ${index}`)
  return index >= 0 && index < list.length ? list[Number(index)] : undefined
}

/** A tenth of a unit for each character or item, as the original counts. */
export function weight(value: Value): number {
  if (typeof value === 'string' || isList(value) || value instanceof Uint8Array) return Math.ceil(value.length / 10)
  return isMap(value) ? Math.ceil(value.size / 10) : 0
}
