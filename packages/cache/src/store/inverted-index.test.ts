import { expect, it } from 'vitest'
import { InvertedIndex } from './inverted-index.ts'

it('finds entries by value and forgets values that no entry has', () => {
  const index = new InvertedIndex<string, object>()
  const [a, b] = [{}, {}]
  index.move(a, [], ['x', 'y'])
  index.move(b, [], ['y'])
  expect([...index.get('y')]).toEqual([a, b])
  index.move(a, ['x', 'y'], ['y', 'z'])
  expect([...index.values()]).toEqual(['y', 'z'])
  index.move(a, ['y', 'z'], [])
  index.move(b, ['y'], [])
  expect(index.size).toBe(0)
  expect([...index.get('y')]).toEqual([])
})

it('moves an entry with thousands of values', () => {
  const index = new InvertedIndex<number, object>()
  const values = (from: number) => Array.from({ length: 5000 }, (_, i) => from + i)
  const entry = {}
  index.move(entry, [], values(0))
  index.move(entry, values(0), values(1000))
  expect([...index.values()].sort((x, y) => x - y)).toEqual(values(1000))
})

it('takes keys that are not strings, and entries that carry a value of their own', () => {
  const index = new InvertedIndex<string | number | null, { readonly owner: string; readonly value: unknown }>()
  index.add(null, { owner: 'default/a', value: 1 })
  index.add(7, { owner: 'default/a', value: { of: 'its own' } })
  index.add(7, { owner: 'default/b', value: undefined })
  expect([...index.get(7)].map(({ value }) => value)).toEqual([{ of: 'its own' }, undefined])
  expect(index.has('7')).toBe(false)
  expect(index.broken()).toEqual([])
})
