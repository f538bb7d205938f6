import { DeletedFinalStateUnknown } from '@binnacle/cache'
import { brokenBy, holds, type Mutant, noticed } from '../rule.ts'
import { deltaFifo, inOrderFifo } from './queues.ts'
import { type Item, type MakeQueue, type QueueUnderTest, queueRules } from './rules.ts'

holds('a DeltaFIFO', queueRules, deltaFifo)
holds('an in-order queue that knows its consumer', queueRules, inOrderFifo)

/** A queue in which something is done in another way. */
function broken(make: MakeQueue, patch: (queue: QueueUnderTest) => Partial<QueueUnderTest>): MakeQueue {
  return (options) => brokenBy(make(options), patch)
}

function mutantsOf(make: MakeQueue): Mutant<MakeQueue>[] {
  return [
    { breaks: 'knows nothing of what is known', subject: ({ known: _, ...options } = {}) => make(options) },
    { breaks: 'transforms twice', subject: twiceTransformed(make) },
    { breaks: 'does not transform', subject: ({ transform: _, ...options } = {}) => make(options) },
    { breaks: 'forgets an update', subject: broken(make, () => ({ update: () => {} })) },
    { breaks: 'forgets a deletion', subject: broken(make, () => ({ delete: () => {} })) },
    {
      breaks: 'tells an update as an addition',
      subject: broken(make, (queue) => ({ update: (item) => queue.add(item) })),
    },
    {
      breaks: 'has synced from the beginning',
      subject: broken(make, () => ({ hasSynced: () => true })),
    },
    { breaks: 'never has synced', subject: broken(make, () => ({ hasSynced: () => false })) },
    { breaks: 'repeats what waits', subject: broken(make, (queue) => ({ resync: () => repeatAll(queue) })) },
    { breaks: 'never repeats anything', subject: broken(make, () => ({ resync: () => {} })) },
    {
      breaks: 'takes a list as additions',
      subject: broken(make, (queue) => ({
        replace: (items) => {
          for (const item of items) queue.add(item)
        },
      })),
    },
    {
      breaks: 'turns a list around, so that the order is lost',
      subject: broken(make, (queue) => ({ add: lateBy(queue) })),
    },
    {
      breaks: 'says of everything that it is initial',
      subject: broken(make, (queue) => ({ pop: async (signal) => ({ ...(await queue.pop(signal)), initial: true }) })),
    },
    {
      breaks: 'says of nothing that it is initial',
      subject: broken(make, (queue) => ({ pop: async (signal) => ({ ...(await queue.pop(signal)), initial: false }) })),
    },
    {
      breaks: 'gives only the newest of what has gathered',
      subject: broken(make, (queue) => ({
        pop: async (signal) => {
          const popped = await queue.pop(signal)
          const next = queue.waiting > 0 && popped.deltas.length === 1 ? await queue.pop(signal) : popped
          return { ...next, deltas: next.deltas.slice(-1) }
        },
      })),
    },
    {
      breaks: 'tells a tombstone without its object',
      subject: broken(make, (queue) => ({
        pop: async (signal) => {
          const popped = await queue.pop(signal)
          return { ...popped, deltas: popped.deltas.map(withoutObject) }
        },
      })),
    },
    {
      breaks: 'wakes nobody when it closes',
      subject: broken(make, (queue) => ({ pop: (signal) => patient(queue, signal) })),
    },
  ]
}

function twiceTransformed(make: MakeQueue): MakeQueue {
  return ({ transform, ...options } = {}) =>
    make(transform ? { ...options, transform: (item) => transform(transform(item)) } : options)
}

function repeatAll(queue: QueueUnderTest): void {
  queue.resync()
  queue.update({ id: 'a', state: 5 })
}

/** Each addition comes one too late: the last but one first. */
function lateBy(queue: QueueUnderTest): (item: Item) => void {
  let held: Item | undefined
  return (item) => {
    queue.add(item)
    if (held) queue.add(held)
    held = item
  }
}

function withoutObject<D extends { readonly object: unknown }>(delta: D): D {
  const { object } = delta
  return object instanceof DeletedFinalStateUnknown
    ? { ...delta, object: new DeletedFinalStateUnknown(object.key, undefined) }
    : delta
}

/** Whoever waits goes on waiting, for a second at most. */
async function patient(queue: QueueUnderTest, signal: AbortSignal | undefined) {
  try {
    return await queue.pop(signal)
  } catch (error) {
    if (signal?.aborted) throw error
    return { deltas: [], initial: false }
  }
}

noticed('DeltaFIFO', queueRules, mutantsOf(deltaFifo))
noticed('in-order queue', queueRules, mutantsOf(inOrderFifo))
