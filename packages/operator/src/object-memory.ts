import type { Ref } from '@binnacle/client'
import {
  formatObjectName,
  type KubeObject,
  objectName,
  parseObjectName,
  type ResourceLike,
  type ResourceVersion,
} from '@binnacle/core'
import { nameOf } from './declare/handler.ts'
import type { Scope } from './declare/scope.ts'
import { kindName, type ServedKind } from './declare/served-kind.ts'
import type { Awaited, Floor } from './gate/consistent.ts'
import type { Loop } from './gate/tight-loop.ts'
import type { ObjectChange } from './outcome/patch.ts'
import type { Progress } from './progress/progress.ts'
import type { WatchedEvent } from './run/context.ts'

/** What is remembered of an object between cycles, in this process, for as long as the object is known. */
export interface ObjectMemory {
  readonly kind: ServedKind
  readonly uid: string
  /** The newest state that is known, from the cache as a rule. */
  body: KubeObject
  /** False when it has been deleted, seen or inferred. */
  exists: boolean
  /** Its kind is served no more, so that nobody can tell whether it exists: it is forgotten, and nothing is done about it. */
  outOfSight: boolean
  /** It came with a list and has not been handled in this process yet. */
  initial: boolean
  /** Events that event handlers have not been told yet, the oldest first. */
  readonly news: WatchedEvent[]
  /** What event handlers want written, until it is. */
  told: ObjectChange
  /** We have let it go: its deletion is handled. */
  released: boolean
  /** The memory that handlers of the operator itself see. */
  readonly memo: object
  /** Those that sets of handlers see, made when they are first asked for. */
  memos: Map<Scope, object> | undefined
  /** Our own last write, until the cache has it. */
  awaited: Awaited | undefined
  /** Older states are not believed. */
  floor: Floor | undefined
  /** The version that the last write of its own cycle, or of its own handlers, gave it. */
  lastWrite: ResourceVersion | undefined
  /** Whether its handlers answer each other. */
  loop: Loop
  /** Progress of a deletion that can no longer be stored on the object. */
  afterlife: Map<string, Progress> | undefined
  /** Framework errors in a row. */
  failures: number
}

/** `Kind namespace/name`, as people write it. */
export function nameOfObject(memory: ObjectMemory | undefined): string {
  return memory ? `${memory.body.kind} ${formatObjectName(objectName(memory.body))}` : 'an object that is gone'
}

/** What the operator itself, or a set of handlers, remembers of an object. */
export function memoOf(memory: ObjectMemory, scope: Scope | undefined): object {
  if (!scope) return memory.memo
  memory.memos ??= new Map()
  const known = memory.memos.get(scope) ?? scope.makeMemo()
  memory.memos.set(scope, known)
  return known
}

/** Whether somebody who writes this resource and this name means the object. A name alone is meant in every namespace. */
export function isMeant({ kind, body }: ObjectMemory, resource: ResourceLike, ref: Ref): boolean {
  const asked = typeof ref === 'string' ? parseObjectName(ref) : 'metadata' in ref ? ref.metadata : ref
  const { name, namespace } = body.metadata
  if (asked.name !== name || (asked.namespace && asked.namespace !== namespace)) return false
  return declaredNames(kind).has(nameOf(resource)) || nameOf(resource) === kindName(kind)
}

function declaredNames({ handlers, events, background }: ServedKind): ReadonlySet<string> {
  return new Set([...handlers, ...events, ...background].map(({ resource }) => nameOf(resource)))
}
