/**
 * A CRD's schema in the form in which it is walked: properties in Maps, patterns compiled, flags by plain names.
 * Assumes: the raw schema has passed check.ts.
 */
import { isObject, type Json, type JsonObject } from '../json.ts'

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
  readonly pattern: RegExp | undefined
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
  }
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

/** Go's RE2 syntax, as far as JavaScript reads it too; a pattern that it cannot read checks nothing. */
function compiled(pattern: Json | undefined): RegExp | undefined {
  if (typeof pattern !== 'string') return undefined
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return undefined
  }
}

/** The schema that knows nothing and forbids nothing. */
export const anything: StructuralSchema = parseSchema({ 'x-kubernetes-preserve-unknown-fields': true })
