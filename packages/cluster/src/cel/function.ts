/**
 * Functions and operators as data: a signature that the checker reads, and what runs.
 * A name may have many overloads; which one is meant is decided by the types of the arguments, when they are known, or by the values.
 */
import { EvaluationError } from './ast.ts'
import { parseType, splitTypes, type Type } from './type.ts'
import { Duration, isList, isMap, Opaque, Optional, Timestamp, typeName, Uint, type Value } from './value.ts'

export interface Overload {
  readonly name: string
  /** Whether it is called as a method: the receiver is its first parameter. */
  readonly method: boolean
  readonly parameters: readonly Type[]
  readonly result: Type
  readonly run: (...args: never[]) => Value
}

/** `name(types) -> type`, or `type.name(types) -> type` for methods, with what runs. */
export type Signatures = Readonly<Record<string, (...args: never[]) => Value>>

export function overloads(signatures: Signatures): readonly Overload[] {
  return Object.entries(signatures).map(([signature, run]) => overloadOf(signature, run))
}

const shape = /^(?:(.+)\.)?([^.()]+)\((.*)\) -> (.+)$/

function overloadOf(signature: string, run: Overload['run']): Overload {
  const [, receiver, name = '', words = '', result = 'dyn'] = shape.exec(signature) ?? []
  // `sets.contains` and `optional.of` are names with a dot, not methods: nothing of that type exists.
  const qualified = receiver !== undefined && qualifiers.has(receiver)
  const types = splitTypes(words)
  return {
    name: qualified ? `${receiver}.${name}` : name,
    method: receiver !== undefined && !qualified,
    parameters: (receiver !== undefined && !qualified ? [receiver, ...types] : types).map(parseType),
    result: parseType(result),
    run,
  }
}

export const qualifiers: ReadonlySet<string> = new Set(['sets', 'optional', 'ip', 'format', 'strings', 'lists'])

/** Whether a value may be an argument of a parameter's type: as deep as one look tells. */
export function accepts(value: Value, type: Type): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'parameter':
      return true
    case 'list':
      return isList(value)
    case 'map':
    case 'object':
      return isMap(value)
    case 'optional':
      return value instanceof Optional
    case 'opaque':
      return value instanceof Opaque && value.typeName === type.name
    case 'uint':
      return value instanceof Uint
    case 'null':
      return value === null
    case 'timestamp':
      return value instanceof Timestamp
    case 'duration':
      return value instanceof Duration
    default:
      return typeName(value) === type.kind
  }
}

export function noSuchOverload(): EvaluationError {
  return new EvaluationError('no such overload')
}
