import { ExpirationCache, FIFO, Indexer, Store, UndeltaStore } from '@binnacle/cache'
import { expect, it } from 'vitest'
import { brokenBy, holds, type Mutant, noticed } from '../rule.ts'
import { type Item, indexerRules, type MakeIndexer, type MakeStore, storeRules, type Tagged } from './rules.ts'

const keyFunc = ({ id }: Item) => id

const makeStore: MakeStore = () => new Store(keyFunc)
const makeIndexer: MakeIndexer = ({ failing = () => false, indexErrors = 'throw' } = {}) =>
  new Indexer(
    ({ id }: Tagged) => id,
    {
      tag: ({ tags }) => tags,
      first: (item) => {
        if (failing(item)) throw new Error('failed')
        return item.tags.slice(0, 1)
      },
    },
    { indexErrors },
  )

holds('a Store', storeRules, makeStore)
holds('an Indexer as a store', storeRules, () => new Indexer<Item>(keyFunc, { value: ({ value }) => [value] }))
holds('an expiring store', storeRules, () => new ExpirationCache<Item>(keyFunc, '1h'))
holds('an Indexer', indexerRules, makeIndexer)

it('ST5: a store that transforms is a store like any other, and transforms on each way in', async () => {
  let calls = 0
  const make = () =>
    new Store<Item>(keyFunc, {
      transform: (item) => {
        calls++
        return { ...item, value: `${item.value}!` }
      },
    })
  for (const { check } of storeRules) await check(make)
  calls = 0
  const store = make()
  store.add({ id: 'a', value: '1' })
  store.update({ id: 'a', value: '2' })
  store.replace([{ id: 'b', value: '3' }], '1')
  expect([calls, store.list()]).toEqual([3, [{ id: 'b', value: '3!' }]])
})

it('ST6: a FIFO can be used as a store', async () => {
  for (const { check } of storeRules) await check(() => new FIFO(keyFunc))
})

it('ST7: an UndeltaStore can be used as a store', async () => {
  for (const { check } of storeRules) await check(() => new UndeltaStore(() => {}, keyFunc))
})

it('ST11: works without a word about metrics, logs or time', () => {
  const indexer = new Indexer<Item>(keyFunc, { value: ({ value }) => [value] })
  indexer.replace([{ id: 'a', value: 'x' }], '1')
  expect(indexer.transaction([{ type: 'update', object: { id: 'a', value: 'y' } }])).toBeUndefined()
  expect(indexer.byIndex('value', 'y')).toHaveLength(1)
})

type Patch<S> = (store: S) => Partial<S>
function broken<S extends object, A extends unknown[]>(make: (...args: A) => S, patch: Patch<S>): (...args: A) => S {
  return (...args) => brokenBy(make(...args), patch)
}

const storeMutants: Mutant<MakeStore>[] = [
  { breaks: 'forgets what is added', subject: broken(makeStore, () => ({ add: () => {} })) },
  { breaks: 'forgets an update', subject: broken(makeStore, () => ({ update: () => {} })) },
  { breaks: 'does not delete', subject: broken(makeStore, () => ({ delete: () => {} })) },
  {
    breaks: 'adds a list to what is there',
    subject: broken(makeStore, (store) => ({
      replace: (items) => {
        for (const item of items) store.add(item)
      },
    })),
  },
  {
    breaks: 'keeps the first of two with one key',
    subject: broken(makeStore, (store) => ({
      replace: (items, version) => store.replace([...items].reverse(), version),
    })),
  },
  { breaks: 'lists deleted objects', subject: broken(makeStore, lingering) },
  {
    breaks: 'reads a copy by key',
    subject: broken(makeStore, (store) => ({ getByKey: (key) => copy(store.getByKey(key)) })),
  },
  { breaks: 'takes an object without a key', subject: () => new Store<Item>((item) => item?.id ?? 'none') },
  { breaks: 'keeps its objects in a plain object', subject: plainStore },
  { breaks: 'counts wrongly', subject: broken(makeStore, () => ({ size: 1 })) },
]

function copy(item: Item | undefined): Item | undefined {
  return item && { ...item }
}

function lingering(store: Store<Item>): Partial<Store<Item>> {
  const seen: Item[] = []
  return {
    delete: (item) => {
      seen.push(item)
      store.delete(item)
    },
    list: () => [...store.list(), ...seen],
  }
}

function plainStore(): Store<Item> {
  const objects: Record<string, Item> = {}
  const store = makeStore()
  return Object.assign(Object.create(store), {
    size: 1,
    add: (item: Item) => {
      objects[item.id] = item
    },
    has: (key: string) => objects[key] !== undefined,
    listKeys: () => Object.keys(objects),
    getByKey: (key: string) => objects[key],
    get: (item: Item) => objects[item.id],
  })
}

const indexerMutants: Mutant<MakeIndexer>[] = [
  {
    breaks: 'leaves an object under its old values',
    subject: broken(makeIndexer, (indexer) => {
      const old = new Map<string, string[]>()
      return {
        update: (item) => {
          old.set(item.id, [...(old.get(item.id) ?? []), ...item.tags])
          indexer.update({ ...item, tags: old.get(item.id) ?? [] })
        },
      }
    }),
  },
  {
    breaks: 'never forgets a value',
    subject: broken(makeIndexer, () => ({ listIndexFuncValues: () => ['x', 'y', 'z'] })),
  },
  {
    breaks: 'gives an object once for each shared value',
    subject: broken(makeIndexer, (indexer) => ({
      index: (name, probe) => probe.tags.flatMap((tag) => indexer.byIndex(name, tag)),
    })),
  },
  {
    breaks: 'shows old objects by index',
    subject: broken(makeIndexer, (indexer) => ({
      byIndex: (name, value) => indexer.byIndex(name, value).map((item) => ({ ...item })),
    })),
  },
  {
    breaks: 'stores although an index function throws',
    subject: ({ failing, indexErrors } = {}) =>
      makeIndexer({ ...(failing && { failing }), indexErrors: indexErrors === 'throw' ? 'temporary' : 'ignored' }),
  },
  {
    breaks: 'leaves an index where errors are to be ignored',
    subject: ({ failing } = {}) => makeIndexer({ ...(failing && { failing }), indexErrors: 'temporary' }),
  },
  {
    breaks: 'replaces half of a list before it throws',
    subject: broken(makeIndexer, (indexer) => ({
      replace: (items, version) => {
        for (const item of items) indexer.add(item)
        indexer.replace(items, version)
      },
    })),
  },
  { breaks: 'adds the first of two new indices before the clash', subject: broken(makeIndexer, halfAdding) },
  {
    breaks: 'does not index what is there',
    subject: broken(makeIndexer, (indexer) => ({ addIndexers: () => indexer as never })),
  },
  {
    breaks: 'forgets the version of a list',
    subject: broken(makeIndexer, (indexer) => ({ replace: (items) => indexer.replace(items, '') })),
  },
  { breaks: 'ignores bookmarks', subject: broken(makeIndexer, () => ({ bookmark: () => {} })) },
  {
    breaks: 'gives keys unsorted',
    subject: broken(makeIndexer, (indexer) => ({
      indexKeys: (name, value) => indexer.indexKeys(name, value).reverse(),
    })),
  },
]

function halfAdding(indexer: ReturnType<MakeIndexer>): Partial<ReturnType<MakeIndexer>> {
  return {
    addIndexers: (indexers) => {
      for (const [name, compute] of Object.entries(indexers)) indexer.addIndexers({ [name]: compute })
      return indexer as never
    },
  }
}

noticed('Store', storeRules, storeMutants)
noticed('Indexer', indexerRules, indexerMutants)
