import { diff, type KubeObject } from '@binnacle/core'
import { type Cause, detect } from '../cause/detect.ts'
import { digest } from '../cause/digest.ts'
import { type Essence, essenceOf } from '../cause/essence.ts'
import type { Reason } from '../declare/context.ts'
import type { Identity } from '../declare/identity.ts'
import type { ObjectMemory } from '../object-memory.ts'
import { isOutdated, type Purpose } from '../progress/progress.ts'
import type { Storages } from '../progress/storages.ts'
import type { Subject } from '../select/match.ts'
import { type Change, changeView, type Surroundings } from './context.ts'

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
  readonly surroundings: Surroundings
}

/** Looks at an object once, so that a whole cycle decides about one and the same state. */
export function lookAt(memory: ObjectMemory, surroundings: Surroundings, identity: Identity, storages: Storages): Look {
  const { body, kind } = memory
  const essence = essenceOf(body, kind.tracked)
  const present = digest(essence)
  const old = storages.diffBase.fetch(body)
  const update: Purpose = { reason: 'update', essence: present }
  const outdated = kind.handlers
    .filter(({ reason }) => reason === 'update' || reason === 'field')
    .filter(({ id }) => isOutdated(storages.progress.fetch(id, body), update))
    .map(({ id }) => id)
  const deleting = body.metadata.deletionTimestamp !== undefined
  const held = body.metadata.finalizers?.includes(identity.finalizer) ?? false
  const cause = detect({
    exists: memory.exists,
    deleting,
    held,
    initial: memory.initial,
    old,
    current: essence,
    outdated,
  })
  const reason = reasonOf(cause)
  const change: Change = {
    reason,
    old,
    current: essence,
    diff: cause.reason === 'update' ? cause.diff : diff(old, essence),
  }
  let view: object | undefined
  const subject: Subject = {
    body,
    change,
    view: () => {
      view ??= changeView(body, surroundings, change)
      return view
    },
  }
  return {
    body,
    deleting,
    held,
    known: old !== undefined,
    essence,
    cause,
    change,
    purpose: { reason, essence: present },
    subject,
    surroundings,
  }
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
