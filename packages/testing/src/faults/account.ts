import type { Run } from 'binnacle'
import type { OperatorUnderTest } from '../operator-under-test.ts'

/** How often handlers have ended well or for good, by `object: handler`. */
export type Account = ReadonlyMap<string, number>

/** What runs by the clock runs as often as time passes, which is longer in a disturbed world. */
const BY_THE_CLOCK = new Set(['daemon', 'timer', 'event', 'resume'])

const FINAL: ReadonlySet<Run['outcome']> = new Set(['success', 'permanent'])

export function isByTheClock({ cause }: Pick<Run, 'cause'>): boolean {
  return BY_THE_CLOCK.has(cause)
}

/** By which handlers are counted. Not by cause: whether a change comes amid a creation or after it is a matter of time. */
export function handlerKey(operator: string, { object, handler }: Pick<Run, 'object' | 'handler'>): string {
  return `${operator} ${object}: handler "${handler}"`
}

export function account(operators: Iterable<OperatorUnderTest>): Account {
  const counts = new Map<string, number>()
  for (const { name, runs } of operators) {
    for (const run of runs) {
      if (!FINAL.has(run.outcome)) continue
      if (isByTheClock(run)) continue
      const key = handlerKey(name, run)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  return counts
}

export interface Imbalance {
  /** Handlers that should have ended, and have not. */
  readonly lost: readonly string[]
  /** Handlers that ended more often than can be explained. */
  readonly twice: readonly string[]
}

/** `spare`: how many repetitions the faults explain, handler by handler. */
export function imbalance(expected: Account, found: Account, spare: Account): Imbalance {
  const lost: string[] = []
  const twice: string[] = []
  for (const [handler, times] of expected) {
    const happened = found.get(handler) ?? 0
    if (happened < times) lost.push(`${handler}: ${happened} of ${times}`)
  }
  for (const [handler, times] of found) {
    const allowed = (expected.get(handler) ?? 0) + (spare.get(handler) ?? 0)
    if (times > allowed) twice.push(`${handler}: ${times} times, ${allowed} at most`)
  }
  return { lost, twice }
}
