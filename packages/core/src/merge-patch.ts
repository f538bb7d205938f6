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

/** Writes a patch into another one, so that applying the sum is the same as applying first `into`, then `patch`. */
export function combineMergePatch(into: object, patch: object): void {
  for (const [key, change] of Object.entries(patch)) {
    if (change === undefined) continue
    const present = getOwn(into, key)
    if (isPlainObject(change) && isPlainObject(present)) combineMergePatch(present, change)
    else setOwn(into, key, copyJson(change))
  }
}
