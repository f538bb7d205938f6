/**
 * Objects of the cluster as values of expressions: a schema becomes a type, JSON becomes values of that type.
 * Guarantees: only declared fields can be seen; nothing is copied before it is looked at; names that are no identifiers are
 * reached by their escaped form (a-b as a__dash__b).
 */
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { StructuralSchema } from '../schema/structural.ts'
import { EvaluationError } from './ast.ts'
import { parseDuration, parseTimestamp } from './library/time-text.ts'
import { maxElements } from './size.ts'
import { mapOf, type Type, text } from './type.ts'
import { LiteralMap, markUnordered, StructValue, type Value } from './value.ts'

const keywords = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)
const replacements: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
}

/** How a rule writes the name of a field; undefined when it cannot. */
export function escapedName(name: string): string | undefined {
  if (keywords.has(name)) return `__${name}__`
  const escaped = name.replace(/__|[./-]/g, (found) => replacements[found] ?? found)
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(escaped) ? escaped : undefined
}

const identity: readonly (readonly [string, Type])[] = [
  ['apiVersion', text],
  ['kind', text],
  [
    'metadata',
    {
      kind: 'object',
      name: 'metadata',
      fields: new Map<string, Type>([
        ['name', { ...text, max: 253 * 4 } as Type],
        ['generateName', { ...text, max: 253 * 4 } as Type],
      ]),
    },
  ],
]

/** Undefined where the schema says too little to look inside. `root`: a whole object, whose identity is always there. */
export function typeOfSchema(schema: StructuralSchema, root: boolean, name = 'object'): Type | undefined {
  if (schema.intOrString) return { kind: 'dyn', max: maxElements(schema) }
  switch (schema.type) {
    case 'array': {
      const item = schema.items && typeOfSchema(schema.items, schema.items.embedded, `${name}.@idx`)
      return item && { kind: 'list', item, max: maxElements(schema) }
    }
    case 'object':
      return objectType(schema, root, name)
    case 'string':
      return { kind: scalarOfFormat(schema.format), max: maxElements(schema) }
    case 'integer':
      return { kind: 'int' }
    case 'number':
      return { kind: 'double' }
    case 'boolean':
      return { kind: 'bool' }
    default:
      return undefined
  }
}

function objectType(schema: StructuralSchema, root: boolean, name: string): Type | undefined {
  if (schema.additional !== undefined && schema.additional !== true) {
    const value = typeOfSchema(schema.additional, schema.additional.embedded, `${name}.@elem`)
    return value && { ...mapOf(text, value), max: maxElements(schema) }
  }
  const fields = new Map<string, Type>(root ? identity : [])
  for (const [field, part] of schema.properties) {
    const type = root && field === 'metadata' ? undefined : typeOfSchema(part, part.embedded, `${name}.${field}`)
    const escaped = escapedName(field)
    if (type === undefined || escaped === undefined) continue
    fields.set(escaped, type)
    if (keywords.has(field)) fields.set(field, type)
  }
  return { kind: 'object', name, fields }
}

function scalarOfFormat(format: string | undefined): 'bytes' | 'duration' | 'timestamp' | 'string' {
  if (format === 'byte') return 'bytes'
  if (format === 'duration') return 'duration'
  return format === 'date' || format === 'date-time' ? 'timestamp' : 'string'
}

/** An object with declared fields, or a map with values of one type. */
class BoundObject extends StructValue {
  readonly #json: JsonObject
  readonly #schema: StructuralSchema
  readonly #root: boolean

  constructor(json: JsonObject, schema: StructuralSchema, root: boolean) {
    super()
    this.#json = json
    this.#schema = schema
    this.#root = root
  }

  get size(): number {
    return this.#names().length
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined
    const { additional } = this.#schema
    if (additional !== undefined && additional !== true) return this.#field(key, additional)
    if (this.#root && (key === 'apiVersion' || key === 'kind')) return this.#json[key] as string | undefined
    if (this.#root && key === 'metadata') return namesOf(this.#json.metadata)
    for (const [name, part] of this.#schema.properties) {
      if (name === key || escapedName(name) === key) return this.#field(name, part)
    }
    return undefined
  }

  #field(name: string, schema: StructuralSchema): Value | undefined {
    const value = Object.hasOwn(this.#json, name) ? this.#json[name] : undefined
    return value === undefined ? undefined : bind(value, schema, schema.embedded)
  }

  #names(): readonly string[] {
    const { additional, properties } = this.#schema
    const open = additional !== undefined && additional !== true
    return Object.keys(this.#json).filter((name) => open || properties.has(name) || this.#root)
  }

  *keys(): Iterable<Value> {
    yield* this.#names()
  }
}

function namesOf(metadata: Json | undefined): Value {
  const { name, generateName } = isObject(metadata) ? metadata : {}
  const entries = Object.entries({ name, generateName }).filter(([, value]) => typeof value === 'string')
  return LiteralMap.of(entries as [string, string][])
}

export function bind(json: Json, schema: StructuralSchema, root = false): Value {
  if (json === null) return null
  if (schema.intOrString) return typeof json === 'number' || typeof json === 'bigint' ? BigInt(json) : plain(json)
  if (Array.isArray(json)) return boundList(json, schema)
  if (isObject(json)) return new BoundObject(json, schema, root)
  switch (schema.type) {
    case 'integer':
      return typeof json === 'number' && Number.isInteger(json) ? BigInt(json) : plain(json)
    case 'number':
      return typeof json === 'bigint' ? Number(json) : plain(json)
    case 'string':
      return boundText(String(json), schema.format)
    default:
      return plain(json)
  }
}

function boundText(words: string, format: string | undefined): Value {
  const wrong = () => new EvaluationError(`invalid data, could not parse ${JSON.stringify(words)} as ${format}`)
  switch (scalarOfFormat(format)) {
    case 'bytes':
      return new Uint8Array(Buffer.from(words, 'base64'))
    case 'duration':
      return parseDuration(words) ?? raise(wrong())
    case 'timestamp':
      return parseTimestamp(format === 'date' ? `${words}T00:00:00Z` : words) ?? raise(wrong())
    default:
      return words
  }
}

function raise(error: Error): never {
  throw error
}

function boundList(json: readonly Json[], schema: StructuralSchema): readonly Value[] {
  const { items } = schema
  const list = json.map((item) => (items ? bind(item, items, items.embedded) : plain(item)))
  if (schema.listType === 'set') markUnordered(list, (item) => item)
  if (schema.listType === 'map') markUnordered(list, (item) => keysOf(item, schema.listKeys))
  return list
}

const keysOf = (item: Value, keys: readonly string[]): Value =>
  item instanceof StructValue ? keys.map((key) => item.get(escapedName(key) ?? key) ?? null) : item

/** JSON that nobody has described: whole numbers are ints. */
export function plain(json: Json): Value {
  if (typeof json === 'number') return Number.isInteger(json) ? BigInt(json) : json
  if (Array.isArray(json)) return json.map((item: Json) => plain(item))
  return isObject(json) ? new PlainObject(json) : (json as Value)
}

class PlainObject extends StructValue {
  readonly #json: JsonObject

  constructor(json: JsonObject) {
    super()
    this.#json = json
  }

  get size(): number {
    return Object.keys(this.#json).length
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#json, key)) return undefined
    const value = this.#json[key]
    return value === undefined ? undefined : plain(value)
  }

  *keys(): Iterable<Value> {
    yield* Object.keys(this.#json)
  }
}
