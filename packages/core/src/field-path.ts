import { getOwn, isPlainObject } from './hostile.ts'

/** The keys that lead to a field, from the root of the object. */
export type FieldKeys = readonly string[]

/** `'spec.size'` is `['spec', 'size']`; a list of keys is taken as it is, and is the way to reach keys with dots in them. */
export function fieldKeys(field: string | FieldKeys): FieldKeys {
  return typeof field === 'string' ? field.split('.') : field
}

/** The value in the field; undefined when it is absent, also when the path leads through something that is not a mapping. */
export function valueAt(root: unknown, keys: FieldKeys): unknown {
  let value = root
  for (const key of keys) {
    if (!isPlainObject(value)) return undefined
    value = getOwn(value, key)
  }
  return value
}

/** A JSON Pointer (RFC 6901). */
export function jsonPointer(keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
