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
  collect(operations, [], before, after)
  return operations
}

function collect(operations: JsonPatchOperation[], keys: readonly string[], before: unknown, after: unknown): void {
  if (deepEqual(before, after)) return
  if (!isPlainObject(before) || !isPlainObject(after)) {
    operations.push({ op: 'replace', path: jsonPointer(keys), value: after })
    return
  }
  for (const key of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
    const path = [...keys, key]
    if (!Object.hasOwn(after, key)) operations.push({ op: 'remove', path: jsonPointer(path) })
    else if (!Object.hasOwn(before, key)) operations.push({ op: 'add', path: jsonPointer(path), value: after[key] })
    else collect(operations, path, getOwn(before, key), getOwn(after, key))
  }
}
