import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { IndexKey } from '../declare/index-handler.ts'
import { IndexStore } from './index-store.ts'

const contents = (store: IndexStore<IndexKey, unknown>) =>
  [...store.view].map(([key, values]) => [key, values.toArray()])

describe('an index', () => {
  it('is empty at first', () => {
    const { view } = new IndexStore()
    expect(view.size).toBe(0)
    expect([...view]).toEqual([])
    expect(view.has('x')).toBe(false)
  })

  it('gathers the values of several objects under one key', () => {
    const store = new IndexStore<IndexKey, unknown>()
    store.put('1', [['key1', 'valueA']])
    store.put('2', [['key1', 'valueB']])
    store.put('3', [['key2', { key3: 'valueC' }]])
    expect(contents(store)).toEqual([
      ['key1', ['valueA', 'valueB']],
      ['key2', [{ key3: 'valueC' }]],
    ])
  })

  it('takes out what an object had under other keys', () => {
    const store = new IndexStore<IndexKey, unknown>()
    store.put('1', [
      ['a', 1],
      ['b', 1],
    ])
    store.put('1', [
      ['b', 2],
      ['c', 2],
    ])
    expect(contents(store)).toEqual([
      ['b', [2]],
      ['c', [2]],
    ])
  })

  it('keeps no empty collection', () => {
    const store = new IndexStore<IndexKey, unknown>()
    store.put('1', [['a', 1]])
    store.drop('1')
    expect(store.view.size).toBe(0)
    store.put('1', [['a', 1]])
    store.put('1', [])
    expect(store.view.has('a')).toBe(false)
  })

  it('takes null and undefined for values like others', () => {
    const store = new IndexStore<IndexKey, unknown>()
    store.put('1', [['a', null]])
    store.put('2', [['a', undefined]])
    expect(store.view.get('a').toArray()).toEqual([null, undefined])
  })

  it('keeps equal values of two objects apart', () => {
    const store = new IndexStore<IndexKey, unknown>()
    store.put('1', [['a', 'x']])
    store.put('2', [['a', 'x']])
    store.drop('1')
    expect(store.view.get('a').toArray()).toEqual(['x'])
  })

  it('finds tuples by value', () => {
    const store = new IndexStore<IndexKey, unknown>()
    store.put('1', [[['ns', 'name'], 'hello']])
    expect(store.view.get(['ns', 'name']).toArray()).toEqual(['hello'])
    expect(store.view.has(['ns', 'other'])).toBe(false)
    expect([...store.view.keys()]).toEqual([['ns', 'name']])
  })

  it('is not changed by a half of what cannot be put', () => {
    const store = new IndexStore<IndexKey, unknown>()
    store.put('1', [['a', 1]])
    expect(() =>
      store.put('1', [
        ['b', 2],
        [{} as never, 2],
      ]),
    ).toThrow()
    function* broken(): Iterable<readonly [IndexKey, unknown]> {
      yield ['c', 3]
      throw new Error('broken')
    }
    expect(() => store.put('1', broken())).toThrow('broken')
    expect(contents(store)).toEqual([['a', [1]]])
    store.drop('1')
    expect(store.view.size).toBe(0)
  })
})

describe('a change', () => {
  it.each([10, 5000])('costs the keys of its object, beside %d others', (others) => {
    const store = new IndexStore<string, string>()
    for (let i = 0; i < others; i++) store.put(`uid ${i}`, [[`key ${i}`, 'x']])
    const touched: string[] = []
    const index = store.view
    const values = function* () {
      for (const key of ['a', 'b']) {
        touched.push(key)
        yield [key, 'y'] as const
      }
    }
    store.put('mine', values())
    expect(index.size).toBe(others + 2)
    store.drop('mine')
    expect([touched, index.size]).toEqual([['a', 'b'], others])
  })
})

describe('the values under a key', () => {
  it('are an empty collection for a key that is not there', () => {
    const { view } = new IndexStore<IndexKey, unknown>()
    const values = view.get('x')
    expect([values.size, values.first(), [...values], view.has('x')]).toEqual([0, undefined, [], false])
  })

  it('follow the index', () => {
    const store = new IndexStore<IndexKey, number>()
    const values = store.view.get('a')
    store.put('1', [['a', 1]])
    expect(values.toArray()).toEqual([1])
    store.drop('1')
    expect(values.size).toBe(0)
  })

  it('are iterated as they were when it began', () => {
    const store = new IndexStore<IndexKey, number>()
    for (const id of ['1', '2', '3']) store.put(id, [['a', Number(id)]])
    const seen: number[] = []
    for (const value of store.view.get('a')) {
      seen.push(value)
      store.drop('2')
      store.put('4', [['a', 4]])
    }
    expect(seen).toEqual([1, 2, 3])
  })

  it('can be searched and turned into lists', () => {
    const store = new IndexStore<IndexKey, number>()
    for (const id of ['1', '2', '3']) store.put(id, [['a', Number(id)]])
    const values = store.view.get('a')
    expect(values.has(2)).toBe(true)
    expect(values.has(7)).toBe(false)
    expect(values.map((value) => value * 2)).toEqual([2, 4, 6])
    expect(values.filter((value) => value > 1)).toEqual([2, 3])
    expect(values.find((value) => value > 1)).toBe(2)
    expect(values.some((value) => value > 2)).toBe(true)
    expect(values.every((value) => value > 2)).toBe(false)
    expect(store.view.first('a')).toBe(1)
    expect([...store.view.values()].map((each) => each.size)).toEqual([3])
  })
})

it('is at every moment what a table of all that was put says', () => {
  const keys: readonly IndexKey[] = ['a', 'b', null, 1, ['a', 1], ['a', '1'], []]
  const entries = fc.array(fc.tuple(fc.constantFrom(...keys), fc.integer({ min: 0, max: 3 })), { maxLength: 4 })
  const step = fc.record({ object: fc.constantFrom('1', '2', '3'), entries: fc.option(entries) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const store = new IndexStore<IndexKey, number>()
      const table = new Map<string, Map<string, number>>()
      for (const { object, entries: put } of steps) {
        if (put === null) store.drop(object)
        else store.put(object, put)
        table.set(object, new Map((put ?? []).map(([key, value]) => [JSON.stringify(key), value])))
        for (const key of keys) {
          const expected = [...table.values()].flatMap((row) => row.get(JSON.stringify(key)) ?? []).sort()
          expect(store.view.get(key).toArray().sort()).toEqual(expected)
          expect(store.view.has(key)).toBe(expected.length > 0)
        }
        expect(store.view.size).toBe(new Set([...table.values()].flatMap((row) => [...row.keys()])).size)
      }
    }),
  )
})
