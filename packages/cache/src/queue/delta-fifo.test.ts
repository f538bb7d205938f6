import { describe, expect, it } from 'vitest'
import { DeletedFinalStateUnknown, KeyError } from '../keys.ts'
import { Store } from '../store/store.ts'
import type { Deltas } from './delta.ts'
import { DeltaFIFO, type DeltaFIFOOptions } from './delta-fifo.ts'
import { RequeueError } from './queue.ts'

interface Item {
  readonly id: string
  readonly state: number
}
const item = (id: string, state = 1): Item => ({ id, state })
const keyFunc = ({ id }: Item) => id
const gone = (id: string, state?: number) =>
  new DeletedFinalStateUnknown<Item>(id, state === undefined ? undefined : item(id, state))

function queue(known?: readonly Item[], options: Partial<DeltaFIFOOptions<Item>> = {}): DeltaFIFO<Item> {
  const store = new Store<Item>(keyFunc)
  store.replace(known ?? [], '0')
  return new DeltaFIFO<Item>({ keyFunc, ...(known && { knownObjects: store }), ...options })
}

function said(deltas: Deltas<Item> | undefined): string[] {
  return Array.from(deltas ?? [], ({ type, object }) => {
    if (!(object instanceof DeletedFinalStateUnknown)) return `${type} ${object.state}`
    return `Gone ${object.obj?.state ?? '?'}`
  })
}

describe('a DeltaFIFO', () => {
  it('DF9: gives all changes of a key in one piece, and shows what waits as copies', async () => {
    const it = queue()
    it.add(item('a', 1))
    it.update(item('a', 2))
    it.add(item('b', 1))
    it.delete(item('a', 3))
    expect(it.listKeys()).toEqual(['a', 'b'])
    expect(it.list().map((deltas) => deltas.newest()?.type)).toEqual(['Deleted', 'Added'])
    expect(said(it.get(item('a')))).toEqual(['Added 1', 'Updated 2', 'Deleted 3'])
    expect(it.getByKey('a')).not.toBe(it.getByKey('a'))
    const popped = await it.pop((deltas) => expect(deltas.oldest()?.type).toBe('Added'))
    expect(said(popped)).toEqual(['Added 1', 'Updated 2', 'Deleted 3'])
    expect([...it].map(said)).toEqual([['Added 1']])
    expect(it.has('a')).toBe(false)
  })

  it('DF2, DF23: tells lists as Sync if told to, and changes never', async () => {
    const it = queue([item('a')], { emitDeltaTypeReplaced: false })
    it.delete(item('a'))
    it.replace([item('a', 2)], '1')
    it.add(item('b'))
    expect(said(it.getByKey('a'))).toEqual(['Deleted 1', 'Sync 2'])
    expect(said(it.getByKey('b'))).toEqual(['Added 1'])
    const replaced = queue()
    replaced.replace([item('a')], '1')
    expect(said(replaced.getByKey('a'))).toEqual(['Replaced 1'])
  })

  it('DF11: ignores the deletion of what nobody knows, and keeps that of what waits', () => {
    const it = queue()
    it.delete(item('a'))
    expect(it.size).toBe(0)
    it.add(item('a'))
    it.delete(item('a'))
    expect(said(it.getByKey('a'))).toEqual(['Added 1', 'Deleted 1'])
    expect(queue([]).hasSynced()).toBe(false)
  })

  it('DF27: knows the key of an object, a tombstone, and of deltas of both, but not of none', () => {
    const it = queue()
    it.add(item('a'))
    it.add(gone('b', 1))
    expect([it.keyOf(item('a')), it.keyOf(gone('b'))]).toEqual(['a', 'b'])
    expect(['a', 'b'].map((key) => it.keyOf(it.getByKey(key) as Deltas<Item>))).toEqual(['a', 'b'])
    expect(() => it.keyOf([] as unknown as Deltas<Item>)).toThrow(KeyError)
  })

  it('DF28: counts duplicates of the first list once', async () => {
    const it = queue()
    it.replace([item('a', 1), item('a', 2)], '1')
    expect(said(await it.pop(() => {}))).toEqual(['Replaced 1', 'Replaced 2'])
    expect(it.hasSynced()).toBe(true)
  })

  it('DF30: takes back what is requeued unless something newer waits, and rejects with the cause', async () => {
    const it = queue()
    it.add(item('a', 1))
    const requeue = (cause?: unknown) => () => {
      throw new RequeueError(cause)
    }
    await expect(it.pop(requeue(new Error('not yet')))).rejects.toThrow('not yet')
    expect(said(it.getByKey('a'))).toEqual(['Added 1'])
    await it.pop(requeue())
    const popped = await it.pop(() => {
      it.update(item('a', 2))
      throw new RequeueError()
    })
    expect(said(popped)).toEqual(['Added 1'])
    expect(said(it.getByKey('a'))).toEqual(['Updated 2'])
    it.addIfNotPresent(popped)
    expect(said(it.getByKey('a'))).toEqual(['Updated 2'])
    await it.pop(() => {})
    it.addIfNotPresent(popped)
    expect(said(it.getByKey('a'))).toEqual(['Added 1'])
  })

  it.each([
    ['two that were seen: the earlier', [item('a', 1), item('a', 2)], ['Added 0', 'Deleted 1']],
    ['inferred, then seen: the one that was seen', [gone('a', 1), item('a', 2)], ['Added 0', 'Deleted 2']],
    ['seen, then inferred: the one that was seen', [item('a', 1), gone('a', 2)], ['Added 0', 'Deleted 1']],
    ['two that were inferred: the later', [gone('a', 1), gone('a', 2)], ['Added 0', 'Gone 2']],
  ])('DF-ours: keeps of two deletions in a row, %s', (_, deletions, expected) => {
    const it = queue()
    it.add(item('a', 0))
    for (const deletion of deletions) it.delete(deletion)
    expect(said(it.getByKey('a'))).toEqual(expected)
  })

  it('DF-ours: never joins deletions with something in between', () => {
    const it = queue()
    it.add(item('a', 0))
    it.delete(item('a', 1))
    it.add(item('a', 2))
    it.delete(item('a', 3))
    expect(said(it.getByKey('a'))).toEqual(['Added 0', 'Deleted 1', 'Added 2', 'Deleted 3'])
  })

  it('is as it was when a key or a transformation of a list fails', () => {
    const it = queue([], {
      transform: (given) => {
        if (given.state < 0) throw new Error('negative')
        return given
      },
    })
    it.add(item('a'))
    expect(() => it.replace([item('b'), item('c', -1)], '1')).toThrow('negative')
    expect(() => it.replace([item('b'), undefined as unknown as Item], '1')).toThrow(KeyError)
    expect([it.listKeys(), said(it.getByKey('a'))]).toEqual([['a'], ['Added 1']])
  })

  it('stays in order and fast when it is long', async () => {
    const it = queue()
    it.replace(
      Array.from({ length: 20_000 }, (_, n) => item(`i${n}`, n)),
      '1',
    )
    for (let n = 0; n < 20_000; n++) expect((await it.pop(() => {})).newest()?.object).toMatchObject({ state: n })
  })
})
