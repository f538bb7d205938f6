/** The types of expressions, as the checker knows them. */

export type Type =
  | { readonly kind: Scalar; readonly max?: number }
  | { readonly kind: 'list'; readonly item: Type; readonly max?: number }
  | { readonly kind: 'map'; readonly key: Type; readonly value: Type; readonly max?: number }
  | { readonly kind: 'optional'; readonly item: Type; readonly max?: number }
  /** One of Kubernetes' own: net.IP, kubernetes.URL, … */
  | { readonly kind: 'opaque'; readonly name: string; readonly max?: number }
  /** An object with a schema: only its fields can be selected. */
  | {
      readonly kind: 'object'
      readonly name: string
      readonly fields: ReadonlyMap<string, Type>
      readonly max?: number
    }
  /** A type that a call decides. */
  | { readonly kind: 'parameter'; readonly name: string; readonly max?: number }

export type Scalar =
  | 'dyn'
  | 'int'
  | 'uint'
  | 'double'
  | 'bool'
  | 'string'
  | 'bytes'
  | 'null'
  | 'timestamp'
  | 'duration'
  | 'type'

export const dyn: Type = { kind: 'dyn' }
export const bool: Type = { kind: 'bool' }
export const int: Type = { kind: 'int' }
export const text: Type = { kind: 'string' }
export const listOf = (item: Type): Type => ({ kind: 'list', item })
export const mapOf = (key: Type, value: Type): Type => ({ kind: 'map', key, value })
export const optionalOf = (item: Type): Type => ({ kind: 'optional', item })

export function printType(type: Type): string {
  switch (type.kind) {
    case 'list':
      return `list(${printType(type.item)})`
    case 'map':
      return `map(${printType(type.key)}, ${printType(type.value)})`
    case 'optional':
      return `optional_type(${printType(type.item)})`
    case 'opaque':
    case 'object':
    case 'parameter':
      return type.name
    default:
      return type.kind
  }
}

const opaque = new Map([
  ['URL', 'kubernetes.URL'],
  ['IP', 'net.IP'],
  ['CIDR', 'net.CIDR'],
  ['quantity', 'kubernetes.Quantity'],
  ['semver', 'kubernetes.Semver'],
  ['format', 'kubernetes.NamedFormat'],
])

/** The types of signatures: `list(string)`, `map(K, V)`, `optional(T)`, `URL`; a single capital letter is a parameter. */
export function parseType(words: string): Type {
  const open = words.indexOf('(')
  if (open === -1) {
    const name = opaque.get(words)
    if (name !== undefined) return { kind: 'opaque', name }
    return /^[A-Z]$/.test(words) ? { kind: 'parameter', name: words } : { kind: words as Scalar }
  }
  const inner = splitTypes(words.slice(open + 1, -1)).map(parseType)
  const [first = dyn, second = dyn] = inner
  switch (words.slice(0, open)) {
    case 'list':
      return listOf(first)
    case 'map':
      return mapOf(first, second)
    default:
      return optionalOf(first)
  }
}

/** At commas outside of parentheses. */
export function splitTypes(words: string): string[] {
  const found: string[] = []
  let depth = 0
  let start = 0
  for (let i = 0; i <= words.length; i++) {
    const c = words[i]
    if (c === '(') depth++
    if (c === ')') depth--
    if (i < words.length && !(c === ',' && depth === 0)) continue
    const piece = words.slice(start, i).trim()
    if (piece !== '') found.push(piece)
    start = i + 1
  }
  return found
}

/** What the parameters of a call stand for. */
export type Bindings = Map<string, Type>

/** Whether a value of the one type may stand where the other is wanted; binds parameters on the way. */
export function fits(given: Type, wanted: Type, bindings: Bindings): boolean {
  if (wanted.kind === 'parameter') return fitsParameter(given, wanted.name, bindings)
  if (given.kind === 'dyn' || wanted.kind === 'dyn') return true
  // Null may stand for a time and for an optional, as for every message of the original.
  if (given.kind === 'null' && (wanted.kind === 'timestamp' || wanted.kind === 'duration' || wanted.kind === 'object'))
    return true
  if (given.kind !== wanted.kind) return false
  if (given.kind === 'list' && wanted.kind === 'list') return fits(given.item, wanted.item, bindings)
  if (given.kind === 'optional' && wanted.kind === 'optional') return fits(given.item, wanted.item, bindings)
  if (given.kind === 'map' && wanted.kind === 'map') {
    return fits(given.key, wanted.key, bindings) && fits(given.value, wanted.value, bindings)
  }
  if (given.kind === 'opaque' && wanted.kind === 'opaque') return given.name === wanted.name
  if (given.kind === 'object' && wanted.kind === 'object') return given.name === wanted.name
  return true
}

function fitsParameter(given: Type, name: string, bindings: Bindings): boolean {
  const bound = bindings.get(name)
  if (bound === undefined || bound.kind === 'dyn') {
    if (bound === undefined) bindings.set(name, given)
    return true
  }
  if (fits(given, bound, bindings)) return true
  // [] fits every list: the more precise of the two wins.
  if (!fits(bound, given, bindings)) return false
  bindings.set(name, given)
  return true
}

export function bound(type: Type, bindings: Bindings): Type {
  switch (type.kind) {
    case 'parameter':
      return bindings.get(type.name) ?? dyn
    case 'list':
      return listOf(bound(type.item, bindings))
    case 'optional':
      return optionalOf(bound(type.item, bindings))
    case 'map':
      return mapOf(bound(type.key, bindings), bound(type.value, bindings))
    default:
      return type
  }
}
