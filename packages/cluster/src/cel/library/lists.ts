/** Lists: order, sums and places. */
import { EvaluationError } from '../ast.ts'
import { type Overload, overloads, type Signatures } from '../function.ts'
import { compare, Duration, equal, isList, Optional, type Uint, type Value } from '../value.ts'
import { checkedInt, checkedUint } from './numbers.ts'
import { checkedDuration } from './time-text.ts'

type List = readonly Value[]

const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']

export function lists(): readonly Overload[] {
  const found: Record<string, Signatures[string]> = {
    'list(A).indexOf(A) -> int': (list: List, item: Value) => BigInt(list.findIndex((other) => equal(other, item))),
    'list(A).distinct() -> list(A)': distinct,
    'list(A).first() -> optional(A)': (list: List) => new Optional(list[0]),
    'list(A).last() -> optional(A)': (list: List) => new Optional(list.at(-1)),
    'list(A).reverse() -> list(A)': (list: List) => [...list].reverse(),
    'list(list(A)).flatten() -> list(A)': (list: readonly List[]) => list.flat(1),
    'list(dyn).flatten(int) -> list(dyn)': (list: List, depth: bigint) => flattened(list, depth),
    'list(A).slice(int, int) -> list(A)': slice,
    'lists.range(int) -> list(int)': range,
    'list(int).sum() -> int': (list: readonly bigint[]) => list.reduce((a, b) => checkedInt(a + b), 0n),
    'list(uint).sum() -> uint': (list: readonly Uint[]) =>
      list.reduce((a, b) => checkedUint(a.value + b.value), checkedUint(0n)),
    'list(double).sum() -> double': (list: readonly number[]) => list.reduce((a, b) => a + b, 0),
    'list(duration).sum() -> duration': (list: readonly Duration[]) =>
      list.reduce((a, b) => checkedDuration(a.nanos + b.nanos), new Duration(0n)),
  }
  for (const type of comparable) {
    found[`list(${type}).isSorted() -> bool`] = isSorted
    found[`list(${type}).sort() -> list(${type})`] = (list: List) => [...list].sort((a, b) => compare(a, b) ?? 0)
    found[`list(${type}).min() -> ${type}`] = (list: List) => extreme(list, 'min', (order) => order < 0)
    found[`list(${type}).max() -> ${type}`] = (list: List) => extreme(list, 'max', (order) => order > 0)
  }
  found['list(A).lastIndexOf(A) -> int'] = (list: List, item: Value) => {
    for (let i = list.length - 1; i >= 0; i--) if (equal(list[i] as Value, item)) return BigInt(i)
    return -1n
  }
  return overloads(found)
}

function isSorted(list: List): boolean {
  return list.every((item, i) => i === 0 || (compare(list[i - 1] as Value, item) ?? 1) <= 0)
}

function extreme(list: List, name: string, better: (order: number) => boolean): Value {
  const [first, ...rest] = list
  if (first === undefined) throw new EvaluationError(`${name} called on empty list`)
  return rest.reduce((best, item) => (better(compare(item, best) ?? 0) ? item : best), first)
}

function distinct(list: List): List {
  return list.filter((item, i) => list.findIndex((other) => equal(other, item)) === i)
}

function flattened(list: List, depth: bigint): List {
  if (depth < 0n) throw new EvaluationError('level must be non-negative')
  return list.flatMap((item) => (isList(item) && depth > 0n ? flattened(item, depth - 1n) : [item]))
}

function slice(list: List, from: bigint, to: bigint): List {
  if (from < 0n || to < 0n) throw new EvaluationError(`cannot slice(${from}, ${to}), negative indexes not supported`)
  if (from > to)
    throw new EvaluationError(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`)
  if (to > BigInt(list.length)) throw new EvaluationError(`cannot slice(${from}, ${to}), list is length ${list.length}`)
  return list.slice(Number(from), Number(to))
}

/** The longest range: more would not fit in what a rule may cost. */
const maxRange = 1_000_000n

function range(count: bigint): List {
  if (count > maxRange) throw new EvaluationError('operation cancelled: actual cost limit exceeded')
  return Array.from({ length: Math.max(0, Number(count)) }, (_, i) => BigInt(i))
}
