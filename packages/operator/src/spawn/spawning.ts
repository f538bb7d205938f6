import type { BackgroundHandler } from '../declare/daemon.ts'
import type { StopWhy } from '../declare/stopped.ts'

/** How one daemon or timer stands with one object. */
export type Standing =
  /** It has never run, or was stopped and has ended since. */
  | 'absent'
  | 'running'
  /** Asked to stop, and not ended yet. */
  | 'stopping'
  /** Asked to stop, not ended, and given up. */
  | 'abandoned'
  /** It has ended by itself. */
  | 'done'
  /** It has failed for good. */
  | 'failed'

/** What an object is to those who accompany it. */
export interface Presence {
  readonly exists: boolean
  readonly deleting: boolean
  readonly matches: (handler: BackgroundHandler) => boolean
}

export type Order = { readonly order: 'start' | 'leave' | 'forget' } | { readonly order: 'stop'; readonly why: StopWhy }

const LEAVE: Order = { order: 'leave' }

/**
 * What is to be done about one daemon or timer of one object.
 * Guarantees: never a second run beside one that has not ended; one that has ended by itself does not run again in the life of the object,
 * one that has failed runs again after its filters have stopped and started to match; an object that goes is accompanied by nobody.
 */
export function orderFor(handler: BackgroundHandler, standing: Standing, presence: Presence): Order {
  if (!presence.exists || presence.deleting) {
    return standing === 'running' ? { order: 'stop', why: 'resource-deleted' } : LEAVE
  }
  const matches = presence.matches(handler)
  if (matches) return standing === 'absent' ? { order: 'start' } : LEAVE
  if (standing === 'running') return { order: 'stop', why: 'filters-mismatch' }
  return standing === 'failed' ? { order: 'forget' } : LEAVE
}

/** Whether the object has to be held for the sake of it: before it starts, and until it has ended or was given up. */
export function holds(handler: BackgroundHandler, standing: Standing, { order }: Order): boolean {
  return handler.finalizer && (order === 'start' || isAtWork(standing))
}

export function isAtWork(standing: Standing): boolean {
  return standing === 'running' || standing === 'stopping'
}
