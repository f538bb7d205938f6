/**
 * OpenAPI v2: one document of everything, for tools that still ask for it.
 * Guarantees: the same paths and schemas as the documents of v3, under the names of v2.
 * Does not guarantee: the words of operations.
 */
import { isObject, type Json, type JsonObject, parseJson, textOf } from '../json.ts'
import type { Document } from './openapi.ts'

export function openApiV2(documents: Iterable<Document>, version: string): JsonObject {
  const paths: Record<string, Json | undefined> = {}
  const definitions: Record<string, Json | undefined> = {}
  for (const document of documents) {
    const { paths: found, components } = parseJson(textOf(document.bytes())) as JsonObject
    for (const [path, item] of Object.entries(isObject(found) ? found : {})) paths[path] = pathItem(item ?? null)
    const schemas = isObject(components) ? components.schemas : undefined
    for (const [name, schema] of Object.entries(isObject(schemas) ? schemas : {}))
      definitions[name] = moved(schema ?? null)
  }
  const info = { title: 'Kubernetes', version: `v${version}.3` }
  return { swagger: '2.0', info, paths, definitions }
}

const methods = ['get', 'put', 'post', 'patch', 'delete', 'options', 'head']

function pathItem(item: Json): Json {
  if (!isObject(item)) return {}
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [
      key,
      methods.includes(key) ? operation(value ?? null) : moved(value ?? null),
    ]),
  ) as JsonObject
}

/** A body is a parameter like others, and an answer has one schema for all media types. */
function operation(value: Json): Json {
  if (!isObject(value)) return {}
  const { requestBody, responses, parameters, ...rest } = value
  const body = isObject(requestBody)
    ? [{ in: 'body', name: 'body', required: true, schema: schemaIn(requestBody) }]
    : []
  const given = Array.isArray(parameters) ? (parameters as readonly Json[]).map(parameter) : []
  const answers = Object.entries(isObject(responses) ? responses : {}).map(([code, answer]) => [
    code,
    response(answer ?? null),
  ])
  return { ...(moved(rest) as JsonObject), parameters: [...body, ...given], responses: Object.fromEntries(answers) }
}

function parameter(value: Json): Json {
  if (!isObject(value)) return {}
  const { schema, ...rest } = value
  return { ...(moved(rest) as JsonObject), ...(isObject(schema) ? (moved(schema) as JsonObject) : {}) }
}

function response(value: Json): Json {
  const description = isObject(value) && typeof value.description === 'string' ? value.description : 'OK'
  const schema = isObject(value) ? schemaIn(value) : undefined
  return { description, ...(schema === undefined ? {} : { schema }) }
}

function schemaIn({ content }: JsonObject): Json | undefined {
  const [first] = Object.values(isObject(content) ? content : {})
  return isObject(first) && first.schema !== undefined ? moved(first.schema) : undefined
}

/** References of v3 point to components, those of v2 to definitions. */
function moved(value: Json): Json {
  if (typeof value === 'string') return value.replace('#/components/schemas/', '#/definitions/')
  if (Array.isArray(value)) return value.map((item: Json) => moved(item))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, item === undefined ? null : moved(item)]),
  ) as JsonObject
}
