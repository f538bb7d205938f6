import { describe, expect, it } from 'vitest'
import { DeletedFinalStateUnknown } from '../keys.ts'
import { type InOrderDelta, InOrderFIFO } from './ordered-queue.ts'
import { FIFOClosedError } from './queue.ts'

interface Item {
  readonly id: string
  readonly n?: number
}
const item = (id: string, n?: number): Item => ({ id, ...(n !== undefined && { n }) })
const keyFunc = (given: Item | DeletedFinalStateUnknown<Item>): string => {
  if (given instanceof DeletedFinalStateUnknown) return given.key
  if (given.id === '') throw new Error('no id')
  return given.id
}
const queue = (transform?: (given: Item) => Item) => new InOrderFIFO<Item>({ keyFunc, ...(transform && { transform }) })

function told(delta: InOrderDelta<Item>): string {
  switch (delta.type) {
    case 'ReplacedAll':
      return `ReplacedAll@${delta.resourceVersion} ${delta.objects.map(({ id }) => id).join()}`
    case 'SyncAll':
      return 'SyncAll'
    case 'Bookmark':
      return `Bookmark@${delta.resourceVersion}`
    default:
      return `${delta.type} ${delta.object instanceof DeletedFinalStateUnknown ? delta.object.key : delta.object.id}`
  }
}

async function popAll(from: InOrderFIFO<Item>): Promise<string[]> {
  const popped: string[] = []
  while (from.length > 0) await from.pop((delta) => void popped.push(told(delta)))
  return popped
}

async function batches(from: InOrderFIFO<Item>, limit?: number): Promise<string[][]> {
  const popped: string[][] = []
  while (from.length > 0) {
    await from.popBatch((batch) => void popped.push(batch.map(told)), limit === undefined ? {} : { limit })
  }
  return popped
}

describe('an InOrderFIFO', () => {
  it('RF1, RF4, RF6, RF11, RF19: gives every change in the order of arrival, over all keys, merging nothing', async () => {
    const it = queue()
    it.add(item('a'))
    it.add(item('b'))
    it.update(item('a'))
    it.delete(item('a'))
    it.delete(item('unknown'))
    it.add(item('a'))
    expect(await popAll(it)).toEqual(['Added a', 'Added b', 'Updated a', 'Deleted a', 'Deleted unknown', 'Added a'])
    it.delete(new DeletedFinalStateUnknown<Item>('a', undefined))
    expect(await popAll(it)).toEqual(['Deleted a'])
  })

  it('RF8, RF28 to RF33: a list, a resync and a bookmark are one item each, in their place', async () => {
    const it = queue()
    it.bookmark('1')
    it.replace([], '2')
    it.add(item('a'))
    it.replace([item('a'), item('b')], '3')
    it.resync()
    it.replace([item('c')], '4')
    expect(await popAll(it)).toEqual([
      'Bookmark@1',
      'ReplacedAll@2 ',
      'Added a',
      'ReplacedAll@3 a,b',
      'SyncAll',
      'ReplacedAll@4 c',
    ])
  })

  it('RF5: transforms each object once, on its way in, and queues nothing when that fails', async () => {
    let calls = 0
    const it = queue((given) => {
      calls++
      if (given.id === 'bad') throw new Error('bad')
      return item(`${given.id}'`)
    })
    it.add(item('a'))
    it.replace([item('b'), item('c')], '1')
    it.delete(item('d'))
    expect(() => it.replace([item('e'), item('bad')], '2')).toThrow('bad')
    expect(await popAll(it)).toEqual(["Added a'", "ReplacedAll@1 b',c'", "Deleted d'"])
    expect(calls).toBe(6)
  })

  it('processes one piece at a time, whoever pops', async () => {
    const it = queue()
    let running = 0
    const process = async () => {
      expect(++running).toBe(1)
      await undefined
      running--
    }
    const pops = [it.pop(process), it.pop(process), it.popBatch(process)]
    it.add(item('a'))
    it.add(item('b'))
    it.add(item('c'))
    await Promise.all(pops)
    expect(it.length).toBe(0)
  })

  it('rejects when processing fails, does not give the item again, and goes on with the next', async () => {
    const it = queue()
    it.replace([item('a')], '1')
    it.add(item('b'))
    const failing = () => {
      throw new Error('no')
    }
    await expect(it.pop(failing)).rejects.toThrow('no')
    expect(it.hasSynced()).toBe(true)
    expect(await popAll(it)).toEqual(['Added b'])
  })

  it('stays in order and lets go of what was taken when it is long', async () => {
    const it = queue()
    const seen: number[] = []
    for (let n = 0; n < 5000; n++) {
      it.add(item('a', n))
      if (n % 3 === 0) await it.pop((delta) => void seen.push((delta as { object: Item }).object.n ?? -1))
    }
    while (it.length > 0) await it.pop((delta) => void seen.push((delta as { object: Item }).object.n ?? -1))
    expect(seen).toEqual(Array.from({ length: 5000 }, (_, n) => n))
  })
})

describe('the sync of an InOrderFIFO', () => {
  it('RF21: comes when the first list has been processed, and not before', async () => {
    const it = queue()
    it.bookmark('0')
    expect(it.hasSynced()).toBe(false)
    it.replace([item('a')], '1')
    it.add(item('b'))
    const initial: boolean[] = []
    await it.pop((_, isInInitialList) => void initial.push(isInInitialList))
    expect(it.hasSynced()).toBe(false)
    const synced = it.whenSynced()
    await it.pop((_, isInInitialList) => {
      initial.push(isInInitialList)
      expect(it.hasSynced()).toBe(false)
    })
    await synced
    expect(it.hasSynced()).toBe(true)
    await it.pop((_, isInInitialList) => void initial.push(isInInitialList))
    expect(initial).toEqual([true, true, false])
  })

  it('is there at once when something else than a list came first', () => {
    const it = queue()
    it.add(item('a'))
    expect(it.hasSynced()).toBe(true)
    it.replace([item('a')], '1')
    expect(it.hasSynced()).toBe(true)
  })

  it('is given up when the queue closes before it', async () => {
    const it = queue()
    const wait = it.whenSynced()
    it.close()
    await expect(wait).rejects.toBeInstanceOf(FIFOClosedError)
  })
})

describe('closing an InOrderFIFO', () => {
  it('RF22: ends waiting pops, and leaves what is in it to be popped', async () => {
    const it = queue()
    const waiting = it.pop(() => {})
    it.close()
    await expect(waiting).rejects.toBeInstanceOf(FIFOClosedError)
    const filled = queue()
    filled.add(item('a'))
    filled[Symbol.dispose]()
    expect(filled.isClosed).toBe(true)
    expect(await popAll(filled)).toEqual(['Added a'])
    await expect(filled.pop(() => {})).rejects.toBeInstanceOf(FIFOClosedError)
  })

  it('gives up a wait with the reason of its signal and keeps the next change', async () => {
    const it = queue()
    const stop = new AbortController()
    const waiting = it.pop(() => {}, stop.signal)
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    it.add(item('a'))
    expect(await popAll(it)).toEqual(['Added a'])
  })
})

describe('a batch', () => {
  it('RF23, RF25: holds changes of different keys, and ends before a key that it has', async () => {
    const it = queue()
    for (const id of ['a', 'b', 'c', 'b', 'd', 'd']) it.add(item(id))
    expect(await batches(it)).toEqual([['Added a', 'Added b', 'Added c'], ['Added b', 'Added d'], ['Added d']])
  })

  it('RF24: never mixes what concerns all with what concerns one', async () => {
    const it = queue()
    it.replace([item('a')], '1')
    it.add(item('b'))
    it.resync()
    it.bookmark('2')
    it.add(item('c'))
    expect(await batches(it)).toEqual([['ReplacedAll@1 a'], ['Added b'], ['SyncAll'], ['Bookmark@2'], ['Added c']])
  })

  it('RF26: is no longer than its limit', async () => {
    const it = queue()
    for (const id of ['a', 'b', 'c', 'd', 'e']) it.add(item(id))
    expect((await batches(it, 2)).map(({ length }) => length)).toEqual([2, 2, 1])
  })

  it('RF27: ends with an object that has no key', async () => {
    const it = queue()
    for (const id of ['a', '', '', 'b']) it.add(item(id))
    expect((await batches(it)).map(({ length }) => length)).toEqual([2, 1, 1])
  })
})
