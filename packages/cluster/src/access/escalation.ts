/**
 * Nobody gives away what he does not have: the checks on roles and bindings that are written.
 * Guarantees: the rules of the original: system:masters may do anything, "escalate" on roles and "bind" on the role that is bound
 * let it pass, a change that only lets the garbage collector go on is no change.
 */
import { notFound, forbidden as refused } from '../http/status.ts'
import { equalJson, type Json } from '../json.ts'
import { type Kind, tableId } from '../kinds/kind.ts'
import { field, type KubeObject, withMetadata, withoutKey } from '../object.ts'
import { quoted, resourceAttributes } from './attributes.ts'
import type { Authorizer } from './authorizer.ts'
import { everything } from './authorizer.ts'
import { described, type PolicyRule, quotedList, rulesIn, uncovered } from './policy-rule.ts'
import { aggregated, Rbac, rbacGroup, roleReference } from './rbac.ts'
import { mastersGroup, type User } from './user.ts'

export interface Write {
  readonly authorizer: Authorizer
  readonly user: User
  readonly kind: Kind
  readonly namespace: string
  /** As the path has it; empty for a POST. */
  readonly name: string
  readonly next: KubeObject
  readonly old: KubeObject | undefined
}

/** Throws the refusal. Other kinds than those of RBAC pass. */
export function checkEscalation(write: Write): void {
  const { authorizer, kind, user, next, old } = write
  if (kind.group !== rbacGroup || !(authorizer instanceof Rbac)) return
  if (user.groups.includes(mastersGroup) || (old && onlyForCollector(next, old))) return
  switch (tableId(kind)) {
    case `${rbacGroup}/roles`:
    case `${rbacGroup}/clusterroles`:
      return checkRole(write, authorizer)
    case `${rbacGroup}/rolebindings`:
    case `${rbacGroup}/clusterrolebindings`:
      return checkBinding(write, authorizer)
  }
}

function checkRole({ user, kind, namespace, name, next, old }: Write, rbac: Rbac): void {
  const about = { group: rbacGroup, resource: kind.plural, namespace, name }
  if (rbac.authorize(user, resourceAttributes({ verb: 'escalate', ...about })).allowed) return
  const title = next.metadata.name ?? ''
  const why = missing(user, namespace, rulesIn(next.rules as Json | undefined), kind, rbac)
  if (why !== undefined) throw refused(kind, title, why)
  if (!aggregates(next) && !(old && aggregates(old))) return
  if (uncovered(rbac.rulesFor(user, '').rules, everything).length === 0) return
  throw refused(kind, title, 'must have cluster-admin privileges to use the aggregationRule')
}

function checkBinding({ user, kind, namespace, next }: Write, rbac: Rbac): void {
  const role = roleReference(next)
  const resource = role.kind === 'ClusterRole' ? 'clusterroles' : 'roles'
  const about = { group: String(field(next.roleRef as Json, 'apiGroup') ?? ''), resource, namespace, name: role.name }
  if (rbac.authorize(user, resourceAttributes({ verb: 'bind', ...about })).allowed) return
  const rules = rbac.rulesOf(role, namespace)
  // The original names the kind that is written, not the one that is missing.
  if (rules === undefined) throw notFound(kind, role.name)
  const why = missing(user, namespace, rules, kind, rbac)
  if (why !== undefined) throw refused(kind, next.metadata.name ?? '', why)
}

function missing(
  user: User,
  namespace: string,
  wanted: readonly PolicyRule[],
  kind: Kind,
  rbac: Rbac,
): string | undefined {
  const held = rbac.rulesFor(user, namespace)
  const left = uncovered(held.rules, wanted)
  if (left.length === 0) return undefined
  const who = `user ${quoted(user.name)} (groups=${quotedList(user.groups)})`
  // Here too: the names of missing roles come out as if they were of the kind that is written.
  const problems = held.problems.map((problem) => problem.replace(/^\w+\./, `${kind.plural}.`))
  const end = problems.length === 0 ? '' : `; resolution errors: [${aggregated(problems)}]`
  return `${who} is attempting to grant RBAC permissions not currently held:\n${described(left)}${end}`
}

function aggregates(role: KubeObject): boolean {
  const selectors = field(role.aggregationRule as Json | undefined, 'clusterRoleSelectors')
  return Array.isArray(selectors) && selectors.length > 0
}

/** Owners and finalizers are what the collector needs to change. */
function onlyForCollector(next: KubeObject, old: KubeObject): boolean {
  const rest = (object: KubeObject) => {
    const keys = ['ownerReferences', 'finalizers', 'managedFields', 'resourceVersion', 'generation']
    return withMetadata(
      object,
      keys.reduce((metadata, key) => withoutKey(metadata, key), object.metadata),
    )
  }
  return equalJson(rest(next), rest(old))
}
