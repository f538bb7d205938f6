import { expect, it } from 'vitest'
import type { Bucket } from './bucket.ts'
import { InvertedIndex } from './inverted-index.ts'

interface Entry {
  readonly owner: string
  readonly value?: unknown
  bucket?: Bucket<Value, Entry>
  place?: number
}
type Value = string | number | null

const indexOfEntries = () =>
  new InvertedIndex<Value, Entry>((entry, _bucket, place) => {
    entry.place = place
  })

function add(index: InvertedIndex<Value, Entry>, value: Value, entry: Entry): Entry {
  const bucket = index.add(value, entry)
  return Object.assign(entry, { bucket, place: bucket.size - 1 })
}

function remove(index: InvertedIndex<Value, Entry>, { bucket, place }: Entry): void {
  if (bucket && place !== undefined) index.remove(bucket, place)
}

it('finds entries by value and forgets values that no entry has', () => {
  const index = indexOfEntries()
  const [a, b] = [add(index, 'y', { owner: 'a' }), add(index, 'y', { owner: 'b' })]
  expect([...index.get('y')]).toEqual([a, b])
  remove(index, a)
  expect([...index.get('y')]).toEqual([b])
  remove(index, b)
  expect(index.size).toBe(0)
  expect(index.get('y').map(String)).toEqual([])
})

it('tells who has taken the place of the one that left, so that each can be removed in any order', () => {
  const index = indexOfEntries()
  const entries = Array.from({ length: 100 }, (_, i) => add(index, i % 3, { owner: String(i) }))
  for (const i of [0, 99, 3, 96, 1, 50, 97, 98]) remove(index, entries[i] as Entry)
  expect(index.get(0).size + index.get(1).size + index.get(2).size).toBe(92)
  for (const { bucket, place, owner } of entries.slice(4, 50)) expect(bucket?.at(place ?? -1)?.owner).toBe(owner)
  expect(index.broken()).toEqual([])
})

it('takes up a value again that nobody had any more, with none of those who had it', () => {
  const index = indexOfEntries()
  const former = ['a', 'b', 'c'].map((owner) => add(index, 'y', { owner }))
  const held = index.get('y')
  for (const entry of [...former].reverse()) remove(index, entry)
  expect([index.has('y'), index.size, [...index.values()], [...held]]).toEqual([false, 0, [], []])
  add(index, 'z', { owner: 'd' })
  expect([index.get('y').size, [...held]]).toEqual([0, []])
  const next = add(index, 'y', { owner: 'e' })
  expect([...index.get('y')]).toEqual([next])
  index.clear()
  expect([...index.get('y'), ...index.values()]).toEqual([])
  const last = add(index, 'y', { owner: 'f' })
  expect([...index.get('y')]).toEqual([last])
  expect(index.broken()).toEqual([])
})

it('takes keys that are not strings, and entries that carry a value of their own', () => {
  const index = indexOfEntries()
  add(index, null, { owner: 'default/a', value: 1 })
  add(index, 7, { owner: 'default/a', value: { of: 'its own' } })
  add(index, 7, { owner: 'default/b', value: undefined })
  expect([...index.get(7)].map(({ value }) => value)).toEqual([{ of: 'its own' }, undefined])
  expect(index.has('7')).toBe(false)
  expect(index.broken()).toEqual([])
})
