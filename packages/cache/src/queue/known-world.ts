import type { KeyFunc } from '../keys.ts'
import { DeletedFinalStateUnknown } from '../keys.ts'
import { type Delta, tombstone } from './delta.ts'
import type { KeyListerGetter } from './queue.ts'

/** A list, or a resync, as changes of single objects. Pure: what waits and what is known go in, what has to be appended comes out. */

interface World<T> {
  /** What waits, oldest first. */
  readonly waiting: Iterable<Delta<T>>
  readonly known: KeyListerGetter<T>
  readonly keyFunc: KeyFunc<T | DeletedFinalStateUnknown<T>>
}

/** First the deletions of what waits or is known and is missing from the list, then what is in the list. */
export function replacement<T>(objects: readonly T[], world: World<T>): Delta<T>[] {
  const listed = new Set(objects.map((object) => world.keyFunc(object)))
  const last = lastByKey(world)
  const missing = [...last].filter(([key, delta]) => !listed.has(key) && delta.type !== 'Deleted')
  const vanished = world.known.listKeys().filter((key) => !listed.has(key) && !last.has(key))
  return [
    ...missing.map(([key, { object }]) => tombstone(key, object)),
    ...vanished.map((key) => tombstone(key, world.known.getByKey(key))),
    ...objects.map((object): Delta<T> => ({ type: 'Replaced', object })),
  ]
}

/** What is known and has nothing waiting: an older state must not follow a newer one. */
export function repetition<T>(world: World<T>): Delta<T>[] {
  const last = lastByKey(world)
  return world.known
    .listKeys()
    .filter((key) => !last.has(key))
    .flatMap((key): Delta<T>[] => {
      const object = world.known.getByKey(key)
      return object === undefined ? [] : [{ type: 'Sync', object }]
    })
}

function lastByKey<T>({ waiting, keyFunc }: World<T>): Map<string, Delta<T>> {
  const last = new Map<string, Delta<T>>()
  for (const delta of waiting) {
    const key = delta.object instanceof DeletedFinalStateUnknown ? delta.object.key : keyFunc(delta.object)
    last.set(key, delta)
  }
  return last
}
