import type { Duration } from './duration.ts'
import { secondsOf } from './duration.ts'
import type { Effect } from './effects.ts'
import type { FaultMatch } from './match.ts'
import { type PresetName, presetPlans } from './presets.ts'
import type { Firing, Laid, Plan, Rules } from './rule.ts'

/** Active while it is not disposed of. */
export interface Fault extends Disposable {
  readonly id: number
  /** How often it has struck. */
  readonly fired: number
}

/**
 * Faults at chosen points. Rules are asked in the order of laying, and each that strikes takes effect.
 * Guarantees: which occasions are struck is repeated exactly for the same seed, clock and requests; `firings` tells of every strike.
 */
export class Faults {
  readonly #rules: Rules

  constructor(rules: Rules) {
    this.#rules = rules
  }

  /** The first matching occasion only. */
  once(match: FaultMatch, effect: Effect): Fault {
    return this.nth(1, match, effect)
  }

  /** The first so many matching occasions. */
  times(count: number, match: FaultMatch, effect: Effect): Fault {
    return this.lay({ match, effect, trigger: { when: 'first', n: count } })
  }

  always(match: FaultMatch, effect: Effect): Fault {
    return this.lay({ match, effect, trigger: { when: 'always' } })
  }

  /** The n-th matching occasion only, counted from 1. */
  nth(n: number, match: FaultMatch, effect: Effect): Fault {
    return this.lay({ match, effect, trigger: { when: 'nth', n } })
  }

  /** Every k-th matching occasion. */
  every(k: number, match: FaultMatch, effect: Effect): Fault {
    return this.lay({ match, effect, trigger: { when: 'every', k } })
  }

  /** Each matching occasion with this probability, from 0 to 1. */
  sometimes(probability: number, match: FaultMatch, effect: Effect): Fault {
    return this.lay({ match, effect, trigger: { when: 'sometimes', probability } })
  }

  /** Only within a stretch of time, counted from now. */
  between(from: Duration, to: Duration, match: FaultMatch, effect: Effect): Fault {
    return this.lay({ match, effect, trigger: { when: 'window', from: secondsOf(from), to: secondsOf(to) } })
  }

  /** All that exceeds a rate. */
  beyond(perSecond: number, match: FaultMatch, effect: Effect, burst = perSecond): Fault {
    return this.lay({ match, effect, trigger: { when: 'bucket', perSecond, burst } })
  }

  /** From when something else has happened. */
  after(occasion: FaultMatch, match: FaultMatch, effect: Effect): Fault {
    return this.lay({ match, effect, trigger: { when: 'after', occasion } })
  }

  /** The first matching occasion of each object. */
  oncePerObject(match: FaultMatch, effect: Effect): Fault {
    return this.lay({ match, effect, trigger: { when: 'once per object' } })
  }

  /** Several faults that belong together; the strikes of all of them are counted. */
  preset(name: PresetName): Fault {
    const faults = presetPlans(name).map((plan) => this.lay(plan))
    return {
      id: faults[0]?.id ?? 0,
      get fired() {
        return faults.reduce((sum, { fired }) => sum + fired, 0)
      },
      [Symbol.dispose]: () => {
        for (const fault of faults) fault[Symbol.dispose]()
      },
    }
  }

  /** A fault as data, as `plans` gives it. */
  lay(plan: Plan): Fault {
    return handleOf(this.#rules.lay(plan), this.#rules)
  }

  /** What is laid now, as data. */
  get plans(): readonly (Plan & { readonly id: number; readonly fired: number })[] {
    return this.#rules.all.map(({ id, fired, match, trigger, effect }) => ({ id, fired, match, trigger, effect }))
  }

  /** Every strike so far. */
  get firings(): readonly Firing[] {
    return this.#rules.firings
  }

  /** False if there is none with this id. */
  lift(id: number): boolean {
    return this.#rules.lift(id)
  }

  /** Ends all faults. What they did stays in `firings`. */
  clear(): void {
    this.#rules.clear()
  }
}

function handleOf(laid: Laid, rules: Rules): Fault {
  return {
    id: laid.id,
    get fired() {
      return laid.fired
    },
    [Symbol.dispose]: () => void rules.lift(laid.id),
  }
}
