import {
  DelayingQueue,
  itemExponentialFailureRateLimiter,
  PriorityQueue,
  RateLimitingQueue,
  WorkQueue,
} from '@binnacle/cache'
import { type Duration, VirtualClock } from '@binnacle/core'
import { brokenBy, holds, type Mutant, noticed, type Rule } from '../rule.ts'
import { delayRules, limitRules, lineRules, type Make, priorityRules, type Subject, workRules } from './rules.ts'

const limiter = () => itemExponentialFailureRateLimiter<string>('5ms', '1000s')
const makeWork: Make<WorkQueue<string>> = (clock) => new WorkQueue({ clock })
const makeDelaying: Make<DelayingQueue<string>> = (clock) => new DelayingQueue({ clock })
const makeLimiting: Make<RateLimitingQueue<string>> = (clock) => new RateLimitingQueue(limiter(), { clock })
const makePriority: Make<PriorityQueue<string>> = (clock) => new PriorityQueue(limiter(), { clock })

const subject = <Q>(make: Make<Q>): Subject<Q> => ({ make, clock: () => new VirtualClock() })

const all = <Q>(...rules: readonly (readonly Rule<Subject<Q>>[])[]): readonly Rule<Subject<Q>>[] => rules.flat()
const delaying = all<DelayingQueue<string>>(workRules, lineRules, delayRules)
const limiting = all<RateLimitingQueue<string>>(delaying, limitRules)
const priority = all<PriorityQueue<string>>(workRules, delayRules, limitRules, priorityRules)

holds('a WorkQueue', all(workRules, lineRules), subject(makeWork))
holds('a DelayingQueue', delaying, subject(makeDelaying))
holds('a RateLimitingQueue', limiting, subject(makeLimiting))
holds('a PriorityQueue', priority, subject(makePriority))

/** A queue in which something is done in another way. */
function mutant<Q extends object>(breaks: string, make: Make<Q>, patch: (queue: Q, clock: VirtualClock) => Partial<Q>) {
  return { breaks, subject: subject<Q>((clock) => brokenBy(make(clock), (queue) => patch(queue, clock))) }
}

function workMutants<Q extends WorkQueue<string>>(make: Make<Q>): Mutant<Subject<Q>>[] {
  const broken = (breaks: string, patch: (queue: Q) => Partial<WorkQueue<string>>) =>
    mutant<Q>(breaks, make, patch as (queue: Q) => Partial<Q>)
  return [
    broken('keeps every addition', remembersDuplicates),
    broken('hands an item out while it is worked on', (queue) => ({
      get: async (signal) => {
        const item = await queue.get(signal)
        if (item !== undefined) queue.done(item)
        return item
      },
    })),
    broken('forgets what is added during the work', forgetsDuringWork),
    broken('is last in, first out', (queue) => ({ get: (signal) => lastOf(queue, signal) })),
    broken('loses what it hands over to who has given up', (queue) => ({
      get: (signal) => {
        const got = queue.get()
        if (!signal) return got
        return new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          got.then(resolve, reject)
        })
      },
    })),
    broken('takes items after the shutdown', (queue) => ({ shutDown: () => {}, isShuttingDown: queue.isShuttingDown })),
    broken('does not wait for the end of a drain', (queue) => ({
      shutDownWithDrain: async () => void queue.shutDownWithDrain(),
    })),
    broken('drops what waits when it is drained', (queue) => ({
      shutDownWithDrain: async () => {
        for (const item of [await queue.get(), await queue.get()]) if (item !== undefined) queue.done(item)
        return queue.shutDownWithDrain()
      },
    })),
    broken('counts what is worked on', (queue) => {
      let working = 0
      return {
        get: async (signal) => {
          const item = await queue.get(signal)
          working++
          return item
        },
        done: (item) => {
          working--
          queue.done(item)
        },
        get length() {
          return queue.length + working
        },
      }
    }),
    broken('never ends an iteration', (queue) => ({ shutDown: () => void queue.length })),
  ]
}

function remembersDuplicates(queue: WorkQueue<string>): Partial<WorkQueue<string>> {
  const more: string[] = []
  return {
    add: (item) => {
      more.push(item)
      queue.add(item)
    },
    done: (item) => {
      queue.done(item)
      more.splice(more.indexOf(item), 1)
      if (more.includes(item)) queue.add(item)
    },
  }
}

function forgetsDuringWork(queue: WorkQueue<string>): Partial<WorkQueue<string>> {
  const working = new Set<string | undefined>()
  return {
    get: async (signal) => {
      const item = await queue.get(signal)
      working.add(item)
      return item
    },
    add: (item) => void (working.has(item) || queue.add(item)),
    done: (item) => {
      working.delete(item)
      queue.done(item)
    },
  }
}

async function lastOf(queue: WorkQueue<string>, signal: AbortSignal | undefined): Promise<string | undefined> {
  const items = [await queue.get(signal)]
  while (queue.length > 0) items.push(await queue.get(signal))
  const last = items.pop()
  for (const item of items) {
    if (item === undefined) continue
    queue.add(item)
    queue.done(item)
  }
  return last
}

/** The rules give seconds, as numbers or with their unit. */
function positive(delay: Duration): number {
  return Math.max(0, Number.parseFloat(String(delay)))
}

function delayMutants<Q extends DelayingQueue<string>>(make: Make<Q>): Mutant<Subject<Q>>[] {
  const broken = (breaks: string, patch: (queue: Q, clock: VirtualClock) => Partial<DelayingQueue<string>>) =>
    mutant<Q>(breaks, make, patch as (queue: Q, clock: VirtualClock) => Partial<Q>)
  return [
    broken('does not wait', (queue) => ({ addAfter: (item) => queue.add(item) })),
    broken('never comes', () => ({ addAfter: () => {} })),
    broken('counts the latest of several delays', (queue, clock) => {
      const due = new Map<string, number>()
      return {
        addAfter: (item, delay) => {
          due.set(item, Math.max(due.get(item) ?? 0, positive(delay)))
          void clock.sleep(due.get(item) ?? 0).then(() => queue.add(item))
        },
      }
    }),
    broken('comes once for each delay', (queue, clock) => ({
      addAfter: (item, delay) => void clock.sleep(positive(delay)).then(() => queue.add(item)),
    })),
    broken('comes at fixed times only', (queue, clock) => ({
      addAfter: (item, delay) => queue.addAfter(item, Math.ceil((clock.monotonic() + positive(delay)) / 60) * 60),
    })),
  ]
}

function limitMutants<Q extends RateLimitingQueue<string>>(make: Make<Q>): Mutant<Subject<Q>>[] {
  const broken = (breaks: string, patch: (queue: Q) => Partial<RateLimitingQueue<string>>) =>
    mutant<Q>(breaks, make, patch as (queue: Q) => Partial<Q>)
  return [
    broken('does not slow down', (queue) => ({ addRateLimited: (item) => queue.addAfter(item, '5ms') })),
    broken('never forgets', () => ({ forget: () => {} })),
    broken('counts the failures of all as one', (queue) => ({
      addRateLimited: (item) => {
        queue.addRateLimited('all')
        queue.addAfter(item, 0.005 * 2 ** (queue.numRequeues('all') - 1))
      },
    })),
    broken('counts no failures', () => ({ numRequeues: () => 0 })),
  ]
}

function priorityMutants(make: Make<PriorityQueue<string>>): Mutant<Subject<PriorityQueue<string>>>[] {
  const broken = (breaks: string, patch: (queue: PriorityQueue<string>) => Partial<PriorityQueue<string>>) =>
    mutant(breaks, make, patch)
  const adding =
    (change: (options: Parameters<PriorityQueue<string>['addWithOptions']>[0]) => object) =>
    (queue: PriorityQueue<string>) => ({
      addWithOptions: (options: object, ...items: readonly string[]) => queue.addWithOptions(change(options), ...items),
    })
  return [
    broken(
      'knows no priorities',
      adding(({ priority: _, ...options }) => options),
    ),
    broken(
      'turns priorities around',
      adding(({ priority = 0, ...options }) => ({ ...options, priority: -priority })),
    ),
    broken(
      'ignores delays',
      adding(({ after: _, rateLimited: __, ...options }) => options),
    ),
    broken(
      'takes the longer of two waits',
      adding((options) => (options.after ? { after: options.after } : options)),
    ),
    broken('lets a busy item stay in front', (queue) => ({
      add: (item) => queue.addWithOptions({ priority: item === 'busy' ? 1 : 0 }, item),
    })),
    broken('hides priorities', (queue) => ({
      getWithPriority: async (signal) => ({ item: (await queue.get(signal)) ?? '', priority: 0 }),
    })),
  ]
}

noticed('WorkQueue', all(workRules, lineRules), workMutants(makeWork))
noticed('DelayingQueue', delaying, [...workMutants(makeDelaying), ...delayMutants(makeDelaying)])
noticed('RateLimitingQueue', limiting, [...delayMutants(makeLimiting), ...limitMutants(makeLimiting)])
noticed('PriorityQueue', priority, [
  ...workMutants(makePriority),
  ...delayMutants(makePriority),
  ...limitMutants(makePriority),
  ...priorityMutants(makePriority),
])
