import { describe, it } from 'vitest'

/** One promise, as a check that throws when an implementation does not keep it. */
export interface Rule<S> {
  readonly name: string
  check(subject: S): void | Promise<void>
}

export function rule<S>(name: string, check: Rule<S>['check']): Rule<S> {
  return { name, check }
}

/** A test for each rule. */
export function holds<S>(what: string, rules: readonly Rule<S>[], subject: S): void {
  describe(what, () => {
    for (const { name, check } of rules) it(name, () => check(subject))
  })
}

/** A copy that breaks one promise. */
export interface Mutant<S> {
  readonly breaks: string
  readonly subject: S
}

/** The same object, with some members done in another way; those it calls itself stay as they are. */
export function brokenBy<S extends object>(subject: S, patch: (subject: S) => Partial<S>): S {
  const patched = patch(subject)
  return new Proxy(subject, {
    get: (_, name) => {
      const from = name in patched ? patched : subject
      const member = Reflect.get(from, name, from)
      return typeof member === 'function' ? member.bind(from) : member
    },
  })
}

/** Seconds for which a rule may wait for what a broken copy never brings. */
const PATIENCE = 1

/** A test for each mutant: at least one rule must notice. */
export function noticed<S>(what: string, rules: readonly Rule<S>[], mutants: readonly Mutant<S>[]): void {
  describe(`${what}: a copy that is broken on purpose is noticed`, () => {
    it.each(mutants)('$breaks', async ({ subject }) => {
      const outcomes = await Promise.allSettled(rules.map(async ({ check }) => Promise.race([check(subject), late()])))
      if (outcomes.every(({ status }) => status === 'fulfilled')) throw new Error('No rule noticed')
    })
  })
}

function late(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error('It never came')), PATIENCE * 1000).unref()
  })
}
