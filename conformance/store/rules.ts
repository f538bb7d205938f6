import type { Indexer, Store } from '@binnacle/cache'
import { expect } from 'vitest'
import { type Rule, rule } from '../rule.ts'

export interface Item {
  readonly id: string
  readonly value: string
}
export type MakeStore = () => Store<Item>

const item = (id: string, value = 'v'): Item => ({ id, value })
const ids = (items: Iterable<Item>) => Array.from(items, ({ id }) => id).sort()

/** What every store promises, a queue that is used as one included. */
export const storeRules: readonly Rule<MakeStore>[] = [
  rule('ST1: gives what was added, and nothing for what was not', (make) => {
    const store = make()
    store.add(item('a'))
    expect(store.get(item('a', 'x'))?.id).toBe('a')
    expect(store.get(item('b'))).toBeUndefined()
    expect([store.has('a'), store.has('b'), store.size]).toEqual([true, false, 1])
  }),
  rule('ST2: shows the newest, until it is deleted', (make) => {
    const store = make()
    store.add(item('a', '1'))
    store.update(item('a', '2'))
    expect(store.getByKey('a')?.value.startsWith('2')).toBe(true)
    store.delete(item('a'))
    store.delete(item('a'))
    expect([store.get(item('a')), store.size]).toEqual([undefined, 0])
    store.update(item('b'))
    expect(store.getByKey('b')?.id).toBe('b')
  }),
  rule('ST3: lists exactly what is stored', (make) => {
    const store = make()
    for (const id of ['c', 'a', 'b']) store.add(item(id))
    store.delete(item('b'))
    expect([ids(store.list()), store.listKeys().sort(), ids(store)]).toEqual([
      ['a', 'c'],
      ['a', 'c'],
      ['a', 'c'],
    ])
    for (const id of ['a', 'b', 'c']) expect(store.getByKey(id)).toBe(store.get(item(id)))
  }),
  rule('ST4: a replacement leaves exactly the new content, the last of two with one key', (make) => {
    const store = make()
    store.add(item('old'))
    store.add(item('a', '1'))
    store.replace([item('a', '2'), item('b'), item('a', '3')], '5')
    expect([ids(store.list()), store.getByKey('a')?.value[0], store.size]).toEqual([['a', 'b'], '3', 2])
    store.replace([], '6')
    expect(store.list()).toEqual([])
  }),
  rule('is as it was when a key cannot be made', (make) => {
    const store = make()
    store.add(item('a'))
    expect(() => store.add(undefined as unknown as Item)).toThrow()
    expect(() => store.replace([item('b'), undefined as unknown as Item], '1')).toThrow()
    expect(ids(store.list())).toEqual(['a'])
  }),
  rule('takes names that mean something to JavaScript', (make) => {
    const store = make()
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '']
    expect(names.map((name) => store.has(name))).toEqual(names.map(() => false))
    for (const name of names) store.add(item(name))
    expect(store.listKeys().sort()).toEqual([...names].sort())
    for (const name of names) expect(store.getByKey(name)?.id).toBe(name)
  }),
]

export interface Tagged {
  readonly id: string
  readonly tags: readonly string[]
}
export type MakeIndexer = (options?: {
  readonly failing?: (item: Tagged) => boolean
  readonly indexErrors?: 'throw' | 'ignored' | 'temporary'
}) => Indexer<Tagged, 'tag' | 'first'>

const tagged = (id: string, ...tags: string[]): Tagged => ({ id, tags })

/** What every store with indices promises. Its indices are `tag`: all tags, and `first`: the first tag, which may fail. */
export const indexerRules: readonly Rule<MakeIndexer>[] = [
  rule('ST8: a probe finds all and only those that share a value with it', (make) => {
    const indexer = make()
    indexer.replace([tagged('a', 'x'), tagged('b', 'x', 'y'), tagged('c', 'y'), tagged('d')], '1')
    const found = (...tags: string[]) => indexer.index('tag', tagged('probe', ...tags)).map(({ id }) => id)
    expect([found('x').sort(), found('x', 'y').sort(), found(), found('z')]).toEqual([
      ['a', 'b'],
      ['a', 'b', 'c'],
      [],
      [],
    ])
  }),
  rule(
    'TS1, TS2, IX1, IX2, IX3: each object is under exactly its values, and values go with their last object',
    (make) => {
      const indexer = make()
      indexer.add(tagged('a', 'x', 'y'))
      indexer.add(tagged('b', 'x'))
      expect([indexer.indexKeys('tag', 'x'), indexer.listIndexFuncValues('tag').sort()]).toEqual([
        ['a', 'b'],
        ['x', 'y'],
      ])
      indexer.delete(tagged('b'))
      expect(indexer.indexKeys('tag', 'x')).toEqual(['a'])
      indexer.update(tagged('a', 'z'))
      expect([indexer.listIndexFuncValues('tag'), indexer.byIndex('tag', 'x'), indexer.byIndex('tag', 'none')]).toEqual(
        [['z'], [], []],
      )
      indexer.delete(tagged('a'))
      expect(indexer.listIndexFuncValues('tag')).toEqual([])
    },
  ),
  rule('TS3: goes from one value to many and back without losing one', (make) => {
    const indexer = make()
    for (const tags of [['x'], ['x', 'y'], ['y', 'x', 'x'], ['y'], [], ['x']]) {
      indexer.update(tagged('a', ...tags))
      const values = ['x', 'y'].filter((value) => indexer.indexKeys('tag', value).includes('a'))
      expect(values).toEqual([...new Set(tags)].sort())
      expect(indexer.listIndexFuncValues('tag').sort()).toEqual([...new Set(tags)].sort())
      for (const value of values) expect(indexer.byIndex('tag', value)).toHaveLength(1)
    }
  }),
  rule('shows the newest object by index as by key', (make) => {
    const indexer = make()
    indexer.add(tagged('a', 'x'))
    const newer = tagged('a', 'x')
    indexer.update(newer)
    expect(indexer.byIndex('tag', 'x')[0]).toBe(newer)
    expect(indexer.getByKey('a')).toBe(newer)
  }),
  rule('IX-ours: an index function that throws changes nothing, in no index', (make) => {
    const indexer = make({ failing: ({ tags }) => tags.includes('bad'), indexErrors: 'throw' })
    indexer.add(tagged('a', 'x'))
    expect(() => indexer.update(tagged('a', 'y', 'bad'))).toThrow()
    expect(() => indexer.replace([tagged('b', 'y'), tagged('c', 'bad')], '2')).toThrow()
    expect([indexer.listKeys(), indexer.indexKeys('tag', 'x'), indexer.indexKeys('tag', 'y')]).toEqual([
      ['a'],
      ['a'],
      [],
    ])
    expect(indexer.getByKey('a')?.tags).toEqual(['x'])
  }),
  rule('IX-ours: one that is ignored keeps its old values, and the other indices move', (make) => {
    const indexer = make({ failing: ({ tags }) => tags.includes('bad'), indexErrors: 'ignored' })
    indexer.add(tagged('a', 'x'))
    indexer.update(tagged('a', 'y', 'bad'))
    expect([indexer.indexKeys('first', 'x'), indexer.indexKeys('tag', 'x'), indexer.indexKeys('tag', 'y')]).toEqual([
      ['a'],
      [],
      ['a'],
    ])
  }),
  rule('IX-ours: indices can be added after the data; a clash adds none', (make) => {
    const indexer = make()
    indexer.add(tagged('a', 'x'))
    const more = indexer.addIndexers({ id: ({ id }: Tagged) => [id] })
    expect(more.indexKeys('id', 'a')).toEqual(['a'])
    expect(() => indexer.addIndexers({ other: () => ['v'], tag: () => ['v'] })).toThrow('already')
    expect(Object.keys(indexer.getIndexers()).sort()).toEqual(['first', 'id', 'tag'])
  }),
  rule('TS4, TS5, TS6: the version follows replacements and bookmarks, and waits for it end', async (make) => {
    const indexer = make()
    indexer.replace([tagged('a', 'x')], '7')
    expect(indexer.lastStoreSyncResourceVersion).toBe('7')
    const wait = indexer.waitForResourceVersion('9', AbortSignal.timeout(2000))
    indexer.bookmark('10')
    await wait
    indexer.add(tagged('b', 'x'))
    expect(indexer.lastStoreSyncResourceVersion).toBe('10')
  }),
]
