/**
 * JSON in and out. Nothing else in the package prints it, or parses what comes from outside.
 * Guarantees: no parsed object carries a key "__proto__", and none nests deeper than 500 levels; integers are kept exactly, those
 * beyond 2^53 as bigint.
 */
import { parseExactly } from './json-text.ts'

export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

const maxDepth = 500

/** Throws a SyntaxError whose message is fit for the client. */
export function parseJson(text: string): Json {
  const value: Json = JSON.parse(text)
  if (text.includes('__proto__') || nestsDeeply(text)) guarded(value, 0)
  else if (!longNumber.test(text)) return value
  return longNumber.test(text) ? parseExactly(text) : guarded(value, 0)
}

/** Sixteen digits in a row may be more than 2^53; most often they are a part of some text. */
const longNumber = /\d{16}/

/** On one line, or indented for people. */
export function printJson(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, null, indent)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return printExactly(value, indent)
  }
}

/** The few documents with integers beyond 2^53: those are printed as marked strings, and the marks taken off. */
function printExactly(value: unknown, indent: number): string {
  const marked = JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `\u0000${v}\u0000` : v), indent)
  return marked.replace(/"\\u0000(-?\d+)\\u0000"/g, '$1')
}

const decoder = new TextDecoder('utf-8', { fatal: true })

export function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new SyntaxError('the body is not valid UTF-8')
  }
}

export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text)
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object's own value: 'constructor' and its like, asked for by somebody's data, are absent. */
export function own<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** A cheap bound from above: no document nests deeper than it has opening brackets. */
function nestsDeeply(text: string): boolean {
  let open = 0
  for (let i = 0; i < text.length && open <= maxDepth; i++) {
    const c = text.charCodeAt(i)
    if (c === 0x5b || c === 0x7b) open++
  }
  return open > maxDepth
}

/** A copy whose objects drop "__proto__": Kubernetes has no field of that name, and a copy by assignment would change a prototype. */
function guarded(value: Json, depth: number): Json {
  if (depth > maxDepth) throw new SyntaxError(`the document nests deeper than ${maxDepth} levels`)
  if (Array.isArray(value)) return value.map((item: Json) => guarded(item, depth + 1))
  if (!isObject(value)) return value
  const copy: Record<string, Json | undefined> = {}
  for (const key of Object.keys(value)) {
    if (key !== '__proto__') copy[key] = guarded(value[key] as Json, depth + 1)
  }
  return copy
}

/** Equal content, whatever the order of keys. An absent key and an undefined one are the same. */
export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((item: Json, i: number) => equalJson(item, b[i] as Json))
    )
  }
  if (!isObject(a) || !isObject(b)) return false
  for (const key in a) if (!equalJson(a[key], b[key])) return false
  for (const key in b) if (a[key] === undefined && b[key] !== undefined) return false
  return true
}
