import { deepEqual, isPlainObject } from '@binnacle/core'

/**
 * Where a value lacks what a shape has, in words; empty if it contains the shape. Members are looked at one by one, lists and scalars
 * are compared whole; what the value has beyond the shape does not matter.
 */
export function lacks(value: unknown, shape: unknown, path = ''): readonly string[] {
  if (isPlainObject(shape) && isPlainObject(value)) {
    return Object.entries(shape).flatMap(([key, member]) => {
      const inner = path === '' ? key : `${path}.${key}`
      return lacks(Object.hasOwn(value, key) ? value[key] : undefined, member, inner)
    })
  }
  return deepEqual(value, shape) ? [] : [`${path || 'it'}: expected ${shown(shape)}, found ${shown(value)}`]
}

/** Characters of a value that are shown. */
const LONGEST = 300

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
