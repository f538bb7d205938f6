import { expect, it } from 'vitest'
import { DeletedFinalStateUnknown } from '../keys.ts'
import { Store } from '../store/store.ts'
import { InOrderFIFO } from './ordered-queue.ts'

interface Item {
  readonly id: string
  readonly state: number
}
const item = (id: string, state = 1): Item => ({ id, state })
const keyFunc = (object: Item | DeletedFinalStateUnknown<Item>) =>
  object instanceof DeletedFinalStateUnknown ? object.key : object.id

function queue(...known: Item[]): InOrderFIFO<Item> {
  const knownObjects = new Store<Item>(keyFunc)
  knownObjects.replace(known, '0')
  return new InOrderFIFO<Item>({ keyFunc, knownObjects })
}

async function popAll(it: InOrderFIFO<Item>): Promise<string[]> {
  const said: string[] = []
  while (it.length > 0) {
    await it.pop((delta) => {
      if (!('object' in delta)) return void said.push(delta.type)
      const { type, object } = delta
      said.push(
        object instanceof DeletedFinalStateUnknown
          ? `gone ${object.key}${object.obj?.state}`
          : `${type} ${object.id}${object.state}`,
      )
    })
  }
  return said
}

const world = () => queue(item('foo', 5), item('bar', 6), item('baz', 7))

it('RF12: tells the deletions of a list before its objects', async () => {
  const it = world()
  it.delete(item('baz', 10))
  it.replace([item('foo', 5)], '1')
  expect(await popAll(it)).toEqual(['Deleted baz10', 'gone bar6', 'Replaced foo5'])
})

it('RF13, RF14: puts tombstones of what waits before those of what is known', async () => {
  const added = world()
  added.add(item('baz', 10))
  added.replace([item('foo', 5)], '1')
  expect(await popAll(added)).toEqual(['Added baz10', 'gone baz10', 'gone bar6', 'Replaced foo5'])
  const recreated = world()
  recreated.delete(item('bar', 6))
  recreated.add(item('bar', 100))
  recreated.replace([item('foo', 5)], '1')
  expect(await popAll(recreated)).toEqual(['Deleted bar6', 'Added bar100', 'gone bar100', 'gone baz7', 'Replaced foo5'])
})

it('RF15, RF5: tells two lists in order, each tombstone with its own object, none twice', async () => {
  const it = world()
  it.replace([item('bar', 100), item('foo', 5)], '1')
  it.replace([item('foo', 5)], '2')
  expect(await popAll(it)).toEqual(['gone baz7', 'Replaced bar100', 'Replaced foo5', 'gone bar100', 'Replaced foo5'])
})

it('RF3, RF20: leaves no trace of a bookmark, and knows the keys of objects and tombstones', async () => {
  const it = world()
  it.bookmark('9')
  it.add(item('foo', 8))
  it.delete(new DeletedFinalStateUnknown<Item>('bar', undefined))
  it.update(item('baz', 8))
  it.delete(new DeletedFinalStateUnknown<Item>('foo', undefined))
  const sizes: number[] = []
  while (it.length > 0) await it.popBatch((batch) => void sizes.push(batch.length))
  expect(sizes).toEqual([3, 1])
})

it('RF21: counts duplicates of the first list twice', async () => {
  const it = queue()
  it.replace([item('a', 1), item('a', 2)], '1')
  await it.pop(() => {})
  expect(it.hasSynced()).toBe(false)
  await it.pop(() => {})
  expect(it.hasSynced()).toBe(true)
})
