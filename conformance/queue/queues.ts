import {
  DeletedFinalStateUnknown,
  type Delta,
  DeltaFIFO,
  InOrderFIFO,
  type PopProcessFunc,
  Store,
} from '@binnacle/cache'
import type { Item, MakeOptions, MakeQueue, QueueUnderTest } from './rules.ts'

const keyFunc = (object: Item | DeletedFinalStateUnknown<Item>): string =>
  object instanceof DeletedFinalStateUnknown ? object.key : object.id

function knownOf({ known }: MakeOptions): Store<Item> | undefined {
  if (!known) return undefined
  const store = new Store<Item>(keyFunc)
  store.replace(known, '0')
  return store
}

/** The parts that both queues have under the same names. */
type Common = Pick<QueueUnderTest, 'add' | 'update' | 'delete' | 'replace' | 'resync' | 'close' | 'hasSynced'>

function underTest<A>(
  queue: Common & { pop(process: PopProcessFunc<A>, signal?: AbortSignal): Promise<A> },
  waiting: () => number,
  deltasOf: (popped: A) => readonly Delta<Item>[],
): QueueUnderTest {
  return {
    add: (item) => queue.add(item),
    update: (item) => queue.update(item),
    delete: (item) => queue.delete(item),
    replace: (items, version) => queue.replace(items, version),
    resync: () => queue.resync(),
    close: () => queue.close(),
    hasSynced: () => queue.hasSynced(),
    get waiting() {
      return waiting()
    },
    pop: async (signal) => {
      let initial = false
      const popped = await queue.pop((_, isInInitialList) => {
        initial = isInInitialList
      }, signal)
      return { deltas: deltasOf(popped), initial }
    },
  }
}

export const deltaFifo: MakeQueue = (options = {}) => {
  const known = knownOf(options)
  const queue = new DeltaFIFO<Item>({
    keyFunc,
    ...(known && { knownObjects: known }),
    ...(options.transform && { transform: options.transform }),
  })
  return underTest(
    queue,
    () => queue.size,
    (deltas) => deltas,
  )
}

export const inOrderFifo: MakeQueue = (options = {}) => {
  const queue = new InOrderFIFO<Item>({
    keyFunc,
    // Without known objects a list is one item, which is this queue's own affair: here it speaks of single objects.
    knownObjects: knownOf(options) ?? new Store<Item>(keyFunc),
    ...(options.transform && { transform: options.transform }),
  })
  return underTest(
    queue,
    () => queue.length,
    (delta) => [delta as Delta<Item>],
  )
}
