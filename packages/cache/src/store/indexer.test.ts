import type { KubeObject } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import {
  DeletedFinalStateUnknown,
  deletionHandlingMetaNamespaceKeyFunc,
  KeyError,
  type KeyFunc,
  metaNamespaceKeyFunc,
} from '../keys.ts'
import { IndexNotFoundError, indexFuncToKeyFuncAdapter, metaNamespaceIndexFunc } from './index-functions.ts'
import { Indexer } from './indexer.ts'
import { Store, type StoreOptions } from './store.ts'
import { ThreadSafeStore } from './thread-safe-store.ts'

interface Item {
  readonly id: string
  readonly tags: readonly string[]
  readonly metadata?: { readonly resourceVersion?: string; readonly uid?: string }
}
interface Pod extends KubeObject {
  readonly spec: { readonly node: string }
}
const item = (id: string, ...tags: string[]): Item => ({ id, tags })
const versioned = (id: string, resourceVersion: string): Item => ({ id, tags: [], metadata: { resourceVersion } })
const idOf: KeyFunc<Item> = ({ id }) => {
  if (id === '') throw new Error('no id')
  return id
}
const byTag = (given: Item): readonly string[] => {
  if (given.tags.includes('poison')) throw new Error('poisoned')
  return given.tags
}
const byInitial = ({ id }: Item): readonly string[] => [id[0] ?? '']
const indexer = (options?: StoreOptions<Item>) => new Indexer(idOf, { tag: byTag, initial: byInitial }, options)
const ids = (items: Iterable<Item>) => Array.from(items, ({ id }) => id).sort()

describe.each([
  ['a Store', (options?: StoreOptions<Item>) => new Store<Item>(idOf, options)],
  ['an Indexer', (options?: StoreOptions<Item>): Store<Item> => indexer(options)],
])('%s', (_, make) => {
  it('ST1, ST2, ST3: gives what was put in, in its newest version, until it is deleted', () => {
    const store = make()
    const [a, newer, b] = [item('a'), item('a', 'x'), item('b')]
    store.add(a)
    store.add(b)
    expect(store.get(item('a'))).toBe(a)
    expect(store.get(item('c'))).toBeUndefined()
    store.update(newer)
    expect(store.getByKey('a')).toBe(newer)
    expect(store.list()).toEqual(expect.arrayContaining([newer, b]))
    expect([ids(store), store.listKeys().sort(), store.size]).toEqual([['a', 'b'], ['a', 'b'], 2])
    store.delete(item('a'))
    store.delete(item('never-there'))
    expect([store.has('a'), store.has('b')]).toEqual([false, true])
  })

  it('ST4: replaces its content, and keeps the last of two with one key', () => {
    const store = make()
    store.add(item('gone'))
    store.replace([item('a'), item('b'), item('a', 'last')], '5')
    expect(ids(store)).toEqual(['a', 'b'])
    expect(store.getByKey('a')?.tags).toEqual(['last'])
  })

  it('ST5: transforms what it is given, after the key was made', () => {
    const store = make({ transform: ({ id }) => item(`${id}'`) })
    store.add(item('a'))
    store.update(item('b'))
    expect(ids(store.list())).toEqual(["a'", "b'"])
    store.replace([item('c')], '1')
    expect(store.getByKey('c')?.id).toBe("c'")
  })

  it('is as it was when a key or a transformation fails', () => {
    const store = make({ transform: (given) => (given.id === 'bad' ? byTag(item('', 'poison')) && given : given) })
    store.add(item('a'))
    expect(() => store.add(item(''))).toThrow(KeyError)
    expect(() => store.replace([item('b'), item('')], '1')).toThrow(KeyError)
    expect(() => store.replace([item('b'), item('bad')], '1')).toThrow('poisoned')
    expect(ids(store)).toEqual(['a'])
  })
})

describe('an index', () => {
  it('ST8: finds all and only those that share a value with a probe', () => {
    const store = indexer()
    store.replace([item('a', 'x', 'y'), item('b', 'y'), item('c', 'z'), item('d')], '1')
    expect(ids(store.index('tag', item('probe', 'x', 'y')))).toEqual(['a', 'b'])
    expect(ids(store.index('tag', item('probe', 'z')))).toEqual(['c'])
    expect(store.index('tag', item('probe'))).toEqual([])
    expect(() => store.index('tag', item('probe', 'poison'))).toThrow('poisoned')
  })

  it('IX1, IX2: lists each value once, and an object under each of its values', () => {
    const store = indexer()
    store.replace([item('a', 'x', 'y', 'x'), item('b', 'y')], '1')
    expect(store.listIndexFuncValues('tag').sort()).toEqual(['x', 'y'])
    expect(store.indexKeys('tag', 'y')).toEqual(['a', 'b'])
    expect(ids(store.byIndex('tag', 'x'))).toEqual(['a'])
    expect(store.byIndex('tag', 'unknown')).toEqual([])
  })

  it('TS1, TS2, TS3, IX3: follows updates and deletions and forgets values that nobody has', () => {
    const store = indexer()
    const values = () => Object.fromEntries(store.listIndexFuncValues('tag').map((v) => [v, store.indexKeys('tag', v)]))
    store.add(item('a', 'x'))
    store.add(item('b', 'x'))
    store.update(item('a', 'x', 'y', 'z'))
    expect(values()).toEqual({ x: ['a', 'b'], y: ['a'], z: ['a'] })
    store.update(item('a', 'z'))
    expect(values()).toEqual({ x: ['b'], z: ['a'] })
    store.delete(item('b'))
    store.update(item('a'))
    expect(values()).toEqual({})
  })

  it('takes the empty string as a value, and no value at all as not being in it', () => {
    const store = indexer()
    store.add(item('a', ''))
    store.add(item('b'))
    expect(store.indexKeys('tag', '')).toEqual(['a'])
  })

  it('does not follow an object that somebody changes in place', () => {
    const store = indexer()
    const tags = ['x']
    store.add({ id: 'a', tags })
    tags[0] = 'y'
    store.delete(item('a'))
    expect(store.listIndexFuncValues('tag')).toEqual([])
  })

  it('throws when no index has that name, and says which there are', () => {
    const store = indexer() as unknown as Indexer<Item>
    for (const ask of [
      () => store.byIndex('nope', 'x'),
      () => store.indexKeys('nope', 'x'),
      () => store.index('nope', item('a')),
      () => store.listIndexFuncValues('nope'),
    ]) {
      expect(ask).toThrow(IndexNotFoundError)
    }
    expect(() => store.byIndex('__proto__', 'x')).toThrow(IndexNotFoundError)
  })

  it('IX-ours: can be added after the data, and adds nothing when its name is taken or its function throws', () => {
    const store = indexer()
    store.replace([item('a', 'x'), item('b', 'y')], '1')
    const more = store.addIndexers({ length: ({ id }: Item) => [String(id.length)] })
    expect(more.indexKeys('length', '1')).toEqual(['a', 'b'])
    store.update(item('ccc'))
    expect(more.indexKeys('length', '3')).toEqual(['ccc'])
    expect(() => store.addIndexers({ fresh: byInitial, tag: byInitial })).toThrow(/already/)
    const failing = () => {
      throw new Error('no')
    }
    expect(() => store.addIndexers({ fresh: byInitial, failing })).toThrow(/failing/)
    expect(Object.keys(store.getIndexers())).toEqual(['tag', 'initial', 'length'])
    store.update(item('d', 'z'))
    expect([store.indexKeys('tag', 'z'), more.indexKeys('length', '1')]).toEqual([['d'], ['a', 'b', 'd']])
  })
})

describe('an index function that fails', () => {
  const filled = (options: StoreOptions<Item>) => {
    const store = indexer(options)
    store.add(item('a', 'x'))
    return store
  }

  it('by default throws to the caller of the mutation, and nothing is changed', () => {
    const store = filled({})
    const before = store.getByKey('a')
    expect(() => store.update(item('a', 'poison'))).toThrow(/Index function "tag" failed for "a"/)
    expect(() => store.replace([item('b'), item('c', 'poison')], '9')).toThrow(/nothing was changed/)
    expect(store.getByKey('a')).toBe(before)
    expect([store.listKeys(), store.indexKeys('tag', 'x'), store.indexKeys('initial', 'a')]).toEqual([
      ['a'],
      ['a'],
      ['a'],
    ])
    expect(store.lastStoreSyncResourceVersion).toBe('')
  })

  it('is reported, and the object is stored and found by its other indices, in all other modes', () => {
    for (const indexErrors of ['ignored', 'temporary', 'permanent'] as const) {
      const told: unknown[] = []
      const store = filled({ indexErrors, onIndexError: (error, index, key) => told.push([String(error), index, key]) })
      store.update(item('a', 'poison'))
      store.add(item('b', 'poison'))
      expect(store.indexKeys('initial', 'b')).toEqual(['b'])
      expect(told).toEqual([
        ['Error: poisoned', 'tag', 'a'],
        ['Error: poisoned', 'tag', 'b'],
      ])
    }
  })

  it('ignored: keeps the old values', () => {
    const store = filled({ indexErrors: 'ignored' })
    store.update(item('a', 'poison'))
    expect(store.indexKeys('tag', 'x')).toEqual(['a'])
    store.update(item('a', 'y'))
    expect([store.indexKeys('tag', 'x'), store.indexKeys('tag', 'y')]).toEqual([[], ['a']])
  })

  it('temporary: leaves the index until the next change', () => {
    const store = filled({ indexErrors: 'temporary' })
    store.update(item('a', 'poison'))
    expect(store.listIndexFuncValues('tag')).toEqual([])
    store.update(item('a', 'y'))
    expect(store.indexKeys('tag', 'y')).toEqual(['a'])
  })

  it('permanent: leaves the index for good, until it is deleted or a namesake takes its place', () => {
    const store = filled({ indexErrors: 'permanent' })
    const uid = (id: string, ...tags: string[]): Item => ({ id: 'a', tags, metadata: { uid: id } })
    store.update(uid('1', 'poison'))
    store.replace([uid('1', 'y')], '2')
    expect(store.listIndexFuncValues('tag')).toEqual([])
    store.update(uid('2', 'y'))
    expect(store.indexKeys('tag', 'y')).toEqual(['a'])
    store.update(uid('2', 'poison'))
    store.delete(item('a'))
    store.add(uid('2', 'z'))
    expect(store.indexKeys('tag', 'z')).toEqual(['a'])
  })

  it('may give something that is not a list: that is a failure too', () => {
    const store = new Indexer<Item>(idOf, { wrong: () => undefined as unknown as string[] })
    expect(() => store.add(item('a'))).toThrow(/undefined instead of a list/)
  })
})

describe('the version that a store has reached', () => {
  it('TS4, TS5, TS6: follows writes, deletions with their object, replacements and bookmarks', () => {
    const store = new ThreadSafeStore<Item>()
    expect(store.lastStoreSyncResourceVersion).toBe('')
    store.add('a', versioned('a', '3'))
    store.delete('a')
    expect(store.lastStoreSyncResourceVersion).toBe('3')
    store.deleteWithObject('a', versioned('a', '5'))
    store.add('b', item('b'))
    expect(store.lastStoreSyncResourceVersion).toBe('5')
    store.replace(new Map([['a', versioned('a', '6')]]), '9')
    expect(store.lastStoreSyncResourceVersion).toBe('9')
    store.transaction([
      { type: 'add', key: 'a', object: versioned('a', '10') },
      { type: 'delete', key: 'a', object: versioned('a', '11') },
    ])
    expect(store.lastStoreSyncResourceVersion).toBe('11')
    store.bookmark('20')
    expect(store.lastStoreSyncResourceVersion).toBe('20')
  })

  it('is not moved by a tombstone', () => {
    const store = new Indexer<Item | DeletedFinalStateUnknown<never>>((given) =>
      given instanceof DeletedFinalStateUnknown ? deletionHandlingMetaNamespaceKeyFunc(given) : given.id,
    )
    store.add(versioned('a', '3'))
    store.delete(new DeletedFinalStateUnknown<never>('a', undefined))
    expect(store.lastStoreSyncResourceVersion).toBe('3')
    expect(store.size).toBe(0)
  })

  it('ends waits for it or for an earlier one, by comparison and not by equality', async () => {
    const store = indexer()
    const { signal } = new AbortController()
    const ended: string[] = []
    for (const version of ['9', '10', '11']) {
      void store.waitForResourceVersion(version, signal).then(() => ended.push(version))
    }
    store.add(versioned('a', '10'))
    await undefined
    await undefined
    await undefined
    expect(ended).toEqual(['9', '10'])
    await store.waitForResourceVersion('2', signal)
  })

  it('gives up a wait with the reason of the signal', async () => {
    const stop = new AbortController()
    const wait = indexer().waitForResourceVersion('1', stop.signal)
    stop.abort(new Error('enough'))
    await expect(wait).rejects.toThrow('enough')
    await expect(indexer().waitForResourceVersion('1', stop.signal)).rejects.toThrow('enough')
  })
})

describe('a transaction', () => {
  it('ST10: makes what can be made and says which that was', () => {
    const store = indexer()
    const add = (id: string, ...tags: string[]) => ({ type: 'add' as const, object: item(id, ...tags) })
    expect(store.transaction([add('a'), add('b')])).toBeUndefined()
    expect(store.transaction([add(''), add('')])).toMatchObject({ successful: [], total: 2 })
    const mixed = store.transaction([add('c'), add(''), { type: 'delete', object: item('a') }, add('d', 'poison')])
    expect(mixed).toMatchObject({ successful: [0, 2], total: 4 })
    expect(mixed?.errors).toHaveLength(2)
    expect(ids(store)).toEqual(['b', 'c'])
  })
})

it('knows the names of its indices and the type of its objects from what it is made of', () => {
  const pods = new Indexer(metaNamespaceKeyFunc, {
    namespace: metaNamespaceIndexFunc,
    node: (pod: Pod) => [pod.spec.node],
  })
  const found: Pod[] = pods.byIndex('node', 'n')
  // @ts-expect-error: there is no such index
  expect(() => pods.byIndex('nod', 'n')).toThrow(IndexNotFoundError)
  const more = pods.addIndexers({ name: (pod) => [pod.metadata.name] })
  expect([found, more.byIndex('name', 'a')]).toEqual([[], []])
})

it('makes a key function out of an index function that gives one value', () => {
  const key = indexFuncToKeyFuncAdapter(byTag)
  expect(key(item('a', 'x'))).toBe('x')
  expect(() => key(item('a'))).toThrow(/no value/)
  expect(() => key(item('a', 'x', 'y'))).toThrow(/2 values/)
})

it('indexes by namespace, with the empty string at cluster scope', () => {
  const metadata = { name: 'a', uid: 'u', resourceVersion: '1' }
  expect(metaNamespaceIndexFunc({ apiVersion: 'v1', kind: 'Node', metadata })).toEqual([''])
  expect(metaNamespaceIndexFunc({ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, namespace: 'n' } })).toEqual([
    'n',
  ])
})
