/** Operators, size, type and dyn. */
import { type Overload, overloads, type Signatures } from '../function.ts'
import {
  compare,
  type Duration,
  equal,
  type MapValue,
  markUnordered,
  type Timestamp,
  TypeValue,
  typeName,
  type Uint,
  unorderedBy,
  type Value,
} from '../value.ts'
import { checkedInt, checkedUint, divided, remainder } from './numbers.ts'
import { checkedDuration, checkedTimestamp } from './time-text.ts'

const arithmetic: Signatures = {
  '_+_(int, int) -> int': (a: bigint, b: bigint) => checkedInt(a + b),
  '_-_(int, int) -> int': (a: bigint, b: bigint) => checkedInt(a - b),
  '_*_(int, int) -> int': (a: bigint, b: bigint) => checkedInt(a * b),
  '_/_(int, int) -> int': (a: bigint, b: bigint) => checkedInt(divided(a, b)),
  '_%_(int, int) -> int': (a: bigint, b: bigint) => remainder(a, b),
  '_+_(uint, uint) -> uint': (a: Uint, b: Uint) => checkedUint(a.value + b.value),
  '_-_(uint, uint) -> uint': (a: Uint, b: Uint) => checkedUint(a.value - b.value),
  '_*_(uint, uint) -> uint': (a: Uint, b: Uint) => checkedUint(a.value * b.value),
  '_/_(uint, uint) -> uint': (a: Uint, b: Uint) => checkedUint(divided(a.value, b.value)),
  '_%_(uint, uint) -> uint': (a: Uint, b: Uint) => checkedUint(remainder(a.value, b.value)),
  '_+_(double, double) -> double': (a: number, b: number) => a + b,
  '_-_(double, double) -> double': (a: number, b: number) => a - b,
  '_*_(double, double) -> double': (a: number, b: number) => a * b,
  '_/_(double, double) -> double': (a: number, b: number) => a / b,
  '-_(int) -> int': (a: bigint) => checkedInt(-a),
  '-_(double) -> double': (a: number) => -a,
  '!_(bool) -> bool': (a: boolean) => !a,
}

const joining: Signatures = {
  '_+_(string, string) -> string': (a: string, b: string) => a + b,
  '_+_(bytes, bytes) -> bytes': (a: Uint8Array, b: Uint8Array) => new Uint8Array(Buffer.concat([a, b])),
  '_+_(list(A), list(A)) -> list(A)': (a: readonly Value[], b: readonly Value[]) => joined(a, b),
  '_+_(duration, duration) -> duration': (a: Duration, b: Duration) => checkedDuration(a.nanos + b.nanos),
  '_+_(timestamp, duration) -> timestamp': (a: Timestamp, b: Duration) => checkedTimestamp(a.nanos + b.nanos),
  '_+_(duration, timestamp) -> timestamp': (a: Duration, b: Timestamp) => checkedTimestamp(a.nanos + b.nanos),
  '_-_(duration, duration) -> duration': (a: Duration, b: Duration) => checkedDuration(a.nanos - b.nanos),
  '_-_(timestamp, timestamp) -> duration': (a: Timestamp, b: Timestamp) => checkedDuration(a.nanos - b.nanos),
  '_-_(timestamp, duration) -> timestamp': (a: Timestamp, b: Duration) => checkedTimestamp(a.nanos - b.nanos),
}

/** A set takes what it lacks; a keyed list takes new items, and the newer ones of those that it has. */
function joined(a: readonly Value[], b: readonly Value[]): readonly Value[] {
  const keyOf = unorderedBy(a)
  if (!keyOf) return [...a, ...b]
  const merged = a.map((item) => b.find((other) => equal(keyOf(other), keyOf(item))) ?? item)
  const added = b.filter((item) => !a.some((other) => equal(keyOf(other), keyOf(item))))
  const result = [...merged, ...added]
  markUnordered(result, keyOf)
  return result
}

const ordered = ['int', 'uint', 'double', 'string', 'bool', 'bytes', 'timestamp', 'duration']
const numeric = ['int', 'uint', 'double']

function relations(): Signatures {
  const tests = {
    '<': (order: number) => order < 0,
    '<=': (order: number) => order <= 0,
    '>': (order: number) => order > 0,
    '>=': (order: number) => order >= 0,
  }
  const found: Record<string, (a: Value, b: Value) => boolean> = {}
  for (const [sign, test] of Object.entries(tests)) {
    const run = (a: Value, b: Value) => test(compare(a, b) ?? Number.NaN)
    for (const type of ordered) found[`_${sign}_(${type}, ${type}) -> bool`] = run
    for (const a of numeric) for (const b of numeric) found[`_${sign}_(${a}, ${b}) -> bool`] = run
  }
  return found
}

const general: Signatures = {
  '_==_(A, A) -> bool': (a: Value, b: Value) => equal(a, b),
  '_!=_(A, A) -> bool': (a: Value, b: Value) => !equal(a, b),
  '@in(A, list(A)) -> bool': (a: Value, b: readonly Value[]) => b.some((item) => equal(item, a)),
  '@in(A, map(A, B)) -> bool': (a: Value, b: MapValue) => b.get(a) !== undefined,
  'type(A) -> type': (a: Value) => new TypeValue(typeName(a)),
  'dyn(A) -> dyn': (a: Value) => a,
  'size(string) -> int': (a: string) => BigInt([...a].length),
  'size(bytes) -> int': (a: Uint8Array) => BigInt(a.length),
  'size(list(A)) -> int': (a: readonly Value[]) => BigInt(a.length),
  'size(map(A, B)) -> int': (a: MapValue) => BigInt(a.size),
  'string.size() -> int': (a: string) => BigInt([...a].length),
  'bytes.size() -> int': (a: Uint8Array) => BigInt(a.length),
  'list(A).size() -> int': (a: readonly Value[]) => BigInt(a.length),
  'map(A, B).size() -> int': (a: MapValue) => BigInt(a.size),
}

export const operators = (): readonly Overload[] => overloads({ ...arithmetic, ...joining, ...relations(), ...general })
