/**
 * JSON merge patch (RFC 7386), with the habit of the library that the API server uses: what replaces or adds a value loses its nulls,
 * those of objects inside of lists too.
 * Guarantees: neither input is changed; a null removes.
 */
import { isObject, type Json, type JsonObject } from '../json.ts'

export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return isObject(target) ? patch : pruned(patch)
  const merged: Record<string, Json | undefined> = isObject(target) ? { ...target } : {}
  for (const key of Object.keys(patch)) {
    const value = patch[key] as Json
    if (value === null) delete merged[key]
    else merged[key] = mergePatch(Object.hasOwn(merged, key) ? merged[key] : undefined, value)
  }
  return merged as JsonObject
}

function pruned(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => pruned(item))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([, item]) => item !== null && item !== undefined)
  return Object.fromEntries(kept.map(([key, item]) => [key, pruned(item as Json)]))
}
