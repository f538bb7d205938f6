/** Label selectors in the form of objects: matchLabels and matchExpressions. */
import { isObject, type Json } from '../json.ts'
import { field } from '../object.ts'

type Labels = { readonly [key: string]: string } | undefined

/** An absent or empty selector selects everything, and so does one that is asked about labels that cannot be. */
export function selects(selector: Json | undefined, labels: Labels): boolean {
  if (!isObject(selector) || labels === undefined) return true
  const wanted = Object.entries(isObject(selector.matchLabels) ? selector.matchLabels : {})
  if (!wanted.every(([key, value]) => own(labels, key) === value)) return false
  const expressions = Array.isArray(selector.matchExpressions) ? selector.matchExpressions : []
  return expressions.every((expression: Json) => expressionHolds(expression, labels))
}

const own = (labels: { readonly [key: string]: string }, key: string) =>
  Object.hasOwn(labels, key) ? labels[key] : undefined

function expressionHolds(expression: Json, labels: { readonly [key: string]: string }): boolean {
  const value = own(labels, String(field(expression, 'key') ?? ''))
  const values = field(expression, 'values')
  const isOne = value !== undefined && Array.isArray(values) && values.includes(value)
  switch (field(expression, 'operator')) {
    case 'In':
      return isOne
    case 'NotIn':
      return !isOne
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      return false
  }
}
