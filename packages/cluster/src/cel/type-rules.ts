/** What single expressions are by themselves: the types of literals, of elements, of names that are types. Pure. */
import { pattern } from '../schema/pattern.ts'
import type { Node } from './ast.ts'
import { parseDuration, parseTimestamp } from './library/time-text.ts'
import { dyn, fits, int, type Scalar, type Type, text } from './type.ts'
import { Duration, Timestamp, Uint, type Value } from './value.ts'

/** The type that a chain of names spells: google.protobuf.Timestamp. */
export function typeNamed(node: Node): string | undefined {
  const name = spelled(node)
  return name !== undefined && typeNames.has(name) ? name : undefined
}

function spelled(node: Node): string | undefined {
  if (node.op === 'name') return node.name
  if (node.op !== 'select' || node.optional) return undefined
  const front = spelled(node.target)
  return front === undefined ? undefined : `${front}.${node.field}`
}

export const typeOfTypes: Type = { kind: 'type' }
export const typeNames = new Set(
  [
    'bool',
    'bytes',
    'double',
    'duration',
    'int',
    'list',
    'map',
    'null_type',
    'string',
    'timestamp',
    'type',
    'uint',
  ].concat(['optional_type', 'google.protobuf.Timestamp', 'google.protobuf.Duration']),
)

export function literalType(value: Value): Type {
  const kind = ((): Scalar => {
    if (value === null) return 'null'
    if (typeof value === 'bigint') return 'int'
    if (typeof value === 'number') return 'double'
    if (typeof value === 'boolean') return 'bool'
    if (value instanceof Uint) return 'uint'
    if (value instanceof Uint8Array) return 'bytes'
    if (value instanceof Timestamp) return 'timestamp'
    return value instanceof Duration ? 'duration' : 'string'
  })()
  return kind === 'string' && typeof value === 'string' ? text : { kind }
}

export function isGoodConstant(name: string, value: Value): boolean {
  switch (name) {
    case 'matches':
    case 'find':
    case 'findAll':
      return typeof value !== 'string' || isPattern(value)
    case 'timestamp':
      return typeof value !== 'string' || parseTimestamp(value) !== undefined
    case 'duration':
      return typeof value === 'string' && parseDuration(value) !== undefined
    default:
      return true
  }
}

function isPattern(expression: string): boolean {
  try {
    pattern(expression)
    return true
  } catch {
    return false
  }
}

export function elementType(target: Type, key: Type): Type | undefined {
  if (target.kind === 'dyn') return dyn
  if (target.kind === 'list') return fits(key, int, new Map()) ? target.item : undefined
  if (target.kind === 'map') return fits(key, target.key, new Map()) ? target.value : undefined
  return undefined
}

export function rangeOf(type: Type): { readonly key: Type; readonly value: Type } | undefined {
  if (type.kind === 'dyn') return { key: dyn, value: dyn }
  if (type.kind === 'list') return { key: int, value: type.item }
  return type.kind === 'map' ? { key: type.key, value: type.value } : undefined
}
