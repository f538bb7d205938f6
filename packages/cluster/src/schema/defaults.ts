/**
 * Fills in the schema's defaults.
 * Guarantees: the input is not changed, and is returned itself when nothing was missing. A null where null is not allowed counts
 * as absent: it becomes the default, or goes.
 */
import { isObject, type Json, type JsonObject } from '../json.ts'
import { mapped } from './prune.ts'
import type { StructuralSchema } from './structural.ts'

export function fillDefaults(value: Json, schema: StructuralSchema): Json {
  if (Array.isArray(value)) {
    const { items } = schema
    return items ? mapped(value, (item) => fillDefaults(item, items)) : value
  }
  return isObject(value) ? fillObject(value, schema) : value
}

function fillObject(object: JsonObject, schema: StructuralSchema): JsonObject {
  let copy: Record<string, Json | undefined> | undefined
  const set = (key: string, value: Json | undefined) => {
    copy ??= { ...object }
    if (value === undefined) delete copy[key]
    else copy[key] = value
  }
  for (const [key, property] of schema.properties) {
    const value = Object.hasOwn(object, key) ? object[key] : undefined
    const next = fillField(value, property)
    if (next !== value) set(key, next)
  }
  if (schema.additional !== undefined && schema.additional !== true) {
    for (const key of Object.keys(object)) {
      if (schema.properties.has(key)) continue
      const next = fillField(object[key], schema.additional)
      if (next !== object[key]) set(key, next)
    }
  }
  return copy ?? object
}

function fillField(value: Json | undefined, schema: StructuralSchema): Json | undefined {
  const absent = value === undefined || (value === null && !schema.nullable)
  const present = absent ? schema.default : value
  return present === undefined || present === null ? present : fillDefaults(present, schema)
}
