import type { Client, Ref } from '@binnacle/client'
import type { ResourceLike } from '@binnacle/core'
import type { Run } from 'binnacle'
import { ExpectationError } from './expectation-error.ts'
import {
  calledFinding,
  type Evidence,
  type Finding,
  leaksFinding,
  nameOf,
  objectFinding,
  outcomeFinding,
  quietFinding,
} from './findings.ts'
import type { Ledger } from './ledger.ts'

/** Throw with a readable account of the difference, and the timeline of what happened. */
export interface Expectations {
  /** The handler has been called so many times, for the object if one is named; where things go wrong, at least so many. */
  called(handler: string, times: number, ref?: Ref): void
  /** The last call of the handler has come to this. */
  outcome(handler: string, outcome: Run['outcome'], ref?: Ref): void
  /** The operator has written nothing, or nothing since there were so many writes. Where things go wrong it may have. */
  quiet(since?: number): void
  /**
   * Nothing is left: no work that goes on, no wait of a life that has ended, no finalizer on an object that is being deleted, no daemon of
   * an object that is gone. The latter two are seen on embedded clusters only.
   */
  noLeaks(): void
  /** The object is gone, or contains what is given. */
  object(resource: ResourceLike, ref: Ref, shape: object | undefined): Promise<void>
}

/** Where findings come from. */
export interface Findings {
  called(handler: string, times: number, ref?: Ref): Finding
  outcome(handler: string, outcome: Run['outcome'], ref?: Ref): Finding
  quiet(since?: number): Finding
  noLeaks(): Finding
  object(resource: ResourceLike, ref: Ref, shape: object | undefined): Promise<Finding>
  readonly timeline: string
}

export function findingsOf(
  ledger: Ledger,
  client: Client,
  leaks: () => readonly string[],
  disturbed = false,
): Findings {
  const evidence: Evidence = { ledger, disturbed }
  return {
    called: (handler, times, ref) => calledFinding(evidence, handler, times, ref),
    outcome: (handler, outcome, ref) => outcomeFinding(evidence, handler, outcome, ref),
    quiet: (since) => quietFinding(evidence, since),
    noLeaks: () => leaksFinding(leaks()),
    object: async (resource, ref, shape) => {
      const kind = typeof resource === 'string' ? resource : resource.kind
      return objectFinding(`${kind} ${nameOf(ref)}`, await client.find(resource, ref), shape)
    },
    get timeline() {
      return ledger.timeline
    },
  }
}

export function expectations(findings: Findings): Expectations {
  const demand = ({ holds, message }: Finding) => {
    if (!holds) throw new ExpectationError(message, findings.timeline)
  }
  return {
    called: (handler, times, ref) => demand(findings.called(handler, times, ref)),
    outcome: (handler, outcome, ref) => demand(findings.outcome(handler, outcome, ref)),
    quiet: (since) => demand(findings.quiet(since)),
    noLeaks: () => demand(findings.noLeaks()),
    object: async (resource, ref, shape) => demand(await findings.object(resource, ref, shape)),
  }
}
