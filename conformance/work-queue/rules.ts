import type { DelayingQueue, PriorityQueue, RateLimitingQueue, WorkQueue } from '@binnacle/cache'
import type { VirtualClock } from '@binnacle/core'
import { expect } from 'vitest'
import { type Rule, rule } from '../rule.ts'

/** What work queues promise, from the plain one to the one with priorities. Each is made on a clock that the rule advances. */

export type Make<Q> = (clock: VirtualClock) => Q
export interface Subject<Q> {
  readonly make: Make<Q>
  readonly clock: () => VirtualClock
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** What can be had without waiting, each done at once. */
export async function drained(queue: WorkQueue<string>): Promise<string[]> {
  const items: string[] = []
  while (queue.length > 0) {
    const item = (await queue.get()) as string
    items.push(item)
    queue.done(item)
  }
  return items
}

/** A promise whose outcome can be asked for without waiting for it. */
function watched<T>(promise: Promise<T>): { readonly settled: () => boolean; readonly promise: Promise<T> } {
  let settled = false
  const note = () => {
    settled = true
  }
  promise.then(note, note)
  return { settled: () => settled, promise }
}

type PlainRule = Rule<Subject<WorkQueue<string>>>
const plain = (name: string, check: (queue: WorkQueue<string>) => Promise<void>): PlainRule =>
  rule(name, ({ make, clock }) => check(make(clock())))

/** Of every work queue. */
export const workRules: readonly PlainRule[] = [
  plain('an item waits once, however often it is added, and in the order of addition', async (queue) => {
    for (const item of ['b', 'a', 'b', '__proto__', 'a', 'constructor']) queue.add(item)
    expect(queue.length).toBe(4)
    expect(await drained(queue)).toEqual(['b', 'a', '__proto__', 'constructor'])
  }),
  plain('an item that is worked on is handed to nobody else', async (queue) => {
    queue.add('a')
    expect(await queue.get()).toBe('a')
    queue.add('a')
    const second = watched(queue.get())
    await settle()
    expect([second.settled(), queue.length]).toEqual([false, 0])
    queue.done('a')
    expect(await second.promise).toBe('a')
  }),
  plain('any number of additions during the work are one more run', async (queue) => {
    queue.add('a')
    await queue.get()
    for (let i = 0; i < 5; i++) queue.add('a')
    queue.done('a')
    expect(await drained(queue)).toEqual(['a'])
    expect(queue.length).toBe(0)
  }),
  plain('what comes again queues up behind the others', async (queue) => {
    queue.add('a')
    await queue.get()
    queue.add('a')
    queue.add('b')
    queue.done('a')
    expect(await drained(queue)).toEqual(['b', 'a'])
  }),
  plain('those who wait are served in the order in which they came', async (queue) => {
    const [first, second] = [queue.get(), queue.get()]
    queue.add('a')
    queue.add('b')
    expect(await Promise.all([first, second])).toEqual(['a', 'b'])
  }),
  plain('a wait that was given up takes nothing, not even in the moment of handing over', async (queue) => {
    const early = new AbortController()
    const given = queue.get(early.signal)
    early.abort(new Error('enough'))
    await expect(given).rejects.toThrow('enough')
    const late = new AbortController()
    const handed = queue.get(late.signal)
    late.abort(new Error('enough'))
    queue.add('a')
    await handed.catch(() => {})
    expect(await drained(queue)).toEqual(['a'])
  }),
  plain('done of what nobody works on does nothing', async (queue) => {
    queue.add('a')
    queue.done('a')
    queue.done('b')
    expect(await drained(queue)).toEqual(['a'])
  }),
  plain('a shutdown takes no more items and dismisses who waits', async (queue) => {
    const waits = [queue.get(), queue.get()]
    queue.shutDown()
    expect(await Promise.all(waits)).toEqual([undefined, undefined])
    queue.add('a')
    expect([queue.length, queue.isShuttingDown, await queue.get()]).toEqual([0, true, undefined])
  }),
  plain('a drain hands out what waits, and ends when all of it is done', async (queue) => {
    for (const item of ['a', 'b']) queue.add(item)
    await queue.get()
    const drain = watched(queue.shutDownWithDrain())
    queue.add('c')
    expect(await queue.get()).toBe('b')
    queue.done('b')
    await settle()
    expect(drain.settled()).toBe(false)
    queue.done('a')
    await drain.promise
    expect(await queue.get()).toBeUndefined()
  }),
  plain('a shutdown ends a drain that nobody finishes', async (queue) => {
    queue.add('a')
    await queue.get()
    const drain = watched(queue.shutDownWithDrain())
    await settle()
    expect(drain.settled()).toBe(false)
    queue.shutDown()
    await drain.promise
  }),
  plain('an iteration gives each item, and ends with the queue', async (queue) => {
    for (const item of ['a', 'b']) queue.add(item)
    const seen: string[] = []
    for await (const item of queue) {
      seen.push(item)
      queue.done(item)
      if (item === 'b') queue.shutDown()
    }
    expect(seen).toEqual(['a', 'b'])
  }),
]

/** Of all but the one with priorities, which drops what waits. */
export const lineRules: readonly PlainRule[] = [
  plain('after a shutdown what waits is still handed out', async (queue) => {
    for (const item of ['a', 'b']) queue.add(item)
    queue.shutDown()
    expect(await drained(queue)).toEqual(['a', 'b'])
  }),
]

type TimedRule<Q> = Rule<Subject<Q>>
function timed<Q>(name: string, check: (queue: Q, clock: VirtualClock) => Promise<void>): TimedRule<Q> {
  return rule(name, ({ make, clock }) => {
    const time = clock()
    return check(make(time), time)
  })
}

/** Of those that can wait. */
export const delayRules: readonly TimedRule<DelayingQueue<string>>[] = [
  timed('an item comes when its time has come, and not before', async (queue, clock) => {
    queue.addAfter('a', '10s')
    await clock.advance('9s')
    expect(queue.length).toBe(0)
    await clock.advance('1s')
    expect(await drained(queue)).toEqual(['a'])
  }),
  timed('of several delays of one item the earliest counts, once', async (queue, clock) => {
    queue.addAfter('a', '10s')
    queue.addAfter('a', '2s')
    queue.addAfter('a', '5s')
    await clock.advance('2s')
    expect(await drained(queue)).toEqual(['a'])
    await clock.advance('1m')
    expect(queue.length).toBe(0)
  }),
  timed(
    'items come in the order of their times, and those of one moment in that of their addition',
    async (queue, clock) => {
      queue.addAfter('late', '3s')
      queue.addAfter('b', '1s')
      queue.addAfter('a', '1s')
      await clock.advance('5s')
      expect(await drained(queue)).toEqual(['b', 'a', 'late'])
    },
  ),
  timed('no delay is none', async (queue) => {
    queue.addAfter('a', 0)
    queue.addAfter('b', -1)
    expect(await drained(queue)).toEqual(['a', 'b'])
  }),
  timed('what becomes due while it is worked on comes when it is done', async (queue, clock) => {
    queue.add('a')
    await queue.get()
    queue.addAfter('a', '1s')
    await clock.advance('2s')
    expect(queue.length).toBe(0)
    queue.done('a')
    expect(await drained(queue)).toEqual(['a'])
  }),
  timed('a shutdown forgets what still has to wait, and leaves no timer', async (queue, clock) => {
    queue.addAfter('a', '1s')
    queue.shutDown()
    queue.addAfter('b', '1s')
    expect(clock.sleeping).toBe(0)
    await clock.advance('5s')
    expect(await queue.get()).toBeUndefined()
  }),
]

/** Of those that slow failing items down. */
export const limitRules: readonly TimedRule<RateLimitingQueue<string>>[] = [
  timed('each failure waits longer, until it is forgotten', async (queue, clock) => {
    const waits: number[] = []
    const failed = async () => {
      const from = clock.monotonic()
      queue.addRateLimited('a')
      while (queue.length === 0) await clock.advance('1ms')
      await drained(queue)
      // To the nearest 5 ms: steps of one do not add up exactly.
      waits.push(Math.round((clock.monotonic() - from) * 200) * 5)
    }
    for (let i = 0; i < 4; i++) await failed()
    expect(queue.numRequeues('a')).toBe(4)
    queue.forget('a')
    expect(queue.numRequeues('a')).toBe(0)
    await failed()
    expect(waits).toEqual([5, 10, 20, 40, 5])
  }),
  timed('one item that fails slows no other down', async (queue, clock) => {
    for (let i = 0; i < 8; i++) {
      queue.addRateLimited('bad')
      await clock.advance('2s')
      await drained(queue)
    }
    queue.addRateLimited('good')
    await clock.advance('5ms')
    expect(await drained(queue)).toEqual(['good'])
    expect([queue.numRequeues('bad'), queue.numRequeues('good')]).toEqual([8, 1])
  }),
]

type RankRule = TimedRule<PriorityQueue<string>>

/** Of the one with priorities. */
export const priorityRules: readonly RankRule[] = [
  timed('the highest priority comes first, and equal ones in the order of addition', async (queue) => {
    queue.addWithOptions({ priority: -100 }, 'low')
    queue.addWithOptions({}, 'b', 'a')
    queue.addWithOptions({ priority: 5 }, 'high')
    expect(await drained(queue)).toEqual(['high', 'b', 'a', 'low'])
  }),
  timed('an item that is added again keeps the higher priority', async (queue) => {
    queue.addWithOptions({ priority: 5 }, 'a')
    queue.add('b')
    queue.addWithOptions({ priority: -1 }, 'a')
    expect(await queue.getWithPriority()).toEqual({ item: 'a', priority: 5 })
  }),
  timed('one that is raised goes to the end of its new level', async (queue) => {
    queue.add('a')
    queue.addWithOptions({ priority: 1 }, 'b', 'c')
    queue.addWithOptions({ priority: 1 }, 'a')
    expect(await drained(queue)).toEqual(['b', 'c', 'a'])
  }),
  timed('an item that can come now never gains a delay', async (queue) => {
    queue.add('a')
    queue.addWithOptions({ after: '1m', priority: 3 }, 'a')
    expect(await queue.getWithPriority()).toEqual({ item: 'a', priority: 3 })
  }),
  timed('of a delay and the limiter the shorter counts', async (queue, clock) => {
    queue.addWithOptions({ after: '1m', rateLimited: true }, 'a')
    await clock.advance('10ms')
    expect(await drained(queue)).toEqual(['a'])
  }),
  timed('a busy item cannot starve its neighbours', async (queue) => {
    queue.add('busy')
    queue.add('b')
    queue.add('c')
    const served: string[] = []
    for (let i = 0; i < 6; i++) {
      const item = (await queue.get()) as string
      served.push(item)
      queue.add('busy')
      queue.done(item)
    }
    expect(served).toEqual(['busy', 'b', 'c', 'busy', 'busy', 'busy'])
  }),
  timed('what waits for its time does not hold back what is ready', async (queue, clock) => {
    queue.addWithOptions({ priority: 9, after: '1m' }, 'later')
    queue.add('now')
    expect(await drained(queue)).toEqual(['now'])
    await clock.advance('1m')
    expect(await drained(queue)).toEqual(['later'])
  }),
]
