/**
 * Permissions from Roles, ClusterRoles and their bindings.
 * Guarantees: a change of a role or a binding counts for the very next request; members of system:masters may do everything; the
 * reasons are those of the original, with the bindings in the order of their names.
 */
import { isObject, type Json } from '../json.ts'
import { field, type KubeObject } from '../object.ts'
import type { Change } from '../storage/change.ts'
import type { StoredRecord } from '../storage/record.ts'
import type { Storage } from '../storage/storage.ts'
import { keyOf, type Table } from '../storage/table.ts'
import { type Attributes, quoted } from './attributes.ts'
import type { Authorizer, Decision, RuleSet } from './authorizer.ts'
import { allows, type PolicyRule, rulesIn } from './policy-rule.ts'
import { accountUserName, mastersGroup, type User } from './user.ts'

export const rbacGroup = 'rbac.authorization.k8s.io'
const tableName = (plural: string) => `${rbacGroup}/${plural}`

interface Subject {
  readonly kind: string
  readonly name: string
  readonly namespace: string
}

interface Binding {
  readonly title: string
  readonly namespace: string
  readonly subjects: readonly Subject[]
  readonly role: RoleReference
}

export interface RoleReference {
  readonly kind: string
  readonly name: string
}

interface Granted {
  readonly source: string
  readonly rules: readonly PolicyRule[]
}

export class Rbac implements Authorizer {
  readonly enforced = true
  readonly #storage: Storage
  /** What was read of an object; a stored object never changes, so this holds as long as the object does. */
  readonly #rules = new WeakMap<KubeObject, readonly PolicyRule[]>()
  /** By namespace, '' for the whole cluster; dropped when a binding changes. */
  readonly #bindings = new Map<string, readonly Binding[]>()

  constructor(storage: Storage) {
    this.#storage = storage
    storage.onChange((table, change) => this.#see(table, change))
  }

  #see(table: Table, { record }: Change): void {
    if (table.id === tableName('clusterrolebindings')) this.#bindings.delete('')
    if (table.id === tableName('rolebindings')) this.#bindings.delete(record.namespace)
  }

  authorize(user: User, attributes: Attributes): Decision {
    if (user.groups.includes(mastersGroup)) return { allowed: true, reason: '' }
    const problems: string[] = []
    for (const { source, rules } of this.#granted(user, attributes.namespace, problems)) {
      if (rules.some((rule) => allows(rule, attributes))) return { allowed: true, reason: `RBAC: allowed by ${source}` }
    }
    return { allowed: false, reason: problems.length === 0 ? '' : `RBAC: ${aggregated(problems)}` }
  }

  rulesFor(user: User, namespace: string): RuleSet {
    const problems: string[] = []
    const rules = [...this.#granted(user, namespace, problems)].flatMap((granted) => granted.rules)
    return { rules, problems }
  }

  *#granted(user: User, namespace: string, problems: string[]): Generator<Granted> {
    for (const scope of namespace === '' ? [''] : ['', namespace]) {
      for (const binding of this.#bindingsIn(scope)) {
        const subject = binding.subjects.find((candidate) => means(candidate, user, binding.namespace))
        if (!subject) continue
        const rules = this.rulesOf(binding.role, binding.namespace)
        if (rules) yield { source: `${binding.title} to ${describedSubject(subject, binding.namespace)}`, rules }
        else problems.push(missingRole(binding.role))
      }
    }
  }

  /** Undefined when there is no such role. */
  rulesOf({ kind, name }: RoleReference, namespace: string): readonly PolicyRule[] | undefined {
    const object =
      kind === 'ClusterRole'
        ? this.#storage.table(tableName('clusterroles')).get(name)?.object
        : this.#storage.table(tableName('roles')).get(keyOf(namespace, name))?.object
    if (object === undefined) return undefined
    const known = this.#rules.get(object) ?? rulesIn(object.rules as Json | undefined)
    this.#rules.set(object, known)
    return known
  }

  #bindingsIn(scope: string): readonly Binding[] {
    let known = this.#bindings.get(scope)
    if (known === undefined) {
      const table = this.#storage.table(tableName(scope === '' ? 'clusterrolebindings' : 'rolebindings'))
      known = table.list(scope).map(bindingOf)
      this.#bindings.set(scope, known)
    }
    return known
  }
}

function bindingOf({ object, name, namespace }: StoredRecord): Binding {
  const role = roleReference(object)
  const [word, id] = namespace === '' ? ['ClusterRoleBinding', name] : ['RoleBinding', `${name}/${namespace}`]
  return {
    title: `${word} ${quoted(id)} of ${role.kind} ${quoted(role.name)}`,
    namespace,
    subjects: subjectsOf(object),
    role,
  }
}

export function roleReference(object: KubeObject): RoleReference {
  const reference = object.roleRef as Json | undefined
  return { kind: String(field(reference, 'kind') ?? ''), name: String(field(reference, 'name') ?? '') }
}

function subjectsOf(object: KubeObject): readonly Subject[] {
  const subjects = object.subjects as Json | undefined
  if (!Array.isArray(subjects)) return []
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')
  return subjects.filter(isObject).map((subject: Json) => ({
    kind: text(field(subject, 'kind')),
    name: text(field(subject, 'name')),
    namespace: text(field(subject, 'namespace')),
  }))
}

function means(subject: Subject, user: User, bindingNamespace: string): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.name === user.name
    case 'Group':
      return user.groups.includes(subject.name)
    case 'ServiceAccount': {
      const namespace = subject.namespace === '' ? bindingNamespace : subject.namespace
      return namespace !== '' && accountUserName({ namespace, name: subject.name }) === user.name
    }
    default:
      return false
  }
}

function describedSubject({ kind, name, namespace }: Subject, bindingNamespace: string): string {
  if (kind !== 'ServiceAccount') return `${kind} ${quoted(name)}`
  return `${kind} ${quoted(`${name}/${namespace === '' ? bindingNamespace : namespace}`)}`
}

const missingRole = ({ kind, name }: RoleReference) => `${kind.toLowerCase()}.${rbacGroup} ${quoted(name)} not found`

/** Several errors as Go prints them. */
export const aggregated = (problems: readonly string[]) => {
  const all = [...new Set(problems)]
  return all.length === 1 ? (all[0] as string) : `[${all.join(', ')}]`
}
