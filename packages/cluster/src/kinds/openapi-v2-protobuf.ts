/**
 * OpenAPI v2 in protobuf, the form in which kubectl asks for it: before it sends a List, it checks the items by these schemas.
 * Guarantees: every definition with its fields, types and references, and every path with the kind and the query parameters of its operations.
 * Does not guarantee: answers and bodies of operations, which nobody reads there.
 */
import { Writer } from '../http/protobuf-writer.ts'
import { bytesOf, isObject, type Json, type JsonObject, printJson } from '../json.ts'

export const openApiV2Protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

/** Numbers of fields, as gnostic's description of OpenAPI v2 gives them. */
const texts = { $ref: 1, format: 2, title: 3, description: 4, pattern: 13 } as const
const operations = { get: 2, put: 3, post: 4, delete: 5, patch: 8 } as const

export function encodeOpenApiV2(document: JsonObject): Uint8Array {
  const info = isObject(document.info) ? document.info : {}
  return new Writer()
    .bytes(1, bytesOf('2.0'))
    .bytes(
      2,
      new Writer()
        .bytes(1, bytesOf(String(info.title)))
        .bytes(2, bytesOf(String(info.version)))
        .done(),
    )
    .bytes(8, named(document.paths, 2, pathItem))
    .bytes(9, named(document.definitions, 1, schema))
    .done()
}

/** A map, as a message that repeats pairs of a name and a message. */
function named(map: Json | undefined, number: number, encode: (value: JsonObject) => Uint8Array): Uint8Array {
  const writer = new Writer()
  for (const [name, value] of Object.entries(isObject(map) ? map : {})) {
    if (isObject(value)) writer.bytes(number, new Writer().bytes(1, bytesOf(name)).bytes(2, encode(value)).done())
  }
  return writer.done()
}

function pathItem(item: JsonObject): Uint8Array {
  const writer = new Writer()
  for (const [method, number] of Object.entries(operations)) {
    const operation = item[method]
    if (isObject(operation)) writer.bytes(number, encodeOperation(operation))
  }
  return writer.done()
}

function encodeOperation(operation: JsonObject): Uint8Array {
  const writer = new Writer()
  const parameters = Array.isArray(operation.parameters) ? (operation.parameters as readonly Json[]) : []
  for (const parameter of parameters) {
    if (isObject(parameter) && parameter.in === 'query') writer.bytes(8, queryParameter(parameter))
  }
  return extended(writer, 13, operation).done()
}

/** The parameter within its three envelopes. */
function queryParameter({ name, type }: JsonObject): Uint8Array {
  const parameter = new Writer().bytes(2, bytesOf('query')).bytes(4, bytesOf(String(name)))
  parameter.bytes(6, bytesOf(String(type ?? 'string')))
  const nonBody = new Writer().bytes(3, parameter.done()).done()
  return new Writer().bytes(1, new Writer().bytes(2, nonBody).done()).done()
}

/** `x-…`, each as YAML, of which JSON is a part. */
function extended(writer: Writer, number: number, value: JsonObject): Writer {
  for (const [name, content] of Object.entries(value)) {
    if (!name.startsWith('x-')) continue
    const yaml = new Writer().bytes(2, bytesOf(printJson(content as Json))).done()
    writer.bytes(number, new Writer().bytes(1, bytesOf(name)).bytes(2, yaml).done())
  }
  return writer
}

function schema(value: JsonObject): Uint8Array {
  const [only] = Array.isArray(value.allOf) && value.allOf.length === 1 ? (value.allOf as readonly Json[]) : []
  // v2 has no need to wrap a reference that has a description beside it.
  const flat = isObject(only) && only.$ref !== undefined ? { ...value, ...only } : value
  const writer = new Writer()
  for (const [name, number] of Object.entries(texts)) {
    const text = flat[name]
    if (typeof text === 'string') writer.bytes(number, bytesOf(text))
  }
  for (const name of Array.isArray(flat.required) ? flat.required : []) writer.bytes(19, bytesOf(String(name)))
  const { additionalProperties: others } = flat
  if (isObject(others)) writer.bytes(21, new Writer().bytes(1, schema(others)).done())
  if (typeof flat.type === 'string') writer.bytes(22, new Writer().bytes(1, bytesOf(flat.type)).done())
  if (isObject(flat.items)) writer.bytes(23, new Writer().bytes(1, schema(flat.items)).done())
  if (isObject(flat.properties)) writer.bytes(25, named(flat.properties, 1, schema))
  return extended(writer, 31, flat).done()
}
