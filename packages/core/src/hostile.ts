import { BinnacleError } from './errors.ts'

/**
 * Objects keyed by data from outside.
 * Guarantees: no key of such data ever reaches a prototype. JSON.parse makes `__proto__` an own property; copying it by assignment
 * would set the prototype of the copy instead.
 */

export interface PlainObject {
  readonly [key: string]: unknown
}

export function isPlainObject(value: unknown): value is PlainObject {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Sets an own property; a name that would reach the prototype instead is refused. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    throw new BinnacleError('BIN_PATCH', {
      message: `The key ${JSON.stringify(key)} may not be written`,
      hint: 'Hardly any Kubernetes object has such a field; look where the key comes from.',
    })
  }
  ;(target as Record<string, unknown>)[key] = value
}

export function getOwn(target: object, key: string): unknown {
  return Object.hasOwn(target, key) ? (target as Record<string, unknown>)[key] : undefined
}

/** A writable deep copy of JSON data. Shares nothing with the original; keys keep their names, `__proto__` as well. */
export function copyJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyJson) as T
  if (typeof value !== 'object' || value === null) return value
  // fromEntries defines properties and never assigns them. A ConfigMap may well have a key of that name: it must not stop its reader.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyJson(member)])) as T
}
