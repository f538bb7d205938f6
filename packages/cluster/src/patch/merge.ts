/** JSON merge patch (RFC 7386). Guarantees: neither input is changed; a null removes. */
import { isObject, type Json, type JsonObject } from '../json.ts'

export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  const merged: Record<string, Json | undefined> = isObject(target) ? { ...target } : {}
  for (const key of Object.keys(patch)) {
    const value = patch[key] as Json
    if (value === null) delete merged[key]
    else merged[key] = mergePatch(Object.hasOwn(merged, key) ? merged[key] : undefined, value)
  }
  return merged as JsonObject
}
