import fc from 'fast-check'
import { expect, it } from 'vitest'
import { digest } from './digest.ts'

it('is the same whatever the order of members', () => {
  expect(digest({ a: 1, b: { c: [1, 2], d: null } })).toBe(digest({ b: { d: null, c: [1, 2] }, a: 1 }))
})

it.each([
  [
    [1, 2],
    [2, 1],
  ],
  [{ a: 1 }, { a: '1' }],
  [{ a: 0 }, { a: false }],
  [{}, []],
  [['a', 'b'], ['a,b']],
  [{ 'a"': 1 }, { a: 1 }],
])('tells %j from %j', (a, b) => {
  expect(digest(a)).not.toBe(digest(b))
})

it('takes an undefined member for none', () => {
  expect(digest({ a: undefined, b: 1 })).toBe(digest({ b: 1 }))
})

it('is equal exactly for what JSON writes equally', () => {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return ['list', ...value.map(sorted)]
    if (typeof value !== 'object' || value === null) return value
    return Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member), 'member'])
  }
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const same = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
      expect(digest(a) === digest(b)).toBe(same)
      expect(digest(a)).toMatch(/^[A-Za-z0-9_-]{22}$/)
    }),
  )
})
