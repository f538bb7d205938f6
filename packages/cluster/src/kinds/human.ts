/** Values as tables show them to people. Pure: the present is an argument. */
import { isObject, type Json } from '../json.ts'

/** How long ago: 5s, 3m20s, 2d4h; the more, the coarser. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.trunc(seconds / 60)
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.trunc(minutes / 60)
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(hours / 24)
  if (days < 8) return pair(days, 'd', hours % 24, 'h')
  if (days < 730) return `${days}d`
  return days < 2920 ? pair(Math.trunc(days / 365), 'y', days % 365, 'd') : `${Math.trunc(days / 365)}y`
}

const pair = (large: number, unit: string, small: number, smaller: string) =>
  small === 0 ? `${large}${unit}` : `${large}${unit}${small}${smaller}`

export function ageOf(time: Json | undefined, now: Date): string {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return Number.isNaN(at) ? '<unknown>' : humanDuration(now.getTime() - at)
}

/** A selector as kubectl takes it: a=b,c in (d,e). */
export function selectorText(selector: Json | undefined): string {
  if (!isObject(selector)) return '<none>'
  const labels =
    isObject(selector.matchLabels) || Array.isArray(selector.matchExpressions) ? selector.matchLabels : selector
  const terms = Object.entries(isObject(labels) ? labels : {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${String(value)}`)
  for (const term of Array.isArray(selector.matchExpressions) ? selector.matchExpressions : []) {
    if (isObject(term)) terms.push(expressionText(term.key, term.operator, term.values))
  }
  return terms.join(',') || '<none>'
}

function expressionText(key: Json | undefined, operator: Json | undefined, values: Json | undefined): string {
  const list = Array.isArray(values) ? `(${values.join(',')})` : '()'
  if (operator === 'Exists') return String(key)
  if (operator === 'DoesNotExist') return `!${String(key)}`
  return `${String(key)} ${operator === 'In' ? 'in' : 'notin'} ${list}`
}
