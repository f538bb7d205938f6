import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { IndexKey } from '../declare/index-handler.ts'
import { internKey } from './index-key.ts'

const scalar = fc.oneof(
  fc.string({ maxLength: 3 }),
  fc.constantFrom('1', 'null', 'true', '', ',', '["a"]', '#NaN'),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
)
const key = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })) as fc.Arbitrary<IndexKey>

/** Equality as the ruling has it: by type and value, tuples item by item; numbers as a Map compares them. */
const equal = (a: unknown, b: unknown): boolean =>
  Array.isArray(a) && Array.isArray(b)
    ? a.length === b.length && a.every((item, i) => equal(item, b[i]))
    : a === b || (Number.isNaN(a) && Number.isNaN(b))

it('is one string for equal keys, and another for others', () => {
  fc.assert(
    fc.property(key, key, (a, b) => {
      expect(internKey(a) === internKey(b)).toBe(equal(a, b))
    }),
    { numRuns: 2000 },
  )
})

it.each<[IndexKey, IndexKey]>([
  ['1', 1],
  ['null', null],
  ['true', true],
  [0, false],
  [['a'], 'a'],
  [['a', 'b'], ['a,b']],
  [
    ['a', 'b'],
    ['b', 'a'],
  ],
  [[], ''],
  [Number.NaN, '#NaN'],
  [[null], null],
])('%j and %j are two keys', (a, b) => {
  expect(internKey(a)).not.toBe(internKey(b))
})

describe('what is no key', () => {
  it.each([[undefined], [{}], [Symbol('x')], [1n], [() => {}], [['a', undefined]], [[['a']]], [new Date(0)]])(
    '%s is refused, with what a key is',
    (wrong) => {
      expect(() => internKey(wrong as never)).toThrow('cannot be the key of an index')
    },
  )
})
