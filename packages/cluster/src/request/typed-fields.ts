/**
 * Fields of built-in kinds whose wrong type would only hurt on a real cluster: what clients in JavaScript get wrong most.
 * Pure. Each function returns the value in its normal form, or the words with which a typed decoder refuses it.
 */
import { isObject, type Json, type JsonObject, printJson } from '../json.ts'
import type { KubeObject } from '../object.ts'

export class Mistyped extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Mistyped'
  }
}

/** A map of strings: a null is the empty string, a number or an object is refused. */
export function textMap(object: KubeObject, field: string): KubeObject {
  const map = object[field]
  if (map === undefined) return object
  if (!isObject(map)) throw new Mistyped(`cannot unmarshal ${typeName(map)} into field ${object.kind}.${field}`)
  const wrong = Object.values(map).find((value) => typeof value !== 'string' && value !== null)
  if (wrong !== undefined) {
    throw new Mistyped(
      `json: cannot unmarshal ${typeName(wrong)} into Go struct field ${object.kind}.${field} of type string`,
    )
  }
  if (!Object.values(map).includes(null)) return object
  const entries = Object.entries(map).map(([key, value]) => [key, value ?? ''])
  return { ...object, [field]: Object.fromEntries(entries) as JsonObject }
}

const typeName = (value: Json | undefined) =>
  Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value

const microTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)$/

/** MicroTime wants exactly six decimals; JavaScript's toISOString writes three. */
export function checkMicroTime(part: Json | undefined, field: string): void {
  const value = isObject(part) ? part[field] : undefined
  if (value === undefined || value === null) return
  if (typeof value !== 'string' || !microTime.test(value)) {
    const shown = printJson(value)
    throw new Mistyped(
      `parsing time ${shown} as "2006-01-02T15:04:05.000000Z07:00": cannot parse ${field}: six decimals are needed`,
    )
  }
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

export function checkBase64Map(object: KubeObject, field: string): void {
  const map = object[field]
  if (!isObject(map)) return
  const wrong = Object.entries(map).find(([, value]) => typeof value !== 'string' || !base64.test(value))
  if (wrong) throw new Mistyped(`illegal base64 data in field ${object.kind}.${field} under key "${wrong[0]}"`)
}
