import { expect, it } from 'vitest'
import type { Change, Subscriber } from '../src/index.ts'
import { brokenBy } from './broken-by.ts'
import type { Thing } from './fake-server.ts'
import { type Informer, livesThroughAll, type MakeInformer, makeInformer } from './informer-history.ts'

/** Informers that break one promise each. The histories must find a case in which that shows. */

/** What a subscriber is told goes by this first. */
type Filter = (change: Change<Thing>, tell: Subscriber<Thing>) => void

function telling(filter: () => Filter): MakeInformer {
  return changed((informer) => {
    return {
      subscribe: (subscriber) => {
        const pass = filter()
        return informer.subscribe((change) => pass(change, subscriber))
      },
    }
  })
}

function changed(patch: (informer: Informer) => Partial<Informer>): MakeInformer {
  return (server, options) => brokenBy(makeInformer(server, options), patch)
}

/** The deletion of one object and the addition of the next of its name, as one update. */
function joinsNamesakes(): Filter {
  const gone = new Map<string, Thing>()
  return (change, tell) => {
    const old = gone.get(change.key)
    gone.delete(change.key)
    if (change.type === 'delete' && change.finalStateUnknown && change.object) gone.set(change.key, change.object)
    else if (change.type === 'add' && old) tell({ type: 'update', key: change.key, old, object: change.object })
    else tell(change)
  }
}

function oneLate(): Filter {
  let held: Change<Thing> | undefined
  return (change, tell) => {
    if (held) tell(held)
    held = change
  }
}

const MUTANTS: [string, MakeInformer][] = [
  ['forgets to tell of deletions', telling(() => (change, tell) => void (change.type === 'delete' || tell(change)))],
  [
    'forgets to tell of what vanished unseen',
    telling(() => (change, tell) => void ((change.type === 'delete' && change.finalStateUnknown) || tell(change))),
  ],
  [
    'tells a deletion twice',
    telling(() => (change, tell) => {
      tell(change)
      if (change.type === 'delete') tell(change)
    }),
  ],
  [
    'tells everything twice',
    telling(() => (change, tell) => {
      tell(change)
      tell(change)
    }),
  ],
  [
    'tells an update as an addition',
    telling(() => (change, tell) => {
      if (change.type !== 'update') return tell(change)
      return tell({ type: 'add', key: change.key, object: change.object, isInInitialList: false })
    }),
  ],
  [
    'tells an update with the new state as the old one',
    telling(() => (change, tell) => tell(change.type === 'update' ? { ...change, old: change.object } : change)),
  ],
  [
    'tells an older state after a newer one',
    telling(() => (change, tell) => {
      tell(change)
      if (change.type === 'update') tell({ ...change, old: change.object, object: change.old })
    }),
  ],
  ['tells a namesake as an update', telling(joinsNamesakes)],
  ['tells everything one change late', telling(oneLate)],
  [
    'tells of copies',
    telling(() => (change, tell) => tell(change.type === 'add' ? { ...change, object: { ...change.object } } : change)),
  ],
  [
    'tells one who comes late of half of what there is',
    changed((informer) => ({
      subscribe: (subscriber) => {
        let early = 0
        const joined = informer.subscribe((change) => {
          if (early++ > 0) subscriber(change)
        })
        return joined
      },
    })),
  ],
  [
    'keeps what is deleted in its cache',
    changed((informer) => {
      const seen = new Map<string, Thing>()
      informer.subscribe((change) => void (change.type === 'delete' || seen.set(change.key, change.object)))
      return {
        getStore: () =>
          brokenBy(informer.getStore(), () => ({
            listKeys: () => [...seen.keys()],
            getByKey: (key) => seen.get(key),
          })),
      }
    }),
  ],
  [
    'keeps objects under the index values that they had first',
    changed((informer) => {
      const first = new Map<string, number>()
      informer.subscribe((change) => {
        if (change.type === 'delete') first.delete(change.key)
        else if (!first.has(change.key)) first.set(change.key, change.object.spec.size % 2)
      })
      return {
        getIndexer: () =>
          brokenBy(informer.getIndexer(), () => ({
            indexKeys: () => [...first].flatMap(([key, parity]) => (parity === 1 ? [key] : [])).sort(),
          })),
      }
    }),
  ],
  [
    'never lists again',
    (server, options) => {
      let lists = 0
      const once = brokenBy(server, () => ({
        list: (asked) => (lists++ === 0 ? server.list(asked) : new Promise<never>(() => {})),
      }))
      return makeInformer(once, options)
    },
  ],
  [
    'asks without a pause',
    (server, options) => makeInformer(server, { ...options, reflector: { backoff: { initial: 0.001, max: 0.001 } } }),
  ],
]

it.each(MUTANTS)('an informer that %s is found out', async (_, make) => {
  await expect(livesThroughAll(make, { watchList: false }, { numRuns: 400, endOnFailure: true })).rejects.toThrow(
    /Property failed/,
  )
})
