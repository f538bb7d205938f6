import { DeletedFinalStateUnknown, type Delta } from '@binnacle/cache'
import { expect } from 'vitest'
import { type Rule, rule } from '../rule.ts'

export interface Item {
  readonly id: string
  readonly state: number
}

/** What came out in one piece. */
interface Popped {
  readonly deltas: readonly Delta<Item>[]
  readonly initial: boolean
}

/** What DeltaFIFO and the in-order queue have in common. */
export interface QueueUnderTest {
  add(item: Item): void
  update(item: Item): void
  delete(item: Item | DeletedFinalStateUnknown<Item>): void
  replace(items: readonly Item[], version: string): void
  resync(): void
  close(): void
  hasSynced(): boolean
  readonly waiting: number
  pop(signal?: AbortSignal): Promise<Popped>
}
export interface MakeOptions {
  /** What the consumer knows. */
  readonly known?: readonly Item[]
  readonly transform?: (item: Item) => Item
}
export type MakeQueue = (options?: MakeOptions) => QueueUnderTest

const item = (id: string, state = 1): Item => ({ id, state })

/** `Added a1`, `Deleted a1` or, for a tombstone, `Gone a1`. */
function said({ type, object }: Delta<Item>): string {
  if (!(object instanceof DeletedFinalStateUnknown)) return `${type} ${object.id}${object.state}`
  return `Gone ${object.key}${object.obj?.state ?? '?'}`
}

async function drained(queue: QueueUnderTest): Promise<Popped[]> {
  const popped: Popped[] = []
  while (queue.waiting > 0) popped.push(await queue.pop())
  return popped
}

/** What is told of each key, in order; how the keys are mixed is each queue's own affair. */
async function told(queue: QueueUnderTest): Promise<{ [id: string]: string[] }> {
  const history: { [id: string]: string[] } = {}
  for (const { deltas } of await drained(queue)) {
    for (const delta of deltas) {
      const id = delta.object instanceof DeletedFinalStateUnknown ? delta.object.key : delta.object.id
      const list = history[id] ?? []
      list.push(said(delta))
      history[id] = list
    }
  }
  return history
}

export const queueRules: readonly Rule<MakeQueue>[] = [
  rule('DF1, RF1: keeps the order of each of two producers', async (make) => {
    const queue = make()
    const produce = async (name: string) => {
      for (let n = 0; n < 500; n++) {
        queue.add(item(`${name}-${n}`, n))
        if (n % 7 === 0) await undefined
      }
    }
    await Promise.all([produce('x'), produce('y')])
    const popped = (await drained(queue)).flatMap(({ deltas }) => deltas.map(({ object }) => object as Item))
    for (const name of ['x', 'y']) {
      const states = popped.filter(({ id }) => id.startsWith(name)).map(({ state }) => state)
      expect(states).toEqual(Array.from({ length: 500 }, (_, n) => n))
    }
  }),
  rule('DF2, RF2: tells a deletion that waits and a list that has the key again', async (make) => {
    const queue = make({ known: [item('a')] })
    queue.delete(item('a'))
    queue.replace([item('a', 2)], '1')
    expect(await told(queue)).toEqual({ a: ['Deleted a1', 'Replaced a2'] })
  }),
  ...([undefined, []] as const).flatMap((known) => {
    const options = known ? { known } : {}
    const where = known ? 'with nothing known' : 'without known objects'
    return [
      rule<MakeQueue>(
        `DF3, RF3: gives what only waits and is missing from a list a tombstone, ${where}`,
        async (make) => {
          const queue = make(options)
          queue.add(item('a'))
          queue.replace([], '1')
          expect(await told(queue)).toEqual({ a: ['Added a1', 'Gone a1'] })
        },
      ),
      rule<MakeQueue>(`DF4, DF6, RF3: one tombstone after several lists, ${where}`, async (make) => {
        const queue = make(options)
        queue.add(item('a'))
        queue.replace([item('a', 2)], '1')
        queue.replace([item('a', 3)], '2')
        queue.replace([], '3')
        expect(await told(queue)).toEqual({ a: ['Added a1', 'Replaced a2', 'Replaced a3', 'Gone a3'] })
      }),
      rule<MakeQueue>(`DF5, RF3: no second deletion of what is deleted already, ${where}`, async (make) => {
        const queue = make(options)
        queue.add(item('a'))
        queue.delete(item('a'))
        queue.replace([], '1')
        expect(await told(queue)).toEqual({ a: ['Added a1', 'Deleted a1'] })
      }),
      rule<MakeQueue>(`DF7, RF3: one tombstone for two empty lists, ${where}`, async (make) => {
        const queue = make(options)
        queue.add(item('a'))
        queue.replace([], '1')
        queue.replace([], '2')
        expect(await told(queue)).toEqual({ a: ['Added a1', 'Gone a1'] })
      }),
      rule<MakeQueue>(`DF8, RF3: the tombstone carries the recreated object, ${where}`, async (make) => {
        const queue = make(options)
        queue.add(item('a', 1))
        queue.delete(item('a', 1))
        queue.add(item('a', 2))
        queue.replace([], '1')
        expect(await told(queue)).toEqual({ a: ['Added a1', 'Deleted a1', 'Added a2', 'Gone a2'] })
      }),
    ]
  }),
  rule('DF9, RF4: tells every change of a key, the newest last', async (make) => {
    const queue = make()
    queue.add(item('a', 1))
    queue.update(item('a', 2))
    queue.delete(item('a', 3))
    expect(await told(queue)).toEqual({ a: ['Added a1', 'Updated a2', 'Deleted a3'] })
    expect(queue.waiting).toBe(0)
  }),
  rule('DF10, RF5: transforms each object once, and never a tombstone', async (make) => {
    let calls = 0
    const transform = ({ id, state }: Item) => {
      calls++
      return item(id, state + 100)
    }
    const queue = make({ transform, known: [item('k', 9)] })
    queue.add(item('a', 1))
    queue.replace([item('b', 2)], '1')
    queue.replace([], '2')
    expect(calls).toBe(2)
    expect(await told(queue)).toEqual({
      a: ['Added a101', 'Gone a101'],
      b: ['Replaced b102', 'Gone b102'],
      k: ['Gone k9'],
    })
  }),
  rule('DF12, RF7: tells the deletion of what is known', async (make) => {
    const queue = make({ known: [item('a')] })
    queue.delete(item('a'))
    expect(await told(queue)).toEqual({ a: ['Deleted a1'] })
  }),
  rule('DF13, RF8: tells an addition and a list, the list last', async (make) => {
    const queue = make()
    queue.add(item('a', 1))
    queue.replace([item('a', 2)], '1')
    expect(await told(queue)).toEqual({ a: ['Added a1', 'Replaced a2'] })
  }),
  rule('DF14, RF9: a resync adds nothing behind a deletion', async (make) => {
    const queue = make({ known: [item('a')] })
    queue.delete(item('a'))
    queue.resync()
    expect(await told(queue)).toEqual({ a: ['Deleted a1'] })
  }),
  rule('DF15, RF10: a resync repeats what is idle once', async (make) => {
    const queue = make({ known: [item('a', 5)] })
    queue.resync()
    queue.resync()
    expect(await told(queue)).toEqual({ a: ['Sync a5'] })
  }),
  rule('DF16, RF11: keeps an addition and a deletion that nobody has seen', async (make) => {
    const queue = make({ known: [] })
    queue.add(item('a'))
    queue.delete(item('a'))
    expect(await told(queue)).toEqual({ a: ['Added a1', 'Deleted a1'] })
  }),
  rule('DF17, RF12: a deletion that waits is told once, and others vanish with tombstones', async (make) => {
    const queue = make({ known: [item('a', 5), item('b', 6), item('c', 7)] })
    queue.delete(item('c', 10))
    queue.replace([item('a', 5)], '1')
    expect(await told(queue)).toEqual({ a: ['Replaced a5'], b: ['Gone b6'], c: ['Deleted c10'] })
  }),
  rule('DF18, RF13: a tombstone carries what waits rather than what is known', async (make) => {
    const queue = make({ known: [item('a', 5), item('b', 6), item('c', 7)] })
    queue.add(item('c', 10))
    queue.replace([item('a', 5)], '1')
    expect(await told(queue)).toEqual({ a: ['Replaced a5'], b: ['Gone b6'], c: ['Added c10', 'Gone c10'] })
  }),
  rule('DF19, RF14: tells deletion, recreation and disappearance', async (make) => {
    const queue = make({ known: [item('a', 5), item('b', 6), item('c', 7)] })
    queue.delete(item('b', 6))
    queue.add(item('b', 100))
    queue.replace([item('a', 5)], '1')
    expect(await told(queue)).toEqual({
      a: ['Replaced a5'],
      b: ['Deleted b6', 'Added b100', 'Gone b100'],
      c: ['Gone c7'],
    })
  }),
  rule(
    'DF20, DF22, RF15: after two lists the tombstone carries the object of the first, and nothing vanishes twice',
    async (make) => {
      const queue = make({ known: [item('a', 5), item('b', 6), item('c', 7)] })
      queue.replace([item('b', 100), item('a', 5)], '1')
      queue.replace([item('a', 5)], '2')
      expect(await told(queue)).toEqual({
        a: ['Replaced a5', 'Replaced a5'],
        b: ['Replaced b100', 'Gone b100'],
        c: ['Gone c7'],
      })
    },
  ),
  rule('DF21, RF16: with nothing known only what waits can vanish', async (make) => {
    const queue = make({ known: [] })
    queue.add(item('c', 10))
    queue.replace([item('a', 5)], '1')
    expect(await told(queue)).toEqual({ a: ['Replaced a5'], c: ['Added c10', 'Gone c10'] })
  }),
  rule('DF24, RF17: a resync adds nothing behind an update', async (make) => {
    const queue = make({ known: [item('a', 5)] })
    queue.update(item('a', 6))
    queue.resync()
    expect(await told(queue)).toEqual({ a: ['Updated a6'] })
  }),
  rule('DF25, RF18: the first list has come out when its tombstones have, all of them flagged', async (make) => {
    const queue = make({ known: [item('b'), item('c')] })
    queue.replace([item('a')], '1')
    const flags: boolean[] = []
    while (queue.waiting > 0) {
      expect(queue.hasSynced()).toBe(false)
      flags.push((await queue.pop()).initial)
    }
    expect(flags).toEqual([true, true, true])
    expect(queue.hasSynced()).toBe(true)
    queue.add(item('d'))
    expect((await queue.pop()).initial).toBe(false)
  }),
  rule('DF26, RF19: a key that was popped and comes again goes to the end', async (make) => {
    const queue = make()
    queue.add(item('a', 1))
    queue.add(item('b', 2))
    await queue.pop()
    queue.add(item('a', 3))
    const ids = (await drained(queue)).flatMap(({ deltas }) => deltas.map(({ object }) => (object as Item).id))
    expect(ids).toEqual(['b', 'a'])
  }),
  rule(
    'DF28, RF21: has synced at once after a change or an empty list, else when the first list has come out',
    async (make) => {
      expect(make().hasSynced()).toBe(false)
      const changed = make()
      changed.add(item('a'))
      expect(changed.hasSynced()).toBe(true)
      const empty = make({ known: [] })
      empty.replace([], '1')
      if (empty.waiting > 0) await empty.pop()
      expect(empty.hasSynced()).toBe(true)
      const listed = make({ known: [] })
      listed.replace([item('a'), item('b')], '1')
      expect(listed.hasSynced()).toBe(false)
      await listed.pop()
      expect(listed.hasSynced()).toBe(false)
      await listed.pop()
      expect(listed.hasSynced()).toBe(true)
      listed.replace([item('c')], '2')
      expect(listed.hasSynced()).toBe(true)
    },
  ),
  rule('DF29, RF22: closing wakes all who wait, and what is left can still be popped', async (make) => {
    const queue = make()
    const waits = Array.from({ length: 10 }, () => queue.pop())
    queue.close()
    const outcomes = await Promise.allSettled(waits)
    expect(outcomes.map(({ status }) => status)).toEqual(Array(10).fill('rejected'))
    queue.add(item('a'))
    expect((await queue.pop()).deltas.map(said)).toEqual(['Added a1'])
    await expect(queue.pop()).rejects.toThrow('closed')
  }),
  rule('a wait that was given up takes nothing', async (make) => {
    const queue = make()
    const stop = new AbortController()
    const wait = queue.pop(stop.signal)
    stop.abort(new Error('no patience'))
    await expect(wait).rejects.toThrow('no patience')
    queue.add(item('a'))
    expect((await queue.pop()).deltas.map(said)).toEqual(['Added a1'])
  }),
]
