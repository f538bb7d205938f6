/** From one type to another. */
import { EvaluationError } from '../ast.ts'
import { type Overload, overloads } from '../function.ts'
import { Duration, type Timestamp, type Uint, type Value } from '../value.ts'
import { checkedInt, checkedUint, intFromDouble, printDouble, uintFromDouble } from './numbers.ts'
import { checkedTimestamp, parseDuration, parseTimestamp, printDuration, printTimestamp } from './time-text.ts'

const same = (value: Value) => value

export const conversions = (): readonly Overload[] =>
  overloads({
    'int(int) -> int': same,
    'int(uint) -> int': (a: Uint) => checkedInt(a.value),
    'int(double) -> int': intFromDouble,
    'int(string) -> int': (a: string) => checkedInt(integer(a, 'int')),
    'int(timestamp) -> int': (a: Timestamp) => a.nanos / 1_000_000_000n,
    'int(duration) -> int': (a: Duration) => a.nanos,
    'uint(uint) -> uint': same,
    'uint(int) -> uint': (a: bigint) => checkedUint(a),
    'uint(double) -> uint': uintFromDouble,
    'uint(string) -> uint': (a: string) => checkedUint(integer(a, 'uint')),
    'double(double) -> double': same,
    'double(int) -> double': (a: bigint) => Number(a),
    'double(uint) -> double': (a: Uint) => Number(a.value),
    'double(string) -> double': double,
    'string(string) -> string': same,
    'string(bool) -> string': (a: boolean) => String(a),
    'string(int) -> string': (a: bigint) => String(a),
    'string(uint) -> string': (a: Uint) => String(a.value),
    'string(double) -> string': printDouble,
    'string(bytes) -> string': textOf,
    'string(timestamp) -> string': printTimestamp,
    'string(duration) -> string': printDuration,
    'bytes(bytes) -> bytes': same,
    'bytes(string) -> bytes': (a: string) => new Uint8Array(Buffer.from(a)),
    'bool(bool) -> bool': same,
    'bool(string) -> bool': boolean,
    'timestamp(timestamp) -> timestamp': same,
    'timestamp(string) -> timestamp': timestamp,
    'timestamp(int) -> timestamp': (a: bigint) => checkedTimestamp(a * 1_000_000_000n),
    'duration(duration) -> duration': same,
    'duration(string) -> duration': duration,
    'duration(int) -> duration': (a: bigint) => new Duration(a),
  })

const unreadable = (type: string) => new EvaluationError(`type conversion error from 'string' to '${type}'`)

function integer(text: string, type: string): bigint {
  if (/^[+-]?\d+$/.test(text)) return BigInt(text.replace('+', ''))
  throw unreadable(type)
}

function double(text: string): number {
  const value = text.trim() === '' || /[^0-9.eE+\-a-zA-Z]/.test(text) ? Number.NaN : Number(text)
  if (!Number.isNaN(value) || /^nan$/i.test(text)) return value
  const infinite = /^([+-]?)inf(inity)?$/i.exec(text)
  if (infinite) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  throw unreadable('double')
}

const truths = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((word) => [word, false] as const),
])

function boolean(text: string): boolean {
  const value = truths.get(text)
  if (value === undefined) throw unreadable('bool')
  return value
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string')
  }
}

function timestamp(text: string): Timestamp {
  const value = parseTimestamp(text)
  if (value === undefined) throw unreadable('google.protobuf.Timestamp')
  return checkedTimestamp(value.nanos)
}

function duration(text: string): Duration {
  const value = parseDuration(text)
  if (value === undefined) throw unreadable('google.protobuf.Duration')
  return value
}
