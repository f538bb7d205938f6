/**
 * When a fault that matches really strikes.
 * Guarantees: a decision depends on the occasions so far, the virtual time and the seeded chance, and on nothing else.
 */
import type { Random } from '../random.ts'
import { type FaultMatch, matches } from './match.ts'
import type { Occasion } from './occasion.ts'

export type Trigger =
  | { readonly when: 'always' }
  /** The n-th matching occasion only, counted from 1. */
  | { readonly when: 'nth'; readonly n: number }
  /** The k-th, the 2k-th, … */
  | { readonly when: 'every'; readonly k: number }
  | { readonly when: 'first'; readonly n: number }
  | { readonly when: 'sometimes'; readonly probability: number }
  /** Lets so many pass each second, and strikes the rest. */
  | { readonly when: 'bucket'; readonly perSecond: number; readonly burst: number }
  /** Seconds from when the fault was laid. */
  | { readonly when: 'window'; readonly from: number; readonly to: number }
  /** From the first occasion on that matches something else. */
  | { readonly when: 'after'; readonly occasion: FaultMatch }
  | { readonly when: 'once per object' }

export interface Moments {
  readonly random: Random
  /** Seconds that only grow. */
  readonly monotonic: () => number
}

/** Asked for every occasion of its moment; `matched` says whether the fault is for it. */
export type Decision = (occasion: Occasion, matched: boolean) => boolean

export function decisionOf(trigger: Trigger, { random, monotonic }: Moments): Decision {
  const start = monotonic()
  let count = 0
  const counted =
    (strikes: (n: number) => boolean): Decision =>
    (_, matched) =>
      matched && strikes(++count)
  switch (trigger.when) {
    case 'always':
      return (_, matched) => matched
    case 'nth':
      return counted((n) => n === trigger.n)
    case 'every':
      return counted((n) => n % trigger.k === 0)
    case 'first':
      return counted((n) => n <= trigger.n)
    case 'sometimes':
      return counted(() => random() < trigger.probability)
    case 'bucket':
      return bucket(trigger.perSecond, trigger.burst, monotonic)
    case 'window':
      return (_, matched) => matched && within(monotonic() - start, trigger)
    case 'after':
      return armed(trigger.occasion)
    case 'once per object':
      return oncePerObject()
  }
}

function within(age: number, { from, to }: { readonly from: number; readonly to: number }): boolean {
  return age >= from && age < to
}

function bucket(perSecond: number, burst: number, monotonic: () => number): Decision {
  let tokens = burst
  let filled = monotonic()
  return (_, matched) => {
    if (!matched) return false
    const now = monotonic()
    tokens = Math.min(burst, tokens + (now - filled) * perSecond)
    filled = now
    if (tokens < 1) return true
    tokens--
    return false
  }
}

function armed(by: FaultMatch): Decision {
  let isArmed = false
  return (occasion, matched) => {
    const strikes = isArmed && matched
    isArmed ||= matches(by, occasion)
    return strikes
  }
}

function oncePerObject(): Decision {
  const struck = new Set<string>()
  return ({ group, resource, namespace, name }, matched) => {
    const object = JSON.stringify([group, resource, namespace, name])
    if (!matched || struck.has(object)) return false
    struck.add(object)
    return true
  }
}
