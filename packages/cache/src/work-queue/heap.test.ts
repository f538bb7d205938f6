import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FIFOClosedError } from '../queue/queue.ts'
import { BinaryHeap } from './binary-heap.ts'
import { Heap } from './heap.ts'

interface Item {
  readonly id: string
  readonly rank: number
}
const item = (id: string, rank: number): Item => ({ id, rank })
const heap = (...items: Item[]) => {
  const made = new Heap<Item>(
    ({ id }) => id,
    (a, b) => a.rank < b.rank,
  )
  made.bulkAdd(items)
  return made
}

async function popAll(of: Heap<Item>): Promise<string[]> {
  const popped: string[] = []
  while (of.size > 0) popped.push((await of.pop()).id)
  return popped
}

describe('a heap', () => {
  it('HE1, HE3: gives the least first, of equal ones the earlier, also of many that came at once', async () => {
    const made = heap(item('d', 4), item('b', 2), item('e', 4), item('c', 3))
    made.add(item('a', 1))
    expect(await popAll(made)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('HE2, HE8: takes an object in place of the one with its key, and finds its new place', async () => {
    const made = heap(item('a', 1), item('b', 2), item('c', 3))
    made.add(item('a', 4))
    made.update(item('c', 0))
    expect(await popAll(made)).toEqual(['c', 'b', 'a'])
  })

  it('HE4: adds if absent, and keeps the old', async () => {
    const made = heap(item('a', 1), item('b', 2))
    made.addIfNotPresent(item('a', 9))
    made.addIfNotPresent(item('c', 0))
    expect(await popAll(made)).toEqual(['c', 'a', 'b'])
  })

  it('HE5, HE6, HE7: deletes the first, the middle and the last, and throws at what is absent', async () => {
    const made = heap(...[5, 1, 4, 2, 3, 6].map((rank) => item(`i${rank}`, rank)))
    for (const id of ['i1', 'i4', 'i6']) made.delete(item(id, 0))
    expect(() => made.delete(item('i1', 0))).toThrow('nothing under "i1"')
    expect(await popAll(made)).toEqual(['i2', 'i3', 'i5'])
  })

  it('HE9, HE10: reads by object and by key, and lists both', () => {
    const made = heap(item('a', 1), item('b', 2))
    expect([made.get(item('a', 7)), made.getByKey('b'), made.getByKey('c')]).toEqual([
      item('a', 1),
      item('b', 2),
      undefined,
    ])
    expect([made.list().length, made.listKeys()]).toEqual([2, ['a', 'b']])
  })

  it('HE11, HE12: once closed gives what is left, then refuses, and takes nothing', async () => {
    const made = heap(item('a', 1))
    const [first, second] = [made.pop(), made.pop()]
    expect(await first).toEqual(item('a', 1))
    made.close()
    await expect(second).rejects.toThrow(FIFOClosedError)
    expect(() => made.add(item('b', 1))).toThrow(FIFOClosedError)
    expect(() => made.bulkAdd([item('b', 1)])).toThrow(FIFOClosedError)
    expect(made.isClosed).toBe(true)
  })

  it('waits for what comes', async () => {
    const made = heap()
    const pop = made.pop()
    made.add(item('a', 1))
    expect(await pop).toEqual(item('a', 1))
  })
})

it('a binary heap is in order after every step of every history', () => {
  const step = fc.record({ do: fc.constantFrom('push', 'pop', 'remove', 'move'), rank: fc.nat(20), at: fc.nat(50) })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const made = new BinaryHeap<{ rank: number; place: number }>((a, b) => a.rank < b.rank)
      const model: { rank: number; place: number }[] = []
      for (const { do: what, rank, at } of steps) {
        const chosen = model[at % Math.max(1, model.length)]
        if (what === 'push') {
          const entry = { rank, place: -1 }
          model.push(entry)
          made.push(entry)
        } else if (what === 'pop') {
          const popped = made.pop()
          expect(popped?.rank).toBe(model.length === 0 ? undefined : Math.min(...model.map((entry) => entry.rank)))
          if (popped) model.splice(model.indexOf(popped), 1)
        } else if (chosen && what === 'remove') {
          made.remove(chosen)
          made.remove(chosen)
          model.splice(model.indexOf(chosen), 1)
        } else if (chosen) {
          chosen.rank = rank
          made.moved(chosen)
        }
        expect([made.broken(), made.size]).toEqual([[], model.length])
      }
    }),
  )
})
