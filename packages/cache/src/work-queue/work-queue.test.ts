import { VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { collected } from '../../test/collected.ts'
import { recordedMetrics } from '../../test/recorded-metrics.ts'
import { DelayingQueue } from './delaying-queue.ts'
import {
  bucketRateLimiter,
  defaultRateLimiter,
  itemExponentialFailureRateLimiter,
  itemFastSlowRateLimiter,
  maxOfRateLimiter,
  withMaxWaitRateLimiter,
} from './rate-limiters.ts'
import { RateLimitingQueue } from './rate-limiting-queue.ts'
import { WorkQueue } from './work-queue.ts'

async function settled<T>(promise: Promise<T>): Promise<T | 'pending'> {
  for (let turn = 0; turn < 20; turn++) await undefined
  return Promise.race([promise, Promise.resolve('pending' as const)])
}

describe('a work queue', () => {
  it('WQ1: many producers and workers do everything once, and nothing twice at a time', async () => {
    const queue = new WorkQueue<number>()
    const [working, seen] = [new Set<number>(), [] as number[]]
    const worker = async () => {
      for await (const item of queue) {
        expect(working.has(item)).toBe(false)
        working.add(item)
        for (let turn = 0; turn < item % 5; turn++) await undefined
        working.delete(item)
        seen.push(item)
        queue.done(item)
      }
    }
    const workers = Array.from({ length: 10 }, worker)
    const produce = async (from: number) => {
      for (let n = 0; n < 50; n++) {
        queue.add(from + n)
        if (n % 3 === 0) await undefined
      }
    }
    await Promise.all(Array.from({ length: 20 }, (_, i) => produce(i * 50)))
    await queue.shutDownWithDrain()
    await Promise.all(workers)
    expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, n) => n))
  })

  it('WQ2, WQ3, WQ5: collapses additions before and during work, and gives the item again after it', async () => {
    const queue = new WorkQueue<string>()
    for (const item of ['a', 'a', 'b', 'a']) queue.add(item)
    expect(queue.length).toBe(2)
    expect(await queue.get()).toBe('a')
    expect(queue.length).toBe(1)
    for (let n = 0; n < 3; n++) queue.add('a')
    expect(queue.length).toBe(1)
    expect(await queue.get()).toBe('b')
    const third = queue.get()
    expect(await settled(third)).toBe('pending')
    queue.done('a')
    expect(await third).toBe('a')
    queue.done('a')
    queue.done('b')
    expect(queue.length).toBe(0)
  })

  it('WQ4: takes what is done again, and ignores what nobody got', async () => {
    const queue = new WorkQueue<string>()
    queue.done('never seen')
    queue.add('a')
    queue.done(String(await queue.get()))
    queue.add('a')
    expect(await queue.get()).toBe('a')
  })

  it('WQ6: does not hold what was handed out and done', async () => {
    const queue = new WorkQueue<object>()
    const add = () => {
      const item = { big: new Array(1000).fill('x') }
      queue.add(item)
      return new WeakRef(item)
    }
    const ref = add()
    await queue.get().then((item) => item && queue.done(item))
    expect(await collected(ref)).toBe(true)
  })

  it('WQ7: counts, times and shows unfinished work, also after the shutdown', async () => {
    const { metrics, value } = recordedMetrics()
    const clock = new VirtualClock()
    const queue = new DelayingQueue<string>({ name: 'q', metrics, clock })
    queue.add('a')
    queue.add('a')
    queue.add('b')
    expect([value('workqueue_depth'), value('workqueue_adds_total')]).toEqual([2, 2])
    await clock.advance('3s')
    await queue.get()
    expect([value('workqueue_depth'), value('workqueue_queue_duration_seconds')]).toEqual([1, 3])
    await clock.advance('2s')
    expect(value('workqueue_unfinished_work_seconds')).toBe(2)
    expect(value('workqueue_longest_running_processor_seconds')).toBe(2)
    queue.addAfter('c', '1s')
    expect(value('workqueue_retries_total')).toBe(1)
    queue.shutDown()
    queue.done('a')
    expect(value('workqueue_work_duration_seconds')).toBe(2)
    expect(value('workqueue_unfinished_work_seconds')).toBe(0)
    expect(await queue.get()).toBe('b')
    queue[Symbol.dispose]()
    expect(clock.sleeping).toBe(0)
  })

  it('WQ8: shutdown takes nothing more and hands out the rest; a drain waits for done; a shutdown ends the drain', async () => {
    const plain = new WorkQueue<string>()
    plain.add('a')
    plain.shutDown()
    plain.add('b')
    expect([await plain.get(), await plain.get(), plain.isShuttingDown]).toEqual(['a', undefined, true])

    const drained = new WorkQueue<string>()
    drained.add('a')
    await drained.get()
    drained.add('a')
    const drain = drained.shutDownWithDrain()
    const other = drained.get()
    drained.done('a')
    expect(await settled(drain)).toBe('pending')
    expect([await other, await drained.get()]).toEqual([undefined, 'a'])
    drained.done('a')
    expect(await settled(drain)).toBeUndefined()

    const forced = new WorkQueue<string>()
    forced.add('a')
    await forced.get()
    const given = forced.shutDownWithDrain()
    expect(await settled(given)).toBe('pending')
    forced.shutDown()
    expect(await settled(given)).toBeUndefined()
  })

  it('gives up a wait with its signal, and loses nothing by it', async () => {
    const queue = new WorkQueue<string>()
    const stop = new AbortController()
    const wait = queue.get(stop.signal)
    queue.add('a')
    stop.abort(new Error('no patience'))
    const outcome = await wait.catch((error: Error) => error.message)
    if (outcome !== 'a') expect([outcome, await queue.get()]).toEqual(['no patience', 'a'])
    const [first, second] = [queue.get(stop.signal).catch(() => 'given up'), queue.get()]
    queue.shutDown()
    expect([await first, await second]).toEqual(['given up', undefined])
  })
})

describe('a delaying queue', () => {
  it('WQ9: gives an item once, at the earliest of its times, and items in the order of time', async () => {
    const clock = new VirtualClock()
    const queue = new DelayingQueue<string>({ clock })
    queue.addAfter('b', '50s')
    queue.addAfter('a', '30s')
    queue.addAfter('a', '10s')
    queue.addAfter('a', '20s')
    queue.addAfter('now', 0)
    expect(await queue.get()).toBe('now')
    await clock.advance('9s')
    expect(queue.length).toBe(0)
    await clock.advance('1s')
    expect([queue.length, await queue.get()]).toEqual([1, 'a'])
    queue.done('a')
    await clock.advance('1h')
    expect([queue.length, await queue.get(), clock.sleeping]).toEqual([1, 'b', 0])
  })

  it('WQ8: forgets what had to wait when it shuts down, and leaves no timer', async () => {
    const clock = new VirtualClock()
    const queue = new DelayingQueue<string>({ clock })
    queue.addAfter('a', '1s')
    await queue.shutDownWithDrain()
    queue.addAfter('b', '1s')
    expect([clock.sleeping, queue.length, await queue.get()]).toEqual([0, 0, undefined])
  })
})

describe('rate limiters', () => {
  it('WQ10: double for each item, up to a limit, and begin anew when it is forgotten', () => {
    const limiter = itemExponentialFailureRateLimiter<string>('1ms', '1s')
    expect(Array.from({ length: 5 }, () => limiter.when('a'))).toEqual([0.001, 0.002, 0.004, 0.008, 0.016])
    expect([limiter.when('b'), limiter.numRequeues('a')]).toEqual([0.001, 5])
    for (let n = 0; n < 2000; n++) limiter.when('a')
    expect(limiter.when('a')).toBe(1)
    limiter.forget('a')
    expect([limiter.numRequeues('a'), limiter.when('a')]).toEqual([0, 0.001])
    const spread = itemExponentialFailureRateLimiter<string>('1s', '1.5s', { jitter: 0.5, random: () => 0.5 })
    expect([spread.when('a'), spread.when('a')]).toEqual([1.25, 1.5])
    const nothing = itemExponentialFailureRateLimiter<string>(0, '1s')
    for (let n = 0; n < 2000; n++) expect(nothing.when('a')).toBe(0)
  })

  it('WQ10: are fast first and then slow', () => {
    const limiter = itemFastSlowRateLimiter<string>('5ms', '10s', 3)
    expect(Array.from({ length: 5 }, () => limiter.when('a'))).toEqual([0.005, 0.005, 0.005, 10, 10])
    limiter.forget('a')
    expect([limiter.when('a'), limiter.numRequeues('a')]).toEqual([0.005, 1])
  })

  it('WQ10: let so many through at once, and then so many per second', async () => {
    const clock = new VirtualClock()
    const limiter = bucketRateLimiter<string>(10, 2, { clock })
    const waits = Array.from({ length: 4 }, () => Math.round(limiter.when('a') * 1000))
    expect(waits).toEqual([0, 0, 100, 200])
    await clock.advance('1s')
    limiter.forget('a')
    expect([limiter.when('a'), limiter.numRequeues('a')]).toEqual([0, 0])
  })

  it('WQ10: take the longest of several waits, or no more than a limit', () => {
    const both = maxOfRateLimiter(
      itemFastSlowRateLimiter<string>('5ms', '3s', 1),
      itemExponentialFailureRateLimiter<string>('1ms', '1s'),
    )
    expect([both.when('a'), both.when('a'), both.numRequeues('a')]).toEqual([0.005, 3, 2])
    both.forget('a')
    expect(both.numRequeues('a')).toBe(0)
    const capped = withMaxWaitRateLimiter(itemFastSlowRateLimiter<string>('5ms', '3s', 1), '1s')
    expect([capped.when('a'), capped.when('a'), capped.numRequeues('a')]).toEqual([0.005, 1, 2])
    capped.forget('a')
    expect(defaultRateLimiter<string>({ random: () => 0 }).when('a')).toBe(0.005)
  })

  it('WQ10: decide when a failed item comes again', async () => {
    const clock = new VirtualClock()
    const queue = new RateLimitingQueue<string>(itemExponentialFailureRateLimiter('1s', '1m'), { clock })
    queue.addRateLimited('a')
    queue.addRateLimited('a')
    expect(queue.numRequeues('a')).toBe(2)
    await clock.advance('1s')
    expect(queue.length).toBe(1)
    queue.forget('a')
    expect(queue.numRequeues('a')).toBe(0)
    queue.shutDown()
    queue.addRateLimited('b')
    expect(queue.numRequeues('b')).toBe(0)
  })
})
