/** Whether a webhook wants to hear of a request. Pure, but for the labels of namespaces. */
import { isObject, type Json } from '../json.ts'
import type { KindVersion } from '../kinds/kind.ts'
import { field, type KubeObject } from '../object.ts'
import type { Operation } from '../request/backend.ts'
import { selects } from './selector.ts'
import type { Webhook, WebhookRule } from './webhook.ts'

export type Verb = 'CREATE' | 'UPDATE' | 'DELETE'

/** What is decided on: the operation, and the states before and after it, in the operation's version. */
export interface Attributes {
  readonly operation: Operation
  readonly verb: Verb
  readonly object: KubeObject | undefined
  readonly old: KubeObject | undefined
}

/** The version in which the webhook wants the objects; undefined: it does not want them. */
export function wantedVersion(webhook: Webhook, attributes: Attributes): KindVersion | undefined {
  if (!labelsFit(webhook, attributes)) return undefined
  const { kind, version } = attributes.operation
  const others = webhook.exact ? [] : kind.versions.filter((other) => other !== version)
  return [version, ...others].find((candidate) => webhook.rules.some((rule) => ruleFits(rule, attributes, candidate)))
}

const holds = (list: readonly string[], value: string) => list.includes('*') || list.includes(value)

function ruleFits(rule: WebhookRule, { operation, verb }: Attributes, version: KindVersion): boolean {
  const { kind, subresource } = operation
  if (!holds(rule.operations, verb) || !holds(rule.groups, kind.group) || !holds(rule.versions, version.name))
    return false
  // A namespace is cluster-scoped, also for the rules of webhooks.
  if (rule.scope !== '*' && (rule.scope === 'Namespaced') !== kind.namespaced) return false
  return rule.resources.some((resource) => resourceFits(resource, kind.plural, subresource?.name ?? ''))
}

function resourceFits(pattern: string, plural: string, subresource: string): boolean {
  const [resource = '', part] = pattern.split('/')
  if (resource !== '*' && resource !== plural) return false
  if (part === undefined) return subresource === ''
  return part === '*' || part === subresource
}

function labelsFit({ namespaceSelector, objectSelector }: Webhook, attributes: Attributes): boolean {
  const { object, old } = attributes
  if (!selects(namespaceSelector, namespaceLabels(attributes))) return false
  return (
    isEverything(objectSelector) ||
    [object, old].some((state) => state && selects(objectSelector, state.metadata.labels ?? {}))
  )
}

function isEverything(selector: Json | undefined): boolean {
  if (!isObject(selector)) return true
  const labels = field(selector, 'matchLabels')
  const expressions = field(selector, 'matchExpressions')
  return (
    !(isObject(labels) && Object.keys(labels).length > 0) && !(Array.isArray(expressions) && expressions.length > 0)
  )
}

/** Of the namespace that the object is in, or is. Undefined for what has none: those are never left out by a selector. */
function namespaceLabels({ operation, object, old }: Attributes): { readonly [key: string]: string } | undefined {
  const { kind, backend, namespace } = operation
  if (kind.group === '' && kind.plural === 'namespaces') return (object ?? old)?.metadata.labels ?? {}
  if (!kind.namespaced) return undefined
  return backend.storage.table('/namespaces').get(namespace)?.object.metadata.labels ?? {}
}

/** Configurations of webhooks and policies are not sent to webhooks: nobody could mend one that refuses everything. */
export function isExempt({ operation }: Attributes): boolean {
  const { kind } = operation
  if (kind.group === 'admissionregistration.k8s.io') return true
  return kind.group === 'authentication.k8s.io' || kind.group === 'authorization.k8s.io'
}
