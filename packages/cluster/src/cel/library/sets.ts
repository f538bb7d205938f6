/** Lists as sets. */
import { type Overload, overloads } from '../function.ts'
import { equal, type Value } from '../value.ts'

type List = readonly Value[]

const holds = (list: List, item: Value) => list.some((other) => equal(other, item))
const contains = (list: List, part: List) => part.every((item) => holds(list, item))

export const sets = (): readonly Overload[] =>
  overloads({
    'sets.contains(list(A), list(A)) -> bool': contains,
    'sets.equivalent(list(A), list(A)) -> bool': (a: List, b: List) => contains(a, b) && contains(b, a),
    'sets.intersects(list(A), list(A)) -> bool': (a: List, b: List) => b.some((item) => holds(a, item)),
  })
