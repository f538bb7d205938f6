import { describe, expect, it } from 'vitest'
import { FIFO } from './fifo.ts'
import { FIFOClosedError, RequeueError } from './queue.ts'

interface Item {
  readonly id: string
  readonly state: number
}
const item = (id: string, state = 1): Item => ({ id, state })
const fifo = () => new FIFO<Item>(({ id }) => id)

async function popAll(queue: FIFO<Item>): Promise<string[]> {
  const popped: string[] = []
  while (queue.size > 0) await queue.pop(({ id, state }) => void popped.push(`${id}${state}`))
  return popped
}

describe('a FIFO', () => {
  it('FF1: keeps the order of each of two producers', async () => {
    const queue = fifo()
    const produce = async (name: string) => {
      for (let n = 0; n < 500; n++) {
        queue.add(item(`${name}-`, 0))
        queue.add(item(`${name}-${n}-`, n))
        if (n % 5 === 0) await undefined
      }
    }
    await Promise.all([produce('x'), produce('y')])
    const popped = await popAll(queue)
    for (const name of ['x', 'y']) {
      const mine = popped.filter((said) => new RegExp(`^${name}-\\d+-`).test(said))
      expect(mine).toEqual(Array.from({ length: 500 }, (_, n) => `${name}-${n}-${n}`))
    }
  })

  it('FF2, FF3: gives an object that was added, updated and listed once, in its newest state', async () => {
    const queue = fifo()
    queue.add(item('a', 1))
    queue.update(item('a', 2))
    expect(await popAll(queue)).toEqual(['a2'])
    expect(queue.get(item('a'))).toBeUndefined()
    queue.add(item('a', 3))
    queue.replace([item('a', 4)], '1')
    expect(await popAll(queue)).toEqual(['a4'])
  })

  it('FF4: lets a key keep its place until it is popped', async () => {
    const queue = fifo()
    for (const [id, state] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['a', 4],
    ] as const) {
      queue.add(item(id, state))
    }
    await queue.pop(({ id, state }) => expect(`${id}${state}`).toBe('a4'))
    queue.add(item('a', 5))
    expect(await popAll(queue)).toEqual(['b2', 'c3', 'a5'])
  })

  it('FF5: has synced after a change, an empty list, or when the first list has been popped', async () => {
    const [untouched, changed, empty, listed, gone] = [fifo(), fifo(), fifo(), fifo(), fifo()]
    changed.add(item('a'))
    empty.replace([], '1')
    listed.replace([item('a'), item('b'), item('b')], '1')
    expect([untouched, changed, empty, listed].map((queue) => queue.hasSynced())).toEqual([false, true, true, false])
    const initial: boolean[] = []
    await listed.pop((_, isInInitialList) => void initial.push(isInInitialList))
    expect(listed.hasSynced()).toBe(false)
    await listed.pop((_, isInInitialList) => void initial.push(isInInitialList))
    expect(listed.hasSynced()).toBe(true)
    expect(initial).toEqual([true, true])
    gone.replace([item('a'), item('b')], '1')
    gone.delete(item('a'))
    await gone.pop(() => {})
    expect(gone.hasSynced()).toBe(true)
    await gone.whenSynced()
  })

  it('FF6: ends ten waiting pops when it closes, and a sync that cannot come', async () => {
    const queue = fifo()
    const pops = Array.from({ length: 10 }, () => queue.pop(() => {}))
    const synced = queue.whenSynced()
    queue.close()
    for (const outcome of await Promise.allSettled([...pops, synced])) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(FIFOClosedError) })
    }
    queue.add(item('a'))
    expect(await popAll(queue)).toEqual(['a1'])
  })

  it('FF7: adds if absent, and overwrites nothing', async () => {
    const queue = fifo()
    queue.add(item('a', 1))
    queue.addIfNotPresent(item('a', 2))
    queue.addIfNotPresent(item('b', 3))
    expect(await popAll(queue)).toEqual(['a1', 'b3'])
  })

  it('FF8: takes back what is requeued unless something newer waits, and rejects with the cause', async () => {
    const queue = fifo()
    queue.add(item('a', 1))
    await expect(
      queue.pop(() => {
        throw new RequeueError(new Error('not yet'))
      }),
    ).rejects.toThrow('not yet')
    expect(queue.list()).toEqual([item('a', 1)])
    const popped = await queue.pop(() => {
      queue.add(item('a', 2))
      throw new RequeueError()
    })
    expect(popped).toEqual(item('a', 1))
    expect(await popAll(queue)).toEqual(['a2'])
    queue.add(item('b'))
    await expect(queue.pop(() => Promise.reject(new Error('for good')))).rejects.toThrow('for good')
    expect(queue.size).toBe(0)
  })

  it('passes over what was deleted, and waits on when nothing else is there', async () => {
    const queue = fifo()
    queue.add(item('a'))
    queue.delete(item('a'))
    const pop = queue.pop(({ id }) => expect(id).toBe('b'))
    await undefined
    queue.add(item('b'))
    expect(await pop).toEqual(item('b'))
    queue.resync()
    expect(queue.listKeys()).toEqual([])
  })
})
