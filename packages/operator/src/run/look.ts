import { type Diff, diff, type FieldKeys, type KubeObject } from '@binnacle/core'
import { type Cause, detect } from '../cause/detect.ts'
import { digest } from '../cause/digest.ts'
import { type Essence, essenceOf } from '../cause/essence.ts'
import type { Reason } from '../declare/context.ts'
import { isOfChange } from '../declare/handler.ts'
import type { Identity } from '../declare/identity.ts'
import type { Scope } from '../declare/scope.ts'
import type { ObjectMemory } from '../object-memory.ts'
import { isSame } from '../progress/last-handled.ts'
import { isOutdated, type Purpose } from '../progress/progress.ts'
import { isHandledDigest } from '../progress/size-guard.ts'
import type { Storages } from '../progress/storages.ts'
import type { Subject } from '../select/match.ts'
import { type Change, changeView, type Surroundings } from './context.ts'

/** What surrounds the object for a set of handlers, or for the operator itself. */
export type SurroundingsOf = (scope: Scope | undefined) => Surroundings

/** An object as one cycle sees it: its state, what has happened to it, and what filters look at. */
export interface Look {
  readonly body: KubeObject
  readonly deleting: boolean
  readonly held: boolean
  /** Whether the operator has ever handled it. */
  readonly known: boolean
  readonly essence: Essence
  readonly cause: Cause
  readonly change: Change
  readonly purpose: Purpose
  readonly subject: Subject
  readonly surroundings: SurroundingsOf
}

/** Looks at an object once, so that a whole cycle decides about one and the same state. */
export function lookAt(
  memory: ObjectMemory,
  surroundings: SurroundingsOf,
  identity: Identity,
  storages: Storages,
): Look {
  const { body, kind } = memory
  const essence = contentOf(body, kind.tracked, storages)
  const digested = { value: '' }
  const present = () => {
    if (digested.value === '') digested.value = digest(essence)
    return digested.value
  }
  const stored = storages.diffBase.fetch(body)
  const known = stored !== undefined
  const old = isHandledDigest(stored) ? (isSame(stored, essence) ? essence : undefined) : stored
  const update = purposeOf('update', present)
  const outdated = kind.handlers
    .filter(isOfChange)
    .filter(({ id }) => isOutdated(storages.progress.fetch(id, body), update))
    .map(({ id }) => id)
  const deleting = body.metadata.deletionTimestamp !== undefined
  const held = body.metadata.finalizers?.includes(identity.finalizer) ?? false
  const { exists, initial } = memory
  const cause = detect({ exists, deleting, held, initial, known, old, current: essence, outdated })
  if (cause.reason === 'update' && old === undefined) surroundings(undefined).logger.warn(TOO_LARGE)
  const reason = reasonOf(cause)
  const change = new SeenChange(cause, reason, old, essence)
  const views = new Map<Scope | undefined, object>()
  const subject: Subject = {
    body,
    change,
    view: (scope) => {
      const view = views.get(scope) ?? changeView(body, surroundings(scope), change)
      views.set(scope, view)
      return view
    },
  }
  return {
    body,
    deleting,
    held,
    known,
    essence,
    cause,
    change,
    purpose: purposeOf(reason, present),
    subject,
    surroundings,
  }
}

/** A change as a whole. Most looks tell nobody of it: what differs is found when it is asked for. */
class SeenChange implements Change {
  readonly reason: Reason
  readonly old: Essence | undefined
  readonly current: Essence
  readonly #cause: Cause
  #diff: Diff | undefined

  constructor(cause: Cause, reason: Reason, old: Essence | undefined, current: Essence) {
    this.#cause = cause
    this.reason = reason
    this.old = old
    this.current = current
  }

  get diff(): Diff {
    this.#diff ??= diffOf(this.#cause, this.old, this.current)
    return this.#diff
  }
}

/** Whoever is not told of an update, but has been handled before, has not changed. */
function diffOf(cause: Cause, old: Essence | undefined, essence: Essence): Diff {
  if (cause.reason === 'update') return cause.diff
  return cause.reason === 'noop' || cause.reason === 'resume' ? diff(undefined, undefined) : diff(old, essence)
}

/** Most looks need no digest: it takes handlers that run, or have run, to compare it with. */
function purposeOf(reason: Reason, essence: () => string): Purpose {
  return {
    reason,
    get essence() {
      return essence()
    },
  }
}

const TOO_LARGE =
  'The state that was handled last was too large to be kept, so `old` is undefined in this update; see persistence.sizeLimits.'

/** The content of the object, without what the storages themselves have put there. */
function contentOf(body: KubeObject, tracked: readonly FieldKeys[], { diffBase, progress }: Storages): Essence {
  const essence = diffBase.build?.(body, tracked) ?? essenceOf(body, tracked)
  return progress.clear?.(essence) ?? essence
}

/** The reason that handlers are told. */
function reasonOf({ reason }: Cause): Reason {
  switch (reason) {
    case 'gone':
    case 'free':
      return 'delete'
    case 'noop':
      return 'update'
    default:
      return reason
  }
}
