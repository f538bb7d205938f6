/** The schemas of a built-in group and version for people: with descriptions, and with all that they refer to. */
import { isObject, type Json, type JsonObject } from '../json.ts'
import { descriptions } from './data/descriptions.ts'
import { lazily } from './generated-data.ts'
import { schemaData } from './shapes.ts'

/** Of each type: its own description, and those of its fields. */
const words = lazily<{ readonly [name: string]: readonly [string, { readonly [field: string]: string }] }>(descriptions)

/** By name, in order. Empty for a group that has no built-in kinds. */
export function builtInComponents(group: string, version: string): Record<string, JsonObject> {
  const { roots, structure } = schemaData()
  const prefix = `${group}/${version}/`
  const wanted = new Set(Object.keys(roots).flatMap((kind) => (kind.startsWith(prefix) ? (roots[kind] ?? []) : [])))
  if (wanted.size > 0) for (const name of shared) wanted.add(name)
  const found: [string, JsonObject][] = []
  for (const name of wanted) found.push([name, complete(name, structure[name] ?? {}, (other) => wanted.add(other))])
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** What every object has beside its content: apiVersion, kind and metadata, and the schemas that these refer to. Built once. */
export function objectParts(): { readonly properties: JsonObject; readonly components: Record<string, JsonObject> } {
  if (known) return known
  const { structure } = schemaData()
  const wanted = new Set<string>()
  const map = complete('io.k8s.api.core.v1.ConfigMap', structure['io.k8s.api.core.v1.ConfigMap'] ?? {}, () => {})
  const { apiVersion, kind, metadata } = isObject(map.properties) ? map.properties : {}
  wanted.add(`${meta}.ObjectMeta`)
  const components: Record<string, JsonObject> = {}
  for (const name of wanted) components[name] = complete(name, structure[name] ?? {}, (other) => wanted.add(other))
  const { default: _, ...reference } = isObject(metadata) ? metadata : {}
  known = { properties: { apiVersion: apiVersion ?? {}, kind: kind ?? {}, metadata: reference }, components }
  return known
}

let known: ReturnType<typeof objectParts> | undefined

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const shared = [`${meta}.DeleteOptions`, `${meta}.Status`, `${meta}.Patch`]

function complete(name: string, schema: JsonObject, visit: (name: string) => void): JsonObject {
  const [description, fields] = words()[name] ?? ['', {}]
  const { properties, ...rest } = schema
  const described = isObject(properties)
    ? Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, property(value, fields[key], visit)]))
    : undefined
  return {
    ...(description === '' ? {} : { description }),
    ...(restored(rest, visit) as JsonObject),
    ...(described ? { properties: described } : {}),
  }
}

function property(value: Json | undefined, description: string | undefined, visit: (name: string) => void): JsonObject {
  return {
    ...(description ? { description } : {}),
    ...(restored(value as Json, visit, description !== undefined) as JsonObject),
  }
}

/** References in the words of OpenAPI; one with something beside it must stand in an allOf. */
function restored(value: Json, visit: (name: string) => void, beside = false): Json {
  if (Array.isArray(value)) return value.map((item: Json) => restored(item, visit))
  if (!isObject(value)) return value
  const { $ref: name, ...rest } = value
  const others = Object.fromEntries(
    Object.entries(rest).map(([key, part]) => [key, key === 'default' ? part : restored(part as Json, visit)]),
  )
  if (typeof name !== 'string') return others
  visit(name)
  const reference = { $ref: `#/components/schemas/${name}` }
  return beside || Object.keys(others).length > 0 ? { ...others, allOf: [reference] } : reference
}
