/** ClusterRoles that are made of others: the rules of all that a selector finds, in the order of their names, each rule once. Pure. */
import { equalJson, isObject, type Json, type JsonObject } from '../json.ts'
import { field, type KubeObject } from '../object.ts'

/** Undefined when the role is not made of others. */
export function aggregatedRules(role: KubeObject, all: readonly KubeObject[]): readonly Json[] | undefined {
  if (!isObject(role.aggregationRule)) return undefined
  const selectors = field(role.aggregationRule, 'clusterRoleSelectors')
  const found: Json[] = []
  for (const selector of Array.isArray(selectors) ? (selectors as readonly Json[]) : []) {
    for (const other of all) {
      if (other.metadata.name === role.metadata.name || !selects(selector, other.metadata.labels ?? {})) continue
      for (const rule of Array.isArray(other.rules) ? (other.rules as readonly Json[]) : []) {
        if (!found.some((known) => equalJson(known, rule))) found.push(rule)
      }
    }
  }
  return found
}

type Labels = { readonly [key: string]: string }

/** A LabelSelector as objects hold it. An empty one selects everything, a malformed one nothing. */
export function selects(selector: Json, labels: Labels): boolean {
  if (!isObject(selector)) return false
  const wanted = isObject(selector.matchLabels) ? selector.matchLabels : {}
  const expressions = Array.isArray(selector.matchExpressions) ? (selector.matchExpressions as readonly Json[]) : []
  return (
    Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value) &&
    expressions.every((expression) => isObject(expression) && satisfies(expression, labels))
  )
}

function satisfies({ key, operator, values }: JsonObject, labels: Labels): boolean {
  const name = String(key)
  const value = Object.hasOwn(labels, name) ? labels[name] : undefined
  const among = Array.isArray(values) && value !== undefined && values.includes(value)
  switch (operator) {
    case 'In':
      return among
    case 'NotIn':
      return !among
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      return false
  }
}
