import type { FaultMatch } from '@binnacle/cluster'

/**
 * Where a fault can strike an operator: the n-th of these in its story.
 * `write`: a writing request reaches the server. `written`: its answer has come back. `run`: a handler has ended, and nothing of it is
 * written yet. `event`: the server sends an event of a watch. `read`: a get or a list. `watch`: a watch is opened.
 */
export type Place = 'write' | 'written' | 'run' | 'event' | 'read' | 'watch'

export const PLACES: readonly Place[] = ['write', 'written', 'run', 'event', 'read', 'watch']

/** Which occasions of the cluster a place is; undefined for those that only the operator knows of. */
export function matchOf(place: Place): FaultMatch | undefined {
  switch (place) {
    case 'write':
      return { user: 'operator', verb: ['create', 'update', 'patch', 'apply', 'delete', 'deletecollection'] }
    case 'event':
      return { user: 'operator', event: 'any' }
    case 'read':
      return { user: 'operator', verb: ['get', 'list'] }
    case 'watch':
      return { user: 'operator', verb: 'watch' }
    case 'written':
    case 'run':
      return undefined
  }
}
