/** Roles and bindings as kinds: what is filled in and what is refused. Pure. */
import { invalidValue, notSupported, required } from '../http/field-error.ts'
import type { Cause } from '../http/status.ts'
import { equalJson, isObject, type Json, type JsonObject } from '../json.ts'
import { field, type KubeObject } from '../object.ts'
import { type PolicyRule, rulesIn } from './policy-rule.ts'
import { rbacGroup } from './rbac.ts'

export function roleCauses(object: KubeObject): readonly Cause[] {
  const namespaced = object.kind === 'Role'
  const causes = rulesIn(object.rules as Json | undefined).flatMap((rule, i) =>
    ruleCauses(rule, `rules[${i}]`, namespaced),
  )
  const aggregation = object.aggregationRule as Json | undefined
  if (!isObject(aggregation)) return causes
  const selectors = aggregation.clusterRoleSelectors
  if (Array.isArray(selectors) && selectors.length > 0) return causes
  const why = 'at least one clusterRoleSelector required if aggregationRule is non-nil'
  return [...causes, required('aggregationRule.clusterRoleSelectors', why)]
}

function ruleCauses(rule: PolicyRule, path: string, namespaced: boolean): Cause[] {
  const causes: Cause[] = []
  if (rule.verbs.length === 0) causes.push(required(`${path}.verbs`, 'verbs must contain at least one value'))
  const urls = (why: string) => causes.push(invalidValue(`${path}.nonResourceURLs`, rule.nonResourceURLs, why))
  if (rule.nonResourceURLs.length > 0) {
    if (namespaced) urls('namespaced rules cannot apply to non-resource URLs')
    if (rule.apiGroups.length + rule.resources.length + rule.resourceNames.length > 0) {
      urls('rules cannot apply to both regular resources and non-resource URLs')
    }
    return causes
  }
  if (rule.apiGroups.length === 0) {
    causes.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'))
  }
  if (rule.resources.length === 0) {
    causes.push(required(`${path}.resources`, 'resource rules must supply at least one resource'))
  }
  return causes
}

/** Users and groups are of the group of permissions unless somebody says otherwise. */
export function withSubjectGroups(object: KubeObject): KubeObject {
  const subjects = object.subjects as Json | undefined
  if (!Array.isArray(subjects)) return object
  const filled = subjects.map((subject: Json): Json => {
    if (!isObject(subject) || (subject.kind !== 'User' && subject.kind !== 'Group')) return subject
    const { kind, apiGroup, ...rest } = subject
    return { kind, apiGroup: apiGroup === undefined || apiGroup === '' ? rbacGroup : apiGroup, ...rest }
  })
  return { ...object, subjects: filled }
}

export function bindingCauses(object: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  const namespaced = object.kind === 'RoleBinding'
  const reference = isObject(object.roleRef) ? object.roleRef : {}
  const subjects = Array.isArray(object.subjects) ? (object.subjects as readonly Json[]) : []
  const changed = old !== undefined && !equalJson(old.roleRef as Json, object.roleRef as Json)
  return [
    ...referenceCauses(reference, namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']),
    ...subjects.flatMap((subject, i) => subjectCauses(isObject(subject) ? subject : {}, `subjects[${i}]`, namespaced)),
    ...(changed ? [invalidValue('roleRef', goReference(reference), 'cannot change roleRef')] : []),
  ]
}

/** The original shows the fields of its own struct. */
const goReference = ({ apiGroup, kind, name }: JsonObject): Json => ({
  APIGroup: apiGroup ?? '',
  Kind: kind ?? '',
  Name: name ?? '',
})

function referenceCauses({ apiGroup, kind, name }: JsonObject, kinds: readonly string[]): Cause[] {
  const causes: Cause[] = []
  if (apiGroup !== rbacGroup) causes.push(notSupported('roleRef.apiGroup', apiGroup ?? '', [rbacGroup]))
  if (!kinds.includes(String(kind))) causes.push(notSupported('roleRef.kind', kind ?? '', kinds))
  if ((name ?? '') === '') causes.push(required('roleRef.name'))
  return causes
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const subdomainWords =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

function subjectCauses(subject: JsonObject, path: string, namespaced: boolean): Cause[] {
  const text = (key: string) => String(field(subject, key) ?? '')
  const [kind, name, group] = [text('kind'), text('name'), text('apiGroup')]
  const causes = name === '' ? [required(`${path}.name`)] : []
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '' && !subdomain.test(name)) causes.push(invalidValue(`${path}.name`, name, subdomainWords))
      if (group !== '') causes.push(notSupported(`${path}.apiGroup`, group, ['']))
      if (!namespaced && text('namespace') === '') causes.push(required(`${path}.namespace`))
      return causes
    case 'User':
    case 'Group':
      if (group !== rbacGroup) causes.push(notSupported(`${path}.apiGroup`, group, [rbacGroup]))
      return causes
    default:
      return [...causes, notSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group'])]
  }
}
