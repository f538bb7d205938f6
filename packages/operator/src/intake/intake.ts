import type { Ref } from '@binnacle/client'
import {
  APIError,
  BinnacleError,
  type KubeObject,
  messageOf,
  type ResourceLike,
  type ResourceVersion,
  type Runtime,
} from '@binnacle/core'
import { type CycleDeps, cycle, type Next } from '../cycle.ts'
import { isHandled, kindName, type ServedKind } from '../declare/served-kind.ts'
import type { Indexing } from '../index/indexing.ts'
import { isMeant, nameOfObject, type ObjectMemory } from '../object-memory.ts'
import type { Health, SlowedObject } from '../report/health.ts'
import { recorderOf } from '../report/recorder.ts'
import { objectView, type WatchedEvent } from '../run/context.ts'
import { Memories } from './memory.ts'
import { ObjectQueue, type QueueObserver } from './object-queue.ts'
import { SlowedObjects } from './slowed-objects.ts'

/** What has happened to an object in the cache. */
export type CacheChange =
  | { readonly type: 'add'; readonly object: KubeObject; readonly isInInitialList: boolean }
  | { readonly type: 'update'; readonly old: KubeObject; readonly object: KubeObject }
  | { readonly type: 'delete'; readonly object: KubeObject | undefined }

/** Events of one object that may wait to be told. */
const MOST_NEWS = 1000

export interface IntakeOptions {
  readonly runtime: Runtime
  readonly indexing: Indexing
  readonly makeMemo: () => object
  readonly workerLimit: number
  /** Objects of one kind, by its name, that are looked at side by side. @default as many as of all */
  readonly kindLimit?: (kind: string) => number
  readonly observer?: QueueObserver
  /** A cycle of this kind failed outside of handlers. */
  readonly onError?: (kind: string) => void
  /** Seconds to wait after framework errors in a row; the last one repeats. */
  readonly errorDelays: readonly number[]
}

/**
 * Where changes become cycles.
 * Guarantees: indices and memory have a change before `notice` returns; whatever goes wrong in a cycle, outside of handlers, is logged,
 * and the object is looked at again with growing pauses, without waiting for another change of it.
 */
export class Intake {
  readonly #options: IntakeOptions
  readonly #memories: Memories
  readonly #queue: ObjectQueue
  /** Of objects that are only indexed. */
  readonly #memos = new Map<string, object>()
  readonly #slowed: SlowedObjects
  /** Objects that wait for indices, by what they wait for. */
  readonly #parked = new Map<Promise<void>, Set<string>>()
  #deps: CycleDeps | undefined

  constructor(options: IntakeOptions) {
    this.#options = options
    this.#memories = new Memories(options.makeMemo)
    this.#slowed = new SlowedObjects(options.runtime.clock)
    this.#queue = new ObjectQueue({
      limit: options.workerLimit,
      ...(options.kindLimit && { groupLimit: options.kindLimit }),
      ...(options.observer && { observer: options.observer }),
      groupOf: (uid) => {
        const memory = this.#memories.get(uid)
        return memory ? kindName(memory.kind) : ''
      },
      clock: options.runtime.clock,
      cycle: (uid) => this.#look(uid),
    })
  }

  /** Objects that wait or are looked at, as people write them. */
  get busy(): readonly string[] {
    return this.#queue.busy.map((uid) => nameOfObject(this.#memories.get(uid)))
  }

  get figures(): Health['queue'] {
    const { groups: kinds, ...figures } = this.#queue.figures
    return { ...figures, kinds }
  }

  /** Objects that are slowed down, since their handlers answer each other. */
  get slowed(): readonly SlowedObject[] {
    return this.#slowed.list
  }

  /** Rings alarms, and lets cycles begin, until the signal aborts. */
  run(deps: CycleDeps, signal: AbortSignal): Promise<void> {
    this.#deps = deps
    return this.#queue.run(signal)
  }

  /** Has the object looked at. */
  wake(uid: string): void {
    if (this.#memories.get(uid)) this.#queue.add(uid, 'due')
  }

  /** A handler has written its own object by itself: what comes of it is the object's own doing. */
  wrote(uid: string, version: ResourceVersion): void {
    const memory = this.#memories.get(uid)
    if (memory) memory.lastWrite = version
  }

  /** Has those objects looked at that are called so. */
  wakeNamed(resource: ResourceLike, ref: Ref): void {
    for (const memory of this.#memories.all()) if (isMeant(memory, resource, ref)) this.#queue.add(memory.uid, 'due')
  }

  /** Has every object looked at. */
  wakeAll(): void {
    for (const { uid } of this.#memories.all()) this.#queue.add(uid, 'backlog')
  }

  /** Starts no cycle until `resume`; resolves when those that run have ended, or `impatient` aborts. */
  pause(impatient: AbortSignal): Promise<void> {
    return this.#queue.pause(impatient)
  }

  resume(): void {
    this.#queue.resume()
  }

  drain(impatient: AbortSignal): Promise<void> {
    return this.#queue.drain(impatient)
  }

  /** A change of the cache, in the step in which it happens. */
  notice(kind: ServedKind, change: CacheChange): void {
    switch (change.type) {
      case 'add':
        return this.#appear(kind, change.object, change.isInInitialList ? null : 'ADDED')
      case 'update':
        return this.#replace(kind, change.old, change.object)
      case 'delete':
        if (change.object) this.#vanish(kind, change.object)
    }
  }

  /**
   * The object cannot be seen any more, and may exist or not: whatever is kept of it goes, and whoever accompanies it stops, but nobody is told
   * of a deletion.
   */
  forget(kind: ServedKind, { metadata: { uid } }: KubeObject): void {
    this.#options.indexing.drop(kind.indices, uid)
    this.#memos.delete(uid)
    const memory = this.#memories.loseSightOf(uid)
    this.#queue.forget(uid)
    if (memory) this.#deps?.spawner.notice(memory)
  }

  #replace(kind: ServedKind, old: KubeObject, object: KubeObject): void {
    if (old.metadata.uid !== object.metadata.uid) {
      // Deleted and made anew between two looks at the server: the informer knows names only, so both are told here.
      this.#vanish(kind, old)
      this.#appear(kind, object, 'ADDED')
    } else if (old.metadata.resourceVersion !== object.metadata.resourceVersion) {
      this.#appear(kind, object, 'MODIFIED')
    }
  }

  #appear(kind: ServedKind, body: KubeObject, type: WatchedEvent['type']): void {
    const now = this.#options.runtime.clock.monotonic()
    if (isHandled(kind)) this.#note(this.#memories.notice(kind, body, type === null, now), { type, object: body })
    this.#options.indexing.put(kind.indices, body, (object) => this.#indexView(kind, object))
    if (isHandled(kind)) this.#queue.add(body.metadata.uid, type === null ? 'backlog' : 'fresh')
  }

  #vanish(kind: ServedKind, last: KubeObject): void {
    const { uid } = last.metadata
    this.#options.indexing.drop(kind.indices, uid)
    this.#memos.delete(uid)
    const memory = this.#memories.lose(uid, last)
    if (memory) this.#note(memory, { type: 'DELETED', object: last })
    if (memory && isHandled(kind)) this.#queue.add(uid)
    else this.#memories.forget(uid)
  }

  /** Daemons and timers hear of it at once; for handlers that want every single event it is kept, as long as they keep up. */
  #note(memory: ObjectMemory, event: WatchedEvent): void {
    this.#deps?.spawner.notice(memory)
    if (memory.kind.events.length === 0) return
    memory.news.push(event)
    if (memory.news.length <= MOST_NEWS) return
    memory.news.shift()
    this.#options.runtime.logger.warn(
      `The event handlers of ${nameOfObject(memory)} are ${MOST_NEWS} events behind: the oldest one is dropped.`,
    )
  }

  /** A memory is made for objects that are handled; of those that are only indexed, when a function asks for it. */
  #indexView(kind: ServedKind, body: KubeObject): object {
    const { uid } = body.metadata
    const { indexing, runtime } = this.#options
    const memo = this.#memories.get(uid)?.memo
    const surroundings = {
      resource: kind.info,
      memo: memo ?? {},
      shared: undefined,
      logger: runtime.logger,
      events: recorderOf(body, () => {}),
      indices: {},
    }
    const view = Object.assign(objectView(body, surroundings), { indices: indexing.views })
    if (memo) return view
    const remember = () => {
      const value = this.#memos.get(uid) ?? this.#options.makeMemo()
      this.#memos.set(uid, value)
      Object.defineProperty(view, 'memo', { value, enumerable: true })
      return value
    }
    return Object.defineProperty(view, 'memo', { get: remember, enumerable: true, configurable: true })
  }

  async #look(uid: string): Promise<void> {
    const memory = this.#memories.get(uid)
    if (!memory || !this.#deps) return
    try {
      const next = await cycle(this.#deps, memory)
      memory.failures = 0
      this.#slowed.note(memory, this.#deps.surroundings(memory))
      this.#schedule(memory, next)
    } catch (error) {
      if (!this.#deps.stopping.aborted) this.#throttle(memory, error)
    }
  }

  #schedule(memory: ObjectMemory, next: Next): void {
    const { uid } = memory
    if (next.again === 'when indexed') this.#park(uid, next.opened)
    if (next.again === 'after') this.#queue.addAfter(uid, next.seconds)
    // Meanwhile it may have come back into sight, as another memory.
    if (next.again !== 'never' || this.#memories.get(uid) !== memory) return
    this.#memories.forget(uid)
    this.#slowed.forget(uid)
    this.#queue.forget(uid)
  }

  /** Has it looked at when the gate opens; until then it takes nobody's place. */
  #park(uid: string, opened: Promise<void>): void {
    const known = this.#parked.get(opened)
    if (known) return void known.add(uid)
    const parked = new Set([uid])
    this.#parked.set(opened, parked)
    void opened.then(() => {
      this.#parked.delete(opened)
      for (const each of parked) this.wake(each)
    })
  }

  #throttle(memory: ObjectMemory, error: unknown): void {
    const { errorDelays, runtime } = this.#options
    const delay = errorDelays[Math.min(memory.failures, errorDelays.length - 1)] ?? 1
    memory.failures++
    this.#options.onError?.(kindName(memory.kind))
    const known = error instanceof BinnacleError || error instanceof APIError
    runtime.logger.error(
      `${nameOfObject(memory)} could not be handled and is tried again in ${delay} s: ${messageOf(error)}`,
      known ? {} : { error },
    )
    this.#queue.addAfter(memory.uid, delay)
  }
}
