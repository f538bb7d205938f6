import {
  compareResourceVersions,
  deepFreeze,
  type KubeObject,
  messageOf,
  type ResourceVersion,
  type Runtime,
} from '@binnacle/core'
import { DeletedFinalStateUnknown, deletionHandlingMetaNamespaceKeyFunc } from '../keys.ts'
import { DeltaFIFO } from '../queue/delta-fifo.ts'
import { type InOrderDelta, InOrderFIFO } from '../queue/ordered-queue.ts'
import type { ReflectorStore } from '../queue/queue.ts'
import type { KeyedIndexer } from '../store/indexer.ts'
import type { TransformFunc } from '../store/store.ts'
import { apply, ListInPreparation } from './apply.ts'
import type { Drain } from './controller.ts'
import type { Distributor } from './distributor.ts'
import { InformerFigures } from './informer-figures.ts'
import { Slices } from './slices.ts'

interface Given<T extends KubeObject> {
  readonly name: string
  readonly indexer: KeyedIndexer<T, string>
  readonly distributor: Distributor<T>
  readonly transform: TransformFunc<T> | undefined
  readonly freeze: boolean
  readonly runtime: Runtime
}

/** What lies between a reflector and those who hear of changes: a queue that is fed, and what is done with what comes out of it. */
export interface Pipeline<T> {
  readonly queue: ReflectorStore<T>
  readonly drain: Drain
}

const keyFunc = deletionHandlingMetaNamespaceKeyFunc

/**
 * Each piece is one step: the cache has it, then everybody is told, and only then comes the next piece.
 * Guarantees: a list is prepared in slices and put in place in one step; an object that cannot be stored keeps no other from being stored.
 */
class Steps<T extends KubeObject> {
  readonly #given: Given<T>
  readonly #figures: InformerFigures

  constructor(given: Given<T>) {
    this.#given = given
    this.#figures = new InformerFigures(given.name, given.runtime)
  }

  now(): number {
    return this.#given.runtime.clock.monotonic()
  }

  one(delta: InOrderDelta<T>, isInInitialList: boolean): void {
    this.#safely('a change could not be stored', () => {
      const { distributor, indexer } = this.#given
      const repetitions = distributor.wantsRepetitions
      distributor.tell(apply(indexer.cells, delta, { keyFunc, isInInitialList, repetitions }))
    })
  }

  async list(objects: readonly T[], version: ResourceVersion, isInInitialList: boolean): Promise<void> {
    const { distributor, indexer, runtime } = this.#given
    const repetitions = distributor.wantsRepetitions
    const list = new ListInPreparation(indexer.cells, { keyFunc, isInInitialList, repetitions })
    const slices = new Slices(runtime.clock)
    for (const object of objects) {
      if (slices.isOver) await slices.rest()
      this.#safely('an object of a list could not be stored', () => list.add(this.prepared(object)))
    }
    distributor.tell(list.apply(version))
  }

  /** The object as it is stored. One that cannot be transformed is stored as it came. */
  readonly prepared = (object: T): T => {
    const { transform, freeze } = this.#given
    const result = (transform && this.#safely('the transformation failed', () => transform(object))) ?? object
    if (freeze) this.#safely('an object could not be frozen', () => deepFreeze(result))
    return result
  }

  preparedDelta(delta: InOrderDelta<T>): InOrderDelta<T> {
    if (!('object' in delta) || delta.object instanceof DeletedFinalStateUnknown) return delta
    const object = this.prepared(delta.object)
    return object === delta.object ? delta : { type: delta.type, object }
  }

  done(queued: number, begun: number): void {
    const { cells } = this.#given.indexer
    this.#figures.observe(this.now() - begun)
    this.#figures.note(queued, cells.size, cells.lastStoreSyncResourceVersion)
  }

  #safely<R>(what: string, step: () => R): R | undefined {
    try {
      return step()
    } catch (error) {
      this.#given.runtime.logger.error(`${this.#given.name}: ${what}: ${messageOf(error)}`, { error })
      return undefined
    }
  }
}

/** Every change in the order in which it came; a list in one step. */
export function inOrderPipeline<T extends KubeObject>(given: Given<T>): Pipeline<T> {
  const steps = new Steps(given)
  const queue = new InOrderFIFO<T>()
  const process = (batch: readonly InOrderDelta<T>[], isInInitialList: boolean): void | Promise<void> => {
    const [first] = batch
    const begun = steps.now()
    if (first?.type === 'ReplacedAll') {
      const listed = steps.list(first.objects, first.resourceVersion, isInInitialList)
      return listed.then(() => steps.done(queue.length, begun))
    }
    for (const delta of batch) steps.one(steps.preparedDelta(delta), isInInitialList)
    steps.done(queue.length, begun)
  }
  return {
    queue,
    drain: {
      next: () => queue.popBatch(process),
      hasSynced: () => queue.hasSynced(),
      whenSynced: (signal) => queue.whenSynced(signal),
      close: () => queue.close(),
    },
  }
}

/**
 * Changes gathered by key. A list is told object by object.
 * The version that the cache has reached is noted whenever nothing waits: only then is it known that nothing older is still to come.
 */
export function deltaPipeline<T extends KubeObject>(given: Given<T>): Pipeline<T> {
  const steps = new Steps(given)
  const { cells } = given.indexer
  const queue = new DeltaFIFO<T>({ knownObjects: given.indexer, transform: steps.prepared })
  let reached: ResourceVersion = ''
  const noteReached = () => {
    if (queue.size > 0 || reached === '') return
    const order = compareResourceVersions(reached, cells.lastStoreSyncResourceVersion) ?? 1
    if (order > 0) cells.bookmark(reached)
  }
  const process = (deltas: readonly InOrderDelta<T>[], isInInitialList: boolean) => {
    const begun = steps.now()
    for (const delta of deltas) steps.one(delta, isInInitialList)
    noteReached()
    steps.done(queue.size, begun)
  }
  const bookmark = (version: ResourceVersion) => {
    reached = version
    noteReached()
  }
  return {
    queue: {
      add: (object) => queue.add(object),
      update: (object) => queue.update(object),
      delete: (object) => queue.delete(object),
      resync: () => queue.resync(),
      replace: (objects, version) => {
        queue.replace(objects, version)
        bookmark(version)
      },
      bookmark,
    },
    drain: {
      next: () => queue.pop(process),
      hasSynced: () => queue.hasSynced(),
      whenSynced: (signal) => queue.whenSynced(signal),
      close: () => queue.close(),
    },
  }
}
