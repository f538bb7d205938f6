import { BinnacleError } from './errors.ts'

/** One condition of a label selector. Of several, all must hold. */
export type Requirement =
  | { readonly key: string; readonly operator: 'exists' | 'absent' }
  | { readonly key: string; readonly operator: 'in' | 'notin'; readonly values: readonly string[] }

export interface Labels {
  readonly [label: string]: string
}

const PART = /^\s*(?:(!)\s*)?([^\s=!<>,()]+)\s*(?:(==|=|!=)\s*([^\s,()=!]*)|\s(in|notin)\s*\(([^()]*)\))?\s*$/

/** What has a meaning in the text of a selector, and so cannot be part of a key or a value. */
const SYNTAX = /[\s=!<>,()\\]/

/** Reads a label selector as kubectl writes it: `app=web,tier in (a, b),!canary`. */
export function parseLabelSelector(text: string): readonly Requirement[] {
  if (text.trim() === '') return []
  return splitOutsideParentheses(text).map((part) => parsePart(part, text))
}

/**
 * The text of a selector: a string as it is, labels as `key=value` joined by commas.
 * Guarantees: a value taken from an object cannot add conditions of its own; one that would is refused.
 */
export function formatSelector(selector: string | Labels | readonly Requirement[] | undefined): string {
  if (selector === undefined) return ''
  if (typeof selector === 'string') return selector
  if (isRequirements(selector)) return selector.map(formatRequirement).join(',')
  return Object.entries(selector)
    .map(([key, value]) => `${plain(key)}=${value === '' ? '' : plain(value)}`)
    .join(',')
}

export function matchesLabels(selector: readonly Requirement[], labels: Labels | undefined): boolean {
  return selector.every((requirement) => holds(requirement, labels))
}

function holds(requirement: Requirement, labels: Labels | undefined): boolean {
  const value = labels && Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined
  switch (requirement.operator) {
    case 'exists':
      return value !== undefined
    case 'absent':
      return value === undefined
    case 'in':
      return value !== undefined && requirement.values.includes(value)
    case 'notin': // An object without the label is not in any set of values.
      return value === undefined || !requirement.values.includes(value)
  }
}

function isRequirements(selector: Labels | readonly Requirement[]): selector is readonly Requirement[] {
  return Array.isArray(selector)
}

function formatRequirement(requirement: Requirement): string {
  switch (requirement.operator) {
    case 'exists':
      return plain(requirement.key)
    case 'absent':
      return `!${plain(requirement.key)}`
    default: {
      const values = requirement.values.map((value) => (value === '' ? '' : plain(value)))
      return `${plain(requirement.key)} ${requirement.operator} (${values.join(',')})`
    }
  }
}

function plain(text: string): string {
  if (text !== '' && !SYNTAX.test(text)) return text
  throw new BinnacleError('BIN_SELECTOR', {
    message: `${JSON.stringify(text)} cannot be a key or a value in a selector`,
    hint: 'It is empty, or has white space or one of = ! < > , ( ) \\ in it, which no label has. Look where it comes from.',
  })
}

function splitOutsideParentheses(text: string): string[] {
  return text.split(/,(?![^(]*\))/)
}

function parsePart(part: string, text: string): Requirement {
  const [, absent, key, comparison, value = '', set, members = ''] = PART.exec(part) ?? []
  if (key === undefined || (absent && (comparison || set))) throw refusal(part, text)
  if (absent) return { key, operator: 'absent' }
  if (comparison) return { key, operator: comparison === '!=' ? 'notin' : 'in', values: [value] }
  if (set === 'in' || set === 'notin') {
    const values = members.split(',').map((member) => member.trim())
    if (values.some((member) => SYNTAX.test(member))) throw refusal(part, text)
    return { key, operator: set, values }
  }
  return { key, operator: 'exists' }
}

function refusal(part: string, text: string): BinnacleError {
  return new BinnacleError('BIN_SELECTOR', {
    message: `${JSON.stringify(part.trim())} in ${JSON.stringify(text)} is not part of a label selector`,
    hint: 'Write key=value, key!=value, key in (a,b), key notin (a,b), key, or !key, joined by commas.',
  })
}
