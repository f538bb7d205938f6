/**
 * Faults that have been laid, in order, and what they have done.
 * Guarantees: the same faults, requests, clock and seed strike the same occasions; every strike is written down; a rule is asked
 * at one moment of a request only, so that it counts each request once.
 */
import type { Random } from '../random.ts'
import type { Effect } from './effects.ts'
import { type FaultMatch, matches } from './match.ts'
import type { Moment, Occasion } from './occasion.ts'
import { type Decision, decisionOf, type Trigger } from './trigger.ts'

export interface Plan {
  readonly match: FaultMatch
  readonly trigger: Trigger
  readonly effect: Effect
}

/** One strike, as it is written down. */
export interface Firing {
  /** Which fault, in the order of laying, from 1. */
  readonly fault: number
  readonly effect: Effect['~effect']
  readonly moment: Moment
  readonly request: number
  readonly connection: number
  readonly verb: Occasion['verb']
  readonly path: string
  /** `namespace/name` of what it struck; empty for collections. */
  readonly object: string
  readonly event: string | undefined
  readonly at: Date
  /** Random numbers that had been drawn for faults before. */
  readonly drawn: number
}

export interface Laid extends Plan {
  readonly id: number
  fired: number
  /** Called when the fault is over. */
  readonly onEnd: Set<() => void>
}

interface Rule extends Laid {
  readonly moment: Moment
  readonly decide: Decision
}

export interface RuleWorld {
  readonly random: Random
  readonly now: () => Date
  readonly monotonic: () => number
}

const afterTheCommit: ReadonlySet<Effect['~effect']> = new Set([
  ...(['lose response', 'truncate', 'garble', 'slow down', 'warn', 'mislabel', 'end watch', 'fail watch'] as const),
  ...(['drop events', 'duplicate events', 'delay events', 'hold events', 'reorder events', 'replay event'] as const),
  ...(['repeat bookmark', 'hide initial end', 'unknown event', 'giant line'] as const),
])

/** When a fault strikes: at an event if it names one, else when its effect can work. */
export function momentOf({ match, effect }: Plan): Moment {
  if (match.event !== undefined) return 'event'
  if ('after' in effect && effect.after === 'commit') return 'answer'
  if (effect.kind === 'drop connection' && effect.afterBytes !== undefined) return 'answer'
  return afterTheCommit.has(effect['~effect']) ? 'answer' : 'arrival'
}

export class Rules {
  readonly #world: RuleWorld
  readonly #firings: Firing[] = []
  #rules: Rule[] = []
  #laid = 0
  #drawn = 0

  constructor(world: RuleWorld) {
    this.#world = world
  }

  get size(): number {
    return this.#rules.length
  }

  get all(): readonly Laid[] {
    return this.#rules
  }

  get firings(): readonly Firing[] {
    return this.#firings
  }

  lay(plan: Plan): Laid {
    const random = () => {
      this.#drawn++
      return this.#world.random()
    }
    const decide = decisionOf(plan.trigger, { random, monotonic: this.#world.monotonic })
    const rule: Rule = { ...plan, id: ++this.#laid, fired: 0, onEnd: new Set(), moment: momentOf(plan), decide }
    this.#rules.push(rule)
    return rule
  }

  /** A fault for one occasion that is known already. */
  loose(effect: Effect): Laid {
    return { id: 0, match: {}, trigger: { when: 'always' }, effect, fired: 0, onEnd: new Set() }
  }

  lift(id: number): boolean {
    const rule = this.#rules.find((other) => other.id === id)
    this.#rules = this.#rules.filter((other) => other !== rule)
    for (const end of [...(rule?.onEnd ?? [])]) end()
    return rule !== undefined
  }

  clear(): void {
    for (const { id } of this.#rules) this.lift(id)
  }

  /** The faults that strike here, in the order in which they were laid. */
  strike(occasion: Occasion): readonly Laid[] {
    if (this.#rules.length === 0) return []
    // Each is asked at every moment, since what happens at one may arm a fault of another.
    const striking = this.#rules.filter((rule) =>
      rule.decide(occasion, rule.moment === occasion.moment && matches(rule.match, occasion)),
    )
    for (const rule of striking) this.#record(rule, occasion)
    return striking
  }

  #record(rule: Rule, occasion: Occasion): void {
    rule.fired++
    const { moment, request, connection, verb, path, namespace, name, event } = occasion
    this.#firings.push({
      fault: rule.id,
      effect: rule.effect['~effect'],
      ...{ moment, request, connection, verb, path, event },
      object: name === '' ? '' : namespace === '' ? name : `${namespace}/${name}`,
      at: this.#world.now(),
      drawn: this.#drawn,
    })
  }
}
