/**
 * Drops what the schema does not know.
 * Guarantees: the input is not changed, and is returned itself when nothing had to go; every dropped field is named.
 */
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { StructuralSchema } from './structural.ts'

const typeMeta = new Set(['apiVersion', 'kind', 'metadata'])
const objectMeta = new Set([
  ...['name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds', 'labels', 'annotations', 'ownerReferences', 'finalizers'],
  'managedFields',
])

/** The whole object: its own apiVersion, kind and metadata are known without being declared. */
export function prune(object: JsonObject, schema: StructuralSchema, dropped: string[] = []): JsonObject {
  return pruneObject(object, { ...schema, embedded: true }, '', dropped)
}

function pruneValue(value: Json, schema: StructuralSchema, path: string, dropped: string[]): Json {
  if (Array.isArray(value)) {
    const { items } = schema
    return items ? mapped(value, (item, i) => pruneValue(item, items, `${path}[${i}]`, dropped)) : value
  }
  return isObject(value) ? pruneObject(value, schema, path, dropped) : value
}

function pruneObject(object: JsonObject, schema: StructuralSchema, path: string, dropped: string[]): JsonObject {
  let changed = false
  const kept: Record<string, Json | undefined> = {}
  for (const key of Object.keys(object)) {
    const value = object[key] as Json
    const at = path === '' ? key : `${path}.${key}`
    const next = pruneField(key, value, schema, at, dropped)
    if (next === undefined) dropped.push(at)
    else kept[key] = next
    if (next !== value) changed = true
  }
  return changed ? kept : object
}

/** Undefined when the field is unknown. */
function pruneField(
  key: string,
  value: Json,
  schema: StructuralSchema,
  path: string,
  dropped: string[],
): Json | undefined {
  if (schema.embedded && typeMeta.has(key)) return key === 'metadata' ? pruneMetadata(value, path, dropped) : value
  const known = schema.properties.get(key) ?? schema.additional
  if (known === true) return value
  if (known !== undefined) return pruneValue(value, known, path, dropped)
  return schema.preserveUnknown ? value : undefined
}

function pruneMetadata(value: Json, path: string, dropped: string[]): Json {
  if (!isObject(value)) return value
  const unknown = Object.keys(value).filter((key) => !objectMeta.has(key))
  if (unknown.length === 0) return value
  dropped.push(...unknown.map((key) => `${path}.${key}`))
  return Object.fromEntries(Object.entries(value).filter(([key]) => objectMeta.has(key))) as JsonObject
}

export function mapped(list: readonly Json[], change: (item: Json, index: number) => Json): readonly Json[] {
  const next = list.map(change)
  return next.some((item, i) => item !== list[i]) ? next : list
}
