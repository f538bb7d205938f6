import type { FaultMatch, Faults, Occasion } from '@binnacle/cluster'
import { warn } from '@binnacle/cluster'

/** Waits for a request, or an event, of one program. */
export interface Trap extends Disposable {
  readonly sprung: boolean
}

/**
 * Calls back when the program of this name has made a request that matches: the server has carried it out, and the answer is not on its way yet.
 */
export function layTrap(faults: Faults, program: string, match: FaultMatch, spring: () => void): Trap {
  let sprung = false
  const when = (occasion: Occasion) => {
    if (sprung || !isOf(program, occasion) || match.when?.(occasion) === false) return false
    sprung = true
    spring()
    return true
  }
  const fault = faults.always({ ...match, when }, warn('a trap'))
  return {
    get sprung() {
      return sprung
    },
    [Symbol.dispose]: () => fault[Symbol.dispose](),
  }
}

function isOf(program: string, { userAgent }: Occasion): boolean {
  return userAgent === program || userAgent.startsWith(`${program} `)
}
