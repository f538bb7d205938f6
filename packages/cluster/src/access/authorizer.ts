/** Who may do what. Everything that asks for a permission asks here: requests, reviews, impersonation, escalation. */
import type { Attributes } from './attributes.ts'
import type { PolicyRule } from './policy-rule.ts'
import type { User } from './user.ts'

export interface Decision {
  readonly allowed: boolean
  /** Why, or what stood in the way of knowing; empty when there is nothing to say. */
  readonly reason: string
}

export interface RuleSet {
  readonly rules: readonly PolicyRule[]
  /** Roles that a binding names and nobody has made. */
  readonly problems: readonly string[]
}

export interface Authorizer {
  authorize(user: User, attributes: Attributes): Decision
  /** All that a user may do in a namespace ('': in the whole cluster). */
  rulesFor(user: User, namespace: string): RuleSet
  /** Whether rules come from objects that users can write; else nobody needs to be kept from writing them. */
  readonly enforced: boolean
}

export const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
]

/** Without RBAC everybody who is let in may do everything. */
export const alwaysAllow: Authorizer = {
  authorize: () => ({ allowed: true, reason: '' }),
  rulesFor: () => ({ rules: everything, problems: [] }),
  enforced: false,
}
