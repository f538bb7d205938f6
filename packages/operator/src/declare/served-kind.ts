import type { FieldKeys, Resource, ResourceInfo } from '@binnacle/core'
import type { DaemonHandler } from './daemon.ts'
import type { ChangeHandler, EventHandler } from './handler.ts'
import type { IndexDefinition } from './index-handler.ts'
import type { TimerHandler } from './timer.ts'

/**
 * One kind that the server has, with all that was declared on it under whichever names.
 * It is live: when the server serves the kind in another version, or its definition changes, the same value says so from then on.
 */
export interface ServedKind {
  readonly info: ResourceInfo
  /** For requests. */
  readonly resource: Resource
  readonly handlers: readonly ChangeHandler[]
  /** Its schema declares `status.conditions`, so that a failure can be shown there. */
  readonly conditions: boolean
  readonly events: readonly EventHandler[]
  /** Daemons and timers. */
  readonly background: readonly (DaemonHandler | TimerHandler)[]
  readonly indices: ReadonlySet<IndexDefinition>
  /** Fields that handlers name, which belong to the essence wherever they are. */
  readonly tracked: readonly FieldKeys[]
}

/** Whether objects of the kind are looked at one by one; those of a kind that only indices read are not. */
export function isHandled({ handlers, events, background }: ServedKind): boolean {
  return handlers.length > 0 || events.length > 0 || background.length > 0
}

/** `plural.group`, or `plural` in the core group. */
export function kindName({ info }: ServedKind): string {
  return nameOfKind(info)
}

export function nameOfKind({ plural, group }: Pick<ResourceInfo, 'plural' | 'group'>): string {
  return group === '' ? plural : `${plural}.${group}`
}

/** Whether the kind serves `/status`, so that changes of the status sent to the object would be ignored. */
export function servesStatus({ info }: ServedKind): boolean {
  return info.subresources.includes('status')
}
