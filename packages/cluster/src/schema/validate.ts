/**
 * Judges an object by its schema, in Kubernetes' words.
 * Guarantees: every violation is named with its field; a part that is the same as before an update is not judged again
 * (a schema may grow stricter without locking old objects).
 * Rules (x-kubernetes-validations) are judged after it, in rules.ts.
 */
import { duplicate, invalidValue, notSupported, required, tooLong, tooMany, typeInvalid } from '../http/field-error.ts'
import type { Cause } from '../http/status.ts'
import { equalJson, isObject, type Json, type JsonObject, own, printJson } from '../json.ts'
import { hasFormat } from './formats.ts'
import { judgeRules } from './rules.ts'
import type { StructuralSchema } from './structural.ts'

/** Findings after which the rules are not asked: they rely on the types. */
const blocking = new Set([
  'FieldValueRequired',
  'FieldValueNotSupported',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])
const unchecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

/**
 * Schema and rules together. What an unchanged part violates is told as a warning. `more` has been found elsewhere, and is told
 * where the original tells it: behind the schema, before lists that repeat themselves and before the rules.
 */
export function judged(
  object: JsonObject,
  schema: StructuralSchema,
  old: JsonObject | undefined,
  warnings: string[],
  more: readonly Cause[] = [],
): readonly Cause[] {
  const found = validate(object, schema, old)
  const doubled = ({ reason }: Cause) => reason === 'FieldValueDuplicate'
  const causes = [...found.filter((cause) => !doubled(cause)), ...more, ...found.filter(doubled)]
  if (!schema.hasRules) return causes
  if (causes.some((cause) => blocking.has(cause.reason ?? ''))) {
    return [...causes, { reason: 'FieldValueInvalid', message: `Invalid value: null: ${unchecked}`, field: '<nil>' }]
  }
  const run = judgeRules(object, schema, old)
  warnings.push(...run.warnings)
  return [...causes, ...run.causes]
}

/** All that is wrong; empty when valid. `old` is the same object before the update. */
export function validate(object: JsonObject, schema: StructuralSchema, old?: JsonObject): readonly Cause[] {
  const causes: Cause[] = []
  judge(object, schema, '', old, causes)
  return causes
}

/** The same of a part, under no name. */
export function validateValue(value: Json, schema: StructuralSchema): readonly Cause[] {
  const causes: Cause[] = []
  judge(value, schema, '', undefined, causes)
  return causes
}

function judge(value: Json, schema: StructuralSchema, path: string, old: Json | undefined, causes: Cause[]): void {
  if (old !== undefined && equalJson(value, old)) return
  if (value === null && schema.nullable) return
  const mistyped = typeError(value, schema, path)
  if (mistyped && schema.type === 'integer' && schema.format !== undefined && typeof value === 'number') {
    const why = `Checked value must be of type integer with format ${schema.format} in body, was ${value}`
    causes.push(invalidValue('<nil>', '', why))
  }
  if (mistyped) causes.push(mistyped)
  judgeEnum(value, schema, path, causes)
  if (mistyped) return
  if (typeof value === 'string') judgeString(value, schema, path, causes)
  if (typeof value === 'number' || typeof value === 'bigint') judgeNumber(Number(value), schema, path, causes)
  if (Array.isArray(value)) judgeList(value, schema, path, old, causes)
  if (isObject(value)) judgeObject(value, schema, path, old, causes)
  judgeJunctors(value, schema, path, causes)
}

function typeError(value: Json, schema: StructuralSchema, path: string): Cause | undefined {
  const actual = typeName(value)
  if (schema.intOrString) {
    if (actual === 'integer' || actual === 'string') return undefined
    return typeInvalid(path, actual, `${path} in body must be of type integer,string: "${actual}"`)
  }
  const { type, format } = schema
  if (type === 'integer' && actual === 'number' && format !== undefined) {
    return typeInvalid(path, 'float64', `${path} in body must be of type ${format}: "float64"`)
  }
  if (type === undefined || type === actual || (type === 'number' && actual === 'integer')) return undefined
  return typeInvalid(path, actual, `${path} in body must be of type ${type}: "${actual}"`)
}

function typeName(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  if (typeof value === 'bigint') return 'integer'
  return typeof value
}

function judgeEnum(value: Json, schema: StructuralSchema, path: string, causes: Cause[]): void {
  if (schema.enum && !schema.enum.some((allowed) => equalJson(allowed, value))) {
    causes.push(notSupported(path, value, schema.enum))
  }
}

function judgeString(value: string, schema: StructuralSchema, path: string, causes: Cause[]): void {
  const { minLength, maxLength } = schema.limits
  const length = [...value].length
  if (maxLength !== undefined && length > maxLength) causes.push(tooLong(path, maxLength))
  if (minLength !== undefined && length < minLength) {
    causes.push(invalidValue(path, value, `${path} in body should be at least ${minLength} chars long`))
  }
  if (schema.pattern && !schema.pattern.test(value)) {
    causes.push(invalidValue(path, value, `${path} in body should match '${schema.patternText}'`))
  }
  if (schema.format !== undefined && !hasFormat(value, schema.format)) {
    causes.push(typeInvalid(path, value, `${path} in body must be of type ${schema.format}: ${printJson(value)}`))
  }
}

function judgeNumber(value: number, schema: StructuralSchema, path: string, causes: Cause[]): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema.limits
  const wrong = (rule: string) => causes.push(invalidValue(path, value, `${path} in body should be ${rule}`))
  // The original judges the range of a plain number twice.
  const outside = (rule: string) => [wrong(rule), ...(schema.type === 'number' ? [wrong(rule)] : [])]
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    outside(`less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`)
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    outside(`greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`)
  }
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) wrong(`a multiple of ${multipleOf}`)
  if (schema.format === 'int32' && (value > 2147483647 || value < -2147483648)) {
    causes.push(
      invalidValue('<nil>', '', `Checked value must be of type integer with format int32 in body, was ${value}`),
    )
  }
}

function judgeList(
  list: readonly Json[],
  schema: StructuralSchema,
  path: string,
  old: Json | undefined,
  causes: Cause[],
): void {
  const { minItems, maxItems } = schema.limits
  if (maxItems !== undefined && list.length > maxItems) causes.push(tooMany(path, list.length, maxItems))
  if (minItems !== undefined && list.length < minItems) {
    causes.push(invalidValue(path, list.length, `${path} in body should have at least ${minItems} items`))
  }
  judgeUniqueness(list, schema, path, causes)
  if (schema.items === undefined) return
  const before = Array.isArray(old) ? old : []
  for (const [i, item] of list.entries()) {
    const match = schema.listType === 'map' ? before.find((o: Json) => sameKeys(o, item, schema.listKeys)) : undefined
    judge(item, schema.items, `${path}[${i}]`, match, causes)
  }
}

function judgeUniqueness(list: readonly Json[], schema: StructuralSchema, path: string, causes: Cause[]): void {
  if (schema.listType === 'atomic') return
  const seen = new Set<string>()
  for (const [i, item] of list.entries()) {
    const key = schema.listType === 'map' ? keysOf(item, schema) : item
    const text = printJson(key)
    if (schema.listType === 'map' && !isObject(item)) {
      causes.push(invalidValue(`${path}[${i}]`, item, 'must be an object for an array of list-type map'))
    }
    if (seen.has(text)) causes.push(duplicate(`${path}[${i}]`, key))
    seen.add(text)
  }
}

function keysOf(item: Json, schema: StructuralSchema): Json {
  if (!isObject(item)) return item
  const given = schema.listKeys.map((key) => [key, own(item, key) ?? schema.items?.properties.get(key)?.default])
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as JsonObject
}

const sameKeys = (a: Json, b: Json, keys: readonly string[]) =>
  isObject(a) && isObject(b) && keys.every((key) => equalJson(own(a, key), own(b, key)))

function judgeObject(
  object: JsonObject,
  schema: StructuralSchema,
  path: string,
  old: Json | undefined,
  causes: Cause[],
): void {
  const at = (key: string) => (path === '' ? key : `${path}.${key}`)
  const needed = schema.embedded ? [...schema.required, 'apiVersion', 'kind'] : schema.required
  for (const key of needed) if (own(object, key) === undefined) causes.push(required(at(key)))
  judgePropertyCount(object, schema, path, causes)
  const before: JsonObject = isObject(old) ? old : {}
  for (const key of Object.keys(object)) {
    const known = schema.properties.get(key) ?? schema.additional
    if (known !== undefined && known !== true) judge(object[key] as Json, known, at(key), own(before, key), causes)
  }
}

function judgePropertyCount(object: JsonObject, schema: StructuralSchema, path: string, causes: Cause[]): void {
  const { minProperties, maxProperties } = schema.limits
  const count = Object.keys(object).length
  if (maxProperties !== undefined && count > maxProperties) causes.push(tooMany(path, count, maxProperties))
  if (minProperties !== undefined && count < minProperties) {
    causes.push(invalidValue(path, count, `${path} in body should have at least ${minProperties} properties`))
  }
}

function judgeJunctors(value: Json, schema: StructuralSchema, path: string, causes: Cause[]): void {
  const faults = (branch: StructuralSchema) => {
    const found: Cause[] = []
    judge(value, branch, path, undefined, found)
    return found
  }
  const holds = (branch: StructuralSchema) => faults(branch).length === 0
  const fails = (rule: string) => causes.push(invalidValue('<nil>', '', `"${path}" must ${rule}`))
  for (const branch of schema.allOf) judge(value, branch, path, undefined, causes)
  if (schema.anyOf.length > 0 && !schema.anyOf.some(holds)) fails('validate at least one schema (anyOf)')
  if (schema.oneOf.length > 0) {
    const count = schema.oneOf.filter(holds).length
    if (count !== 1) {
      fails(
        `validate one and only one schema (oneOf). ${count === 0 ? 'Found none valid' : `Found ${count} valid alternatives`}`,
      )
      // Where none holds, what the first one lacks is told.
      if (count === 0 && schema.oneOf[0]) causes.push(...faults(schema.oneOf[0]))
    }
  }
  if (schema.not && holds(schema.not)) fails('not validate the schema (not)')
}
