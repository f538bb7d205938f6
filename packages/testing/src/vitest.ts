/**
 * Matchers for vitest: `import '@binnacle/testing/vitest'` once, in a setup file or in the test itself.
 * Guarantees: they find what `t.expect` finds, in the same words, and a failure prints the timeline of what happened; `not` works.
 */
import type { Ref } from '@binnacle/client'
import type { ResourceLike } from '@binnacle/core'
import type { Run } from 'binnacle'
import { expect } from 'vitest'
import { told } from './expectation-error.ts'
import type { Findings } from './expectations.ts'
import type { Finding } from './findings.ts'
import { FINDINGS } from './harness.ts'

export interface BinnacleMatchers {
  /** The handler has been called so many times, for the object if one is named. */
  toHaveCalled(handler: string, times: number, ref?: Ref): void
  /** The last call of the handler has come to this. */
  toHaveOutcome(handler: string, outcome: Run['outcome'], ref?: Ref): void
  /** The operator has written nothing, or nothing since there were so many writes. */
  toBeQuiet(since?: number): void
  /** Nothing is left behind: see `Expectations.noLeaks`. */
  toHaveNoLeaks(): void
  /** The object contains what is given; it is gone if nothing is. Has to be awaited. */
  toHaveObject(resource: ResourceLike, ref: Ref, shape?: object): Promise<void>
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: the declaration that this one is merged with has it so
  interface Matchers<T = any> extends BinnacleMatchers {}
}

interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

function findingsIn(subject: unknown): Findings {
  const findings = (subject as { readonly [FINDINGS]?: Findings } | null | undefined)?.[FINDINGS]
  if (findings) return findings
  throw new TypeError('This matcher is for harnesses: expect(await harness(op))')
}

function judged({ holds, message, otherwise }: Finding, { timeline }: Findings): MatcherResult {
  return { pass: holds, message: () => `${holds ? otherwise : message}\n\n${told(timeline)}` }
}

const by =
  <A extends readonly unknown[]>(find: (findings: Findings, ...args: A) => Finding) =>
  (subject: unknown, ...args: A): MatcherResult => {
    const findings = findingsIn(subject)
    return judged(find(findings, ...args), findings)
  }

expect.extend({
  toHaveCalled: by((findings, handler: string, times: number, ref?: Ref) => findings.called(handler, times, ref)),
  toHaveOutcome: by((findings, handler: string, outcome: Run['outcome'], ref?: Ref) =>
    findings.outcome(handler, outcome, ref),
  ),
  toBeQuiet: by((findings, since?: number) => findings.quiet(since)),
  toHaveNoLeaks: by((findings) => findings.noLeaks()),
  async toHaveObject(subject: unknown, resource: ResourceLike, ref: Ref, shape?: object): Promise<MatcherResult> {
    const findings = findingsIn(subject)
    return judged(await findings.object(resource, ref, shape), findings)
  },
})
