/** Whether the selectable fields of a definition are fields that can be selected by. Pure. */
import { duplicate, invalidValue, tooMany } from '../http/field-error.ts'
import type { Cause } from '../http/status.ts'
import { equalJson, isObject, type Json, type JsonObject } from '../json.ts'

const part = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])
const limit = 8

/** One list for all versions is reported as one, under the name that it had when there was only one. */
export function selectableCauses(versions: readonly JsonObject[]): Cause[] {
  const same = versions.every((version) => equalJson(version.selectableFields, versions[0]?.selectableFields))
  const shown = same ? versions.slice(0, 1) : versions
  return shown.flatMap((version, i) => versionCauses(version, same ? 'spec' : `spec.versions[${i}]`))
}

function versionCauses(version: JsonObject, at: string): Cause[] {
  const fields = list(version.selectableFields)
  const schema = part(part(version.schema).openAPIV3Schema)
  const causes = fields.length > limit ? [tooMany(`${at}.selectableFields`, fields.length, limit)] : []
  const seen = new Set<Json>()
  for (const [i, raw] of fields.entries()) {
    const path = part(raw).jsonPath ?? ''
    const here = `${at}.selectableFields[${i}].jsonPath`
    const wrong = pathError(path, schema)
    if (wrong !== undefined) causes.push(invalidValue(here, path, wrong))
    else if (seen.has(path)) causes.push(duplicate(here, path))
    seen.add(path)
  }
  return causes
}

const nowhere = 'is an invalid path: does not refer to a valid field'

function pathError(path: Json, schema: JsonObject): string | undefined {
  if (typeof path !== 'string' || path === '') return nowhere
  const first = /^[^.[]+/.exec(path)?.[0]
  if (first !== undefined) return `is an invalid path: expected [ or . but got: ${first}`
  let at = schema
  for (const name of path.slice(1).split('.')) {
    const next = part(at.properties)[name]
    if (name === 'metadata' || !isObject(next)) return nowhere
    at = next
  }
  if (['string', 'boolean', 'integer'].includes(String(at.type))) return undefined
  return 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'
}
