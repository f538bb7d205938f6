import { copyJson, getOwn, isPlainObject, setOwn } from './hostile.ts'

/** JSON merge patches (RFC 7386): members replace members, null removes them, everything but a mapping replaces whole. */

/** The document after the patch. Shares what did not change with the original, and never changes it. */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isPlainObject(patch)) return patch
  const result = isPlainObject(document) ? { ...document } : {}
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) Reflect.deleteProperty(result, key)
    else if (change !== undefined) setOwn(result, key, applyMergePatch(getOwn(result, key), change))
  }
  return result
}

/**
 * Writes a patch into another one, so that applying the sum is the same as applying first `into`, then `patch`.
 * Does not guarantee it in one case, which no merge patch can express: where `into` removes a field or makes it something other than a
 * mapping, and `patch` then makes it a mapping. The sum leaves those members of the old mapping in place that the patch does not name.
 */
export function combineMergePatch(into: object, patch: object): void {
  for (const [key, change] of Object.entries(patch)) {
    if (change === undefined) continue
    const present = getOwn(into, key)
    if (!isPlainObject(change)) setOwn(into, key, copyJson(change))
    else if (isPlainObject(present)) combineMergePatch(present, change)
    else {
      const copy = {}
      combineMergePatch(copy, change)
      setOwn(into, key, copy)
    }
  }
}
