/**
 * A CRD's schema in the form in which it is walked: properties in Maps, patterns compiled, flags by plain names.
 * Assumes: the raw schema has passed check.ts.
 */
import { isObject, type Json, type JsonObject } from '../json.ts'
import { type Pattern, pattern } from './pattern.ts'

export interface StructuralSchema {
  readonly type: string | undefined
  readonly nullable: boolean
  readonly properties: ReadonlyMap<string, StructuralSchema>
  /** A schema for every other key; true: anything; undefined: nothing else is known. */
  readonly additional: StructuralSchema | true | undefined
  readonly items: StructuralSchema | undefined
  readonly required: readonly string[]
  readonly enum: readonly Json[] | undefined
  readonly default: Json | undefined
  readonly format: string | undefined
  readonly pattern: Pattern | undefined
  readonly patternText: string
  readonly limits: Limits
  readonly allOf: readonly StructuralSchema[]
  readonly anyOf: readonly StructuralSchema[]
  readonly oneOf: readonly StructuralSchema[]
  readonly not: StructuralSchema | undefined
  readonly preserveUnknown: boolean
  readonly embedded: boolean
  readonly intOrString: boolean
  readonly listType: 'atomic' | 'set' | 'map'
  readonly listKeys: readonly string[]
  /** An object that is owned and replaced as a whole. */
  readonly atomicMap: boolean
  readonly rules: readonly RawRule[]
  /** This schema or a part of it has rules. */
  readonly hasRules: boolean
}

/** A rule as it is written; absent words are empty. */
export interface RawRule {
  readonly rule: string
  readonly message: string
  readonly messageExpression: string
  readonly reason: string | undefined
  readonly fieldPath: string
  readonly optionalOldSelf: boolean
}

export interface Limits {
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: boolean
  readonly exclusiveMaximum?: boolean
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
}

const limitNames = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const

export function parseSchema(raw: JsonObject): StructuralSchema {
  const parsed = parseNode(raw)
  return { ...parsed, hasRules: parsed.rules.length > 0 || partsOf(parsed).some((part) => part.hasRules) }
}

function partsOf({ properties, items, additional }: StructuralSchema): readonly StructuralSchema[] {
  const open = additional === undefined || additional === true ? [] : [additional]
  return [...properties.values(), ...open, ...(items ? [items] : [])]
}

function parseNode(raw: JsonObject): StructuralSchema {
  return {
    type: text(raw.type),
    nullable: raw.nullable === true,
    properties: new Map(
      Object.entries(object(raw.properties)).map(([name, value]) => [name, child(value) ?? anything]),
    ),
    additional: raw.additionalProperties === true ? true : child(raw.additionalProperties),
    items: child(raw.items),
    required: strings(raw.required),
    enum: Array.isArray(raw.enum) ? raw.enum : undefined,
    default: raw.default,
    format: text(raw.format),
    pattern: compiled(raw.pattern),
    patternText: text(raw.pattern) ?? '',
    limits: limitsOf(raw),
    allOf: children(raw.allOf),
    anyOf: children(raw.anyOf),
    oneOf: children(raw.oneOf),
    not: child(raw.not),
    preserveUnknown: raw['x-kubernetes-preserve-unknown-fields'] === true,
    embedded: raw['x-kubernetes-embedded-resource'] === true,
    intOrString: raw['x-kubernetes-int-or-string'] === true,
    listType: (text(raw['x-kubernetes-list-type']) as 'set' | 'map' | undefined) ?? 'atomic',
    listKeys: strings(raw['x-kubernetes-list-map-keys']),
    atomicMap: raw['x-kubernetes-map-type'] === 'atomic',
    rules: rulesOf(raw['x-kubernetes-validations']),
    hasRules: false,
  }
}

export function rulesOf(raw: Json | undefined): readonly RawRule[] {
  if (!Array.isArray(raw)) return []
  return raw.map((value: Json) => {
    const rule = object(value)
    return {
      rule: text(rule.rule) ?? '',
      message: text(rule.message) ?? '',
      messageExpression: text(rule.messageExpression) ?? '',
      reason: text(rule.reason),
      fieldPath: text(rule.fieldPath) ?? '',
      optionalOldSelf: rule.optionalOldSelf === true,
    }
  })
}

const text = (value: Json | undefined) => (typeof value === 'string' ? value : undefined)
const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const child = (value: Json | undefined) => (isObject(value) ? parseSchema(value) : undefined)
const children = (value: Json | undefined) => (Array.isArray(value) ? value.flatMap((v: Json) => child(v) ?? []) : [])
const strings = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((v: Json): v is string => typeof v === 'string') : []

function limitsOf(raw: JsonObject): Limits {
  return Object.fromEntries(limitNames.filter((name) => raw[name] !== undefined).map((name) => [name, raw[name]]))
}

/** A pattern that is none checks nothing: the definition has been refused for it, or is of another time. */
function compiled(expression: Json | undefined): Pattern | undefined {
  if (typeof expression !== 'string') return undefined
  try {
    return pattern(expression)
  } catch {
    return undefined
  }
}

/** The schema that knows nothing and forbids nothing. */
export const anything: StructuralSchema = parseSchema({ 'x-kubernetes-preserve-unknown-fields': true })
