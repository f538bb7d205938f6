import { deepEqual } from './equal.ts'
import { jsonPointer } from './field-path.ts'
import { getOwn, isPlainObject } from './hostile.ts'

/** RFC 6902. */
export type JsonPatch = readonly JsonPatchOperation[]
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string }

/** The operations that turn one document into another. Lists are replaced whole, so that no index can be stale. */
export function createJsonPatch(before: unknown, after: unknown): JsonPatch {
  const operations: JsonPatchOperation[] = []
  if (!deepEqual(before, after)) collect(operations, [], before, after)
  return operations
}

/** Of two values that differ. */
function collect(operations: JsonPatchOperation[], keys: readonly string[], before: unknown, after: unknown): void {
  if (!isPlainObject(before) || !isPlainObject(after)) {
    operations.push({ op: 'replace', path: jsonPointer(keys), value: after })
    return
  }
  for (const key of differing(before, after)) {
    const path = [...keys, key]
    if (!Object.hasOwn(after, key)) operations.push({ op: 'remove', path: jsonPointer(path) })
    else if (!Object.hasOwn(before, key)) operations.push({ op: 'add', path: jsonPointer(path), value: after[key] })
    else collect(operations, path, getOwn(before, key), getOwn(after, key))
  }
}

/** The members that are not equal, in the order of their names. Most of what is compared is equal, and takes nothing but the comparison. */
function differing(before: object, after: object): readonly string[] {
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  const others = Object.keys(after).filter(
    (key) => !Object.hasOwn(before, key) || !deepEqual(getOwn(before, key), getOwn(after, key)),
  )
  return [...gone, ...others].sort()
}
