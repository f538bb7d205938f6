import { DeletedFinalStateUnknown, type Delta, DeltaFIFO, InOrderFIFO, Store } from '@binnacle/cache'
import type { Item, MakeOptions, MakeQueue } from './rules.ts'

const keyFunc = (object: Item | DeletedFinalStateUnknown<Item>): string =>
  object instanceof DeletedFinalStateUnknown ? object.key : object.id

function knownOf({ known }: MakeOptions): Store<Item> | undefined {
  if (!known) return undefined
  const store = new Store<Item>(keyFunc)
  store.replace(known, '0')
  return store
}

export const deltaFifo: MakeQueue = (options = {}) => {
  const known = knownOf(options)
  const queue = new DeltaFIFO<Item>({
    keyFunc,
    ...(known && { knownObjects: known }),
    ...(options.transform && { transform: options.transform }),
  })
  return {
    add: (item) => queue.add(item),
    update: (item) => queue.update(item),
    delete: (item) => queue.delete(item),
    replace: (items, version) => queue.replace(items, version),
    resync: () => queue.resync(),
    close: () => queue.close(),
    hasSynced: () => queue.hasSynced(),
    get waiting() {
      return queue.size
    },
    pop: async (signal) => {
      let initial = false
      const deltas = await queue.pop((_, isInInitialList) => {
        initial = isInInitialList
      }, signal)
      return { deltas, initial }
    },
  }
}

export const inOrderFifo: MakeQueue = (options = {}) => {
  const queue = new InOrderFIFO<Item>({
    keyFunc,
    // Without known objects a list is one item, which is this queue's own affair: here it speaks of single objects.
    knownObjects: knownOf(options) ?? new Store<Item>(keyFunc),
    ...(options.transform && { transform: options.transform }),
  })
  return {
    add: (item) => queue.add(item),
    update: (item) => queue.update(item),
    delete: (item) => queue.delete(item),
    replace: (items, version) => queue.replace(items, version),
    resync: () => queue.resync(),
    close: () => queue.close(),
    hasSynced: () => queue.hasSynced(),
    get waiting() {
      return queue.length
    },
    pop: async (signal) => {
      let initial = false
      const delta = await queue.pop((_, isInInitialList) => {
        initial = isInInitialList
      }, signal)
      return { deltas: [delta as Delta<Item>], initial }
    },
  }
}
