/**
 * Built-in objects as a typed server reads and prints them: known fields only, nulls and empty values left out or filled in by
 * the rules of each field, times in UTC.
 * Guarantees: reading twice gives the same as reading once; every unknown field is named.
 * Throws Mistyped for a value of the wrong type.
 */
import { isObject, type Json, type JsonObject, printJson } from '../json.ts'
import { type Field, type Message, messageNamed } from '../kinds/messages.ts'

export class Mistyped extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Mistyped'
  }
}

/** Reads an object by the message of its type. `skip`: fields at the top that are read elsewhere. */
export function typedObject(
  object: JsonObject,
  message: Message,
  unknown: string[],
  path = '',
  skip = none,
): JsonObject {
  const result: Record<string, Json | undefined> = {}
  for (const key of Object.keys(object)) {
    const value = object[key] as Json
    const field = message.byName.get(key)
    if (skip.has(key)) result[key] = value
    else if (field === undefined) unknown.push(path === '' ? key : `${path}.${key}`)
    else if (value !== null)
      setField(result, field, typedField(value, field, unknown, path === '' ? key : `${path}.${key}`), path === '')
  }
  for (const field of message.byName.values()) {
    if (!Object.hasOwn(result, field.json) && !skip.has(field.json)) fillZero(result, field)
  }
  return result
}

const none: ReadonlySet<string> = new Set()

function setField(result: Record<string, Json | undefined>, field: Field, value: Json, atTop: boolean): void {
  if (isOmitted(value, field)) return
  // An empty list that is always printed comes back from the original's storage as null. At the top it is kept until it is stored,
  // because whoever sent it owns it.
  result[field.json] = Array.isArray(value) && value.length === 0 && !atTop ? null : value
}

/** As the original's storage gives an object back. */
export function storedForm<T extends JsonObject>(object: T): T {
  const empty = Object.keys(object).filter((key) => Array.isArray(object[key]) && (object[key] as []).length === 0)
  return empty.length === 0 ? object : { ...object, ...Object.fromEntries(empty.map((key) => [key, null])) }
}

/** As encoding/json has it: an empty struct is printed unless it says otherwise, and what a pointer holds always is. */
function isOmitted(value: Json, field: Field): boolean {
  if (Array.isArray(value)) return field.omitEmpty && value.length === 0
  if (isObject(value)) {
    if (Object.keys(value).length > 0) return false
    return field.map ? field.omitEmpty : field.type === '>' && field.omitZero && !field.pointer
  }
  if (field.pointer || structs.has(field.type)) return false
  return (field.omitEmpty || field.omitZero) && (value === '' || value === 0 || value === false)
}

/** Types that are structs in the original, and are therefore printed even when they are empty. */
const structs = new Set(['>', 'T', 'U', 'Q', 'I', 'D', 'R'])

/** A field that is always printed has its zero value. */
function fillZero(result: Record<string, Json | undefined>, field: Field): void {
  if (field.pointer || field.omitZero) return
  const plural = field.list || field.map
  if (field.omitEmpty && (plural || !structs.has(field.type))) return
  if (plural) result[field.json] = null
  else if (field.type === '>') result[field.json] = typedObject({}, messageNamed(field.message), [])
  else result[field.json] = zeros[field.type] ?? null
}

const zeros: { readonly [type: string]: Json } = { s: '', i: 0, b: false, d: 0, f: 0, Q: '0', I: 0, D: '0s' }

function typedField(value: Json, field: Field, unknown: string[], path: string): Json {
  if (field.list) {
    if (!Array.isArray(value)) throw wrong(value, path, `[]${goType(field)}`)
    return value.map((item: Json, i: number) => typedItem(item, field, unknown, `${path}[${i}]`))
  }
  if (!field.map) return typedValue(value, field, unknown, path)
  if (!isObject(value)) throw wrong(value, path, `map[string]${goType(field)}`)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, typedItem(item as Json, field, unknown, `${path}.${key}`)]),
  )
}

/** A null among items is the zero value of its type. */
function typedItem(value: Json, field: Field, unknown: string[], path: string): Json {
  if (value !== null) return typedValue(value, field, unknown, path)
  return field.type === '>' ? typedObject({}, messageNamed(field.message), []) : (zeros[field.type] ?? null)
}

function typedValue(value: Json, field: Field, unknown: string[], path: string): Json {
  switch (field.type) {
    case '>':
      if (!isObject(value)) throw wrong(value, path, goType(field))
      return typedObject(value, messageNamed(field.message), unknown, path)
    case 's':
      if (typeof value !== 'string') throw wrong(value, path, 'string')
      return value
    case 'b':
      if (typeof value !== 'boolean') throw wrong(value, path, 'bool')
      return value
    case 'i':
      if (typeof value !== 'bigint' && !Number.isInteger(value)) throw wrong(value, path, 'int64')
      return value
    case 'd':
    case 'f':
      if (typeof value !== 'number') throw wrong(value, path, 'float64')
      return value
    case 'y':
      if (typeof value !== 'string') throw wrong(value, path, '[]uint8')
      if (!base64.test(value)) throw new Mistyped(`illegal base64 data at input byte ${illegalByte(value)}`)
      return value
    default:
      return specialValue(value, field.type, path)
  }
}

/** Where Go's decoder gives up: at the first strange character, or at the last four if they are not four. */
function illegalByte(text: string): number {
  const strange = text.search(/[^A-Za-z0-9+/]/)
  return strange >= 0 && !/^=+$/.test(text.slice(strange)) ? strange : text.length - (text.length % 4)
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function specialValue(value: Json, type: string, path: string): Json {
  switch (type) {
    case 'T':
      return time(value, path)
    case 'U':
      return microTime(value)
    case 'Q':
      if (typeof value !== 'string' && typeof value !== 'number') throw wrong(value, path, 'resource.Quantity')
      if (!quantity.test(String(value))) {
        throw new Mistyped(
          "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        )
      }
      return String(value)
    case 'I':
      if (typeof value !== 'string' && typeof value !== 'number') throw wrong(value, path, 'intstr.IntOrString')
      return value
    case 'L':
      if (!Array.isArray(value)) throw wrong(value, path, '[]string')
      return value
    default:
      return value
  }
}

const quantity = /^[+-]?(\d+\.?\d*|\.\d+)([numkKMGTPE]i?|[eE][+-]?\d+)?$/
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const micro = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)$/

function time(value: Json, path: string): Json {
  if (typeof value !== 'string' || !rfc3339.test(value) || Number.isNaN(Date.parse(value))) {
    throw new Mistyped(`parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00": cannot parse ${path}`)
  }
  return new Date(value).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** What Go's parser stumbles over: fewer or more decimals than six, or whatever is no time at all. */
function unreadable(value: Json): string {
  const [, rest] = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(.*)$/.exec(String(value)) ?? []
  return rest === undefined ? `${printJson(value)} as "2006"` : `${printJson(rest)} as ".000000"`
}

/** Exactly six decimals are needed; JavaScript's toISOString writes three. */
function microTime(value: Json): Json {
  if (typeof value !== 'string' || !micro.test(value)) {
    throw new Mistyped(
      `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05.000000Z07:00": cannot parse ${unreadable(value)}`,
    )
  }
  if (value.endsWith('Z')) return value
  const decimals = /\.(\d{6})/.exec(value)?.[1] ?? '000000'
  return new Date(value).toISOString().replace(/\.\d+Z$/, `.${decimals}Z`)
}

const goTypes: { readonly [type: string]: string } = { s: 'string', i: 'int64', b: 'bool', d: 'float64', y: '[]uint8' }
const goType = ({ type, message }: Field) =>
  goTypes[type] ?? (type === '>' ? message.slice(message.lastIndexOf('/') + 1) : type)

function wrong(value: Json, path: string, type: string): Mistyped {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return new Mistyped(`json: cannot unmarshal ${found} into Go struct field ${path} of type ${type}`)
}
