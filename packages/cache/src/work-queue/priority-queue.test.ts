import { VirtualClock } from '@binnacle/core'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { recordedMetrics } from '../../test/recorded-metrics.ts'
import { PriorityQueue } from './priority-queue.ts'

function made() {
  const clock = new VirtualClock()
  const { metrics, value } = recordedMetrics()
  const queue = new PriorityQueue<string>(undefined, { clock, metrics, name: 'p', random: () => 0 })
  return { queue, clock, value }
}

async function rest(queue: PriorityQueue<string>): Promise<string[]> {
  const items: string[] = []
  while (queue.length > 0) {
    const work = await queue.getWithPriority()
    if (work) items.push(`${work.item}@${work.priority}`)
  }
  return items
}

describe('a priority queue', () => {
  it('PQ1: keeps an item that is twice in one call once', async () => {
    const { queue } = made()
    queue.addWithOptions({}, 'a', 'a')
    expect(await rest(queue)).toEqual(['a@0'])
  })

  it('PQ2: gives the higher priority first, and equal ones in the order of arrival', async () => {
    const { queue } = made()
    queue.add('a')
    queue.addWithOptions({ priority: 1 }, 'b', 'c')
    queue.addWithOptions({ priority: -100 }, 'd')
    queue.add('e')
    expect(await rest(queue)).toEqual(['b@1', 'c@1', 'a@0', 'e@0', 'd@-100'])
  })

  it('PQ3: puts a raised item at the end of its new level, and never lowers one', async () => {
    const { queue } = made()
    queue.addWithOptions({ priority: 1 }, 'a', 'b')
    queue.addWithOptions({ priority: 2 }, 'c')
    queue.addWithOptions({ priority: 2 }, 'a')
    queue.addWithOptions({ priority: 0 }, 'c')
    expect(await rest(queue)).toEqual(['c@2', 'a@2', 'b@1'])
  })

  it('PQ4: keeps the shorter delay, and never gives one to an item that has none', async () => {
    const { queue, clock } = made()
    queue.addWithOptions({ after: '1m' }, 'a')
    queue.addWithOptions({ after: '1s' }, 'a')
    queue.addWithOptions({ after: '1h' }, 'a')
    queue.add('b')
    queue.addWithOptions({ after: '1h' }, 'b')
    expect(await rest(queue)).toEqual(['b@0'])
    await clock.advance('1s')
    expect(await rest(queue)).toEqual(['a@0'])
    queue.addWithOptions({ rateLimited: true, after: '1h' }, 'c')
    await clock.advance('5ms')
    expect([await rest(queue), queue.numRequeues('c')]).toEqual([['c@0'], 1])
    queue.forget('c')
    queue.addWithOptions({ after: '1h' }, 'd')
    queue.add('d')
    expect(await rest(queue)).toEqual(['d@0'])
  })

  it('PQ5: gives what is ready before what waits, whatever their priorities', async () => {
    const { queue, clock } = made()
    queue.addWithOptions({ priority: 10, after: '1s' }, 'late')
    queue.addWithOptions({ priority: 1 }, 'now')
    expect(await queue.get()).toBe('now')
    const next = queue.get()
    await clock.advance('1s')
    expect(await next).toBe('late')
  })

  it('PQ6: lets items go in the order of their times', async () => {
    const { queue, clock } = made()
    const order: (string | undefined)[] = []
    queue.addAfter('c', '3s')
    queue.addAfter('a', '1s')
    queue.addAfter('b', '2s')
    const worker = (async () => {
      for await (const item of queue) order.push(item)
    })()
    await clock.advance('5s')
    queue.shutDown()
    await worker
    expect([order, clock.sleeping]).toEqual([['a', 'b', 'c'], 1])
    queue[Symbol.dispose]()
    expect(clock.sleeping).toBe(0)
  })

  it('PQ7: passes over an item that is worked on until it is done, and then puts it behind its level', async () => {
    const { queue } = made()
    queue.add('hot')
    expect(await queue.get()).toBe('hot')
    queue.add('hot')
    queue.add('a')
    expect(await queue.get()).toBe('a')
    queue.add('b')
    queue.done('hot')
    expect(await rest(queue)).toEqual(['b@0', 'hot@0'])
  })

  it('PQ8: counts what is ready, in its length and its depth', async () => {
    const { queue, clock, value } = made()
    queue.add('a')
    queue.addAfter('b', '1s')
    expect([queue.length, value('workqueue_depth')]).toEqual([1, 1])
    await clock.advance('1s')
    expect([queue.length, value('workqueue_depth')]).toEqual([2, 2])
    await queue.get()
    queue.add('a')
    expect([queue.length, value('workqueue_depth')]).toEqual([1, 1])
  })

  it('PQ9: wakes all and drops what waits when it shuts down; a drain hands it out first', async () => {
    const idle = made().queue
    const waits = [idle.get(), idle.getWithPriority()]
    idle.shutDown()
    expect(await Promise.all(waits)).toEqual([undefined, undefined])
    const { queue } = made()
    queue.addWithOptions({}, 'a', 'b')
    await queue.get()
    queue.shutDown()
    queue.add('c')
    expect([await queue.get(), queue.length, queue.isShuttingDown]).toEqual([undefined, 0, true])
    const drained = made().queue
    drained.addWithOptions({}, 'a', 'b')
    drained.addAfter('c', '1h')
    const drain = drained.shutDownWithDrain()
    const handed = [await drained.get(), await drained.get(), await drained.get()]
    drained.done('a')
    drained.done('b')
    await drain
    expect(handed).toEqual(['a', 'b', undefined])
  })

  it('PQ10: whatever happens, one worker has an item, and the best that is ready comes first', async () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constant('add' as const),
        item: fc.constantFrom('a', 'b', 'c', 'd'),
        priority: fc.integer({ min: -2, max: 2 }),
        after: fc.constantFrom(0, 0, 1, 5),
      }),
      fc.record({ do: fc.constant('get' as const) }),
      fc.record({ do: fc.constant('done' as const), item: fc.constantFrom('a', 'b', 'c', 'd') }),
      fc.record({ do: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 6 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const clock = new VirtualClock({ settle: async () => {} })
        const queue = new PriorityQueue<string>(undefined, { clock })
        const working = new Set<string>()
        const model = new Map<string, { priority: number; readyAt: number }>()
        for (const action of steps) {
          if (action.do === 'add') {
            const readyAt = clock.monotonic() + action.after
            const known = model.get(action.item)
            model.set(action.item, {
              priority: Math.max(action.priority, known?.priority ?? Number.NEGATIVE_INFINITY),
              readyAt: Math.min(readyAt, known?.readyAt ?? readyAt),
            })
            queue.addWithOptions({ priority: action.priority, after: action.after }, action.item)
          } else if (action.do === 'get') {
            const ready = [...model].filter(([item, { readyAt }]) => readyAt <= clock.monotonic() && !working.has(item))
            expect(queue.length).toBe(ready.length)
            if (ready.length === 0) continue
            const work = await queue.getWithPriority()
            expect(work?.priority).toBe(Math.max(...ready.map(([, { priority }]) => priority)))
            expect(working.has(work?.item ?? '')).toBe(false)
            expect(model.get(work?.item ?? '')?.priority).toBe(work?.priority)
            working.add(work?.item ?? '')
            model.delete(work?.item ?? '')
          } else if (action.do === 'done') {
            working.delete(action.item)
            queue.done(action.item)
          } else {
            await clock.advance(action.seconds)
            for (let turn = 0; turn < 10; turn++) await undefined
          }
          expect((queue as unknown as { broken(): string[] }).broken()).toEqual([])
        }
        queue.shutDown()
      }),
      { numRuns: 200 },
    )
  })
})
