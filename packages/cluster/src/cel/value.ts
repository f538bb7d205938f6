/**
 * What an expression computes with. An int is a bigint and a double is a number, so that the two never mix by accident.
 * Guarantees: values never change; equality and order are CEL's: numbers compare across their types, everything else within one.
 */
import { EvaluationError } from './ast.ts'

export class Uint {
  readonly value: bigint

  constructor(value: bigint) {
    this.value = value
  }
}

export type Bytes = Uint8Array

export const uint = (value: bigint) => new Uint(value)
export const bytesValue = (bytes: Uint8Array): Bytes => new Uint8Array(bytes)

/** Seconds and nanoseconds since 1970, in UTC. */
export class Timestamp {
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

export class Duration {
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

export class Optional {
  readonly value: Value | undefined

  constructor(value: Value | undefined) {
    this.value = value
  }
}

/** A type as a value: what type(x) gives. */
export class TypeValue {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** A value of one of Kubernetes' own types: an address, a quantity, a version, … */
export abstract class Opaque {
  abstract readonly typeName: string
  abstract equals(other: Opaque): boolean
}

/** A map or an object: keys are strings, ints, uints or booleans. */
export interface MapValue {
  readonly size: number
  get(key: Value): Value | undefined
  keys(): Iterable<Value>
}

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint
  | Uint8Array
  | Timestamp
  | Duration
  | Optional
  | TypeValue
  | Opaque
  | readonly Value[]
  | LiteralMap
  | StructValue

/** The map of a literal or of a macro. */
export class LiteralMap implements MapValue {
  readonly #entries = new Map<string, readonly [Value, Value]>()

  static of(entries: Iterable<readonly [Value, Value]>): LiteralMap {
    const map = new LiteralMap()
    for (const [key, value] of entries) {
      const id = keyId(key)
      if (id === undefined) throw new EvaluationError(`unsupported key type: ${typeName(key)}`)
      map.#entries.set(id, [key, value])
    }
    return map
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Value): Value | undefined {
    const id = keyId(key)
    return id === undefined ? undefined : this.#entries.get(id)?.[1]
  }

  *keys(): Iterable<Value> {
    for (const [key] of this.#entries.values()) yield key
  }
}

/** A part of an object of the cluster, read when it is asked for. Binding knows how. */
export abstract class StructValue implements MapValue {
  abstract readonly size: number
  abstract get(key: Value): Value | undefined
  abstract keys(): Iterable<Value>
}

/** Equal numbers are equal keys, whatever their type. */
function keyId(key: Value): string | undefined {
  if (typeof key === 'string') return `s${key}`
  if (typeof key === 'boolean') return `b${key}`
  const number = exactly(key)
  return number === undefined ? undefined : `n${number}`
}

/** The integer that a number is; undefined for fractions and everything else. */
function exactly(value: Value): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (value instanceof Uint) return value.value
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : undefined
}

export const isMap = (value: Value): value is LiteralMap | StructValue =>
  value instanceof LiteralMap || value instanceof StructValue
export const isList = (value: Value): value is readonly Value[] => Array.isArray(value)
export const isNumber = (value: Value): value is bigint | number | Uint =>
  typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint

/** Lists that are sets, or that are keyed: their order does not count. Binding marks them. */
const unordered = new WeakMap<readonly Value[], (item: Value) => Value>()

export function markUnordered(list: readonly Value[], keyOf: (item: Value) => Value): void {
  unordered.set(list, keyOf)
}

export const unorderedBy = (list: readonly Value[]) => unordered.get(list)

export function equal(a: Value, b: Value): boolean {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) === 0
  if (isList(a)) return isList(b) && equalLists(a, b)
  if (isMap(a)) return isMap(b) && equalMaps(a, b)
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(a, b)
  if (a instanceof Opaque) return b instanceof Opaque && a.typeName === b.typeName && a.equals(b)
  return a === b
}

function equalOptionals(a: Optional, b: Optional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value
  return equal(a.value, b.value)
}

function equalLists(a: readonly Value[], b: readonly Value[]): boolean {
  if (a.length !== b.length) return false
  if (unordered.has(a)) return a.every((item) => b.some((other) => equal(item, other)))
  return a.every((item, i) => equal(item, b[i] as Value))
}

function equalMaps(a: MapValue, b: MapValue): boolean {
  if (a.size !== b.size) return false
  for (const key of a.keys()) {
    const other = b.get(key)
    if (other === undefined || !equal(a.get(key) as Value, other)) return false
  }
  return true
}

/** Negative, zero or positive; undefined when the two cannot be ordered. */
export function compare(a: Value, b: Value): number | undefined {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b)
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  if ((a instanceof Timestamp && b instanceof Timestamp) || (a instanceof Duration && b instanceof Duration)) {
    return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0
  }
  return undefined
}

/** By code points, which is the order of the bytes in UTF-8. */
function compareText(a: string, b: string): number {
  if (a === b) return 0
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

const isNaNumber = (value: bigint | number) => typeof value === 'number' && Number.isNaN(value)

/** NaN is beside every order: neither less, nor equal, nor more. */
function compareNumbers(a: bigint | number | Uint, b: bigint | number | Uint): number {
  const [x, y] = [a instanceof Uint ? a.value : a, b instanceof Uint ? b.value : b]
  if (x < y) return -1
  if (x > y) return 1
  return isNaNumber(x) || isNaNumber(y) ? Number.NaN : 0
}

const typeNames: readonly (readonly [new (...args: never[]) => object, string])[] = [
  [Uint, 'uint'],
  [Uint8Array, 'bytes'],
  [Timestamp, 'google.protobuf.Timestamp'],
  [Duration, 'google.protobuf.Duration'],
  [Optional, 'optional_type'],
  [TypeValue, 'type'],
  [LiteralMap, 'map'],
  [StructValue as never, 'map'],
]

export function typeName(value: Value): string {
  if (value === null) return 'null_type'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'number') return 'double'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  if (isList(value)) return 'list'
  if (value instanceof Opaque) return value.typeName
  return typeNames.find(([type]) => value instanceof type)?.[1] ?? 'dyn'
}

/** For messages. */
export function shown(value: Value): string {
  if (value instanceof Uint) return String(value.value)
  return typeof value === 'object' && value !== null ? typeName(value) : String(value)
}
