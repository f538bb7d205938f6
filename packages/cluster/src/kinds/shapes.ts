/**
 * The schemas of built-in kinds, as shapes.
 * Guarantees: nothing is unpacked before somebody asks; a type that contains itself is followed only as far as an object goes.
 */
import { isObject, type Json, type JsonObject, own } from '../json.ts'
import { anyShape, customShape, type Shape, scalarOf } from '../schema/shape.ts'
import { schemas } from './data/schemas.ts'
import { lazily } from './generated-data.ts'
import type { Kind, KindVersion } from './kind.ts'

export interface SchemaData {
  /** The schema of each kind, by group/version/Kind. */
  readonly roots: { readonly [kind: string]: string }
  readonly structure: { readonly [name: string]: JsonObject }
}

export const schemaData = lazily<SchemaData>(schemas)

/** The name of the schema of a built-in kind. */
export function schemaName(group: string, version: string, kind: string): string | undefined {
  return own(schemaData().roots, `${group}/${version}/${kind}`)
}

const customShapes = new WeakMap<KindVersion, Shape>()

/** How objects of this version are put together. */
export function shapeOfKind(kind: Kind, version: KindVersion): Shape {
  if (version.schema === undefined) {
    const name = schemaName(kind.group, version.name, kind.kind)
    return name === undefined ? anyShape : named(name)
  }
  let shape = customShapes.get(version)
  if (!shape) {
    shape = customShape(version.schema, objectMeta)
    customShapes.set(version, shape)
  }
  return shape
}

const objectMeta = () => named('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta')

const byName = new Map<string, Shape>()

function named(name: string): Shape {
  let shape = byName.get(name)
  if (!shape) {
    shape = new DataShape(schemaData().structure[name] ?? {}, name)
    byName.set(name, shape)
  }
  return shape
}

const children = new WeakMap<JsonObject, Shape>()

/** A part of a schema: a reference to a type, perhaps with words of its own on top. */
function part(schema: Json | undefined): Shape {
  if (!isObject(schema)) return anyShape
  let shape = children.get(schema)
  if (!shape) {
    shape = partOf(schema)
    children.set(schema, shape)
  }
  return shape
}

function partOf(schema: JsonObject): Shape {
  const { $ref: name, ...rest } = schema
  if (typeof name !== 'string') return new DataShape(schema, undefined)
  if (Object.keys(rest).every((key) => key === 'default' && isEmpty(rest[key]))) return named(name)
  return new DataShape({ ...schemaData().structure[name], ...rest }, name)
}

const isEmpty = (value: Json | undefined) => isObject(value) && Object.keys(value).length === 0
const strings = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map((v: Json) => String(v)) : [])

class DataShape implements Shape {
  readonly type: Shape['type']
  readonly scalar: Shape['scalar']
  readonly atomic: boolean
  readonly listType: Shape['listType']
  readonly listKeys: readonly string[]
  readonly default: Json | undefined
  readonly patchStrategies: readonly string[]
  readonly patchMergeKey: string | undefined
  readonly typeName: string | undefined
  readonly #schema: JsonObject

  constructor(schema: JsonObject, name: string | undefined) {
    this.#schema = schema
    this.typeName = name
    this.type = typeOf(schema)
    this.scalar = schema.oneOf === undefined ? scalarOf(schema.type) : undefined
    this.atomic = schema['x-kubernetes-map-type'] === 'atomic'
    this.listType = (schema['x-kubernetes-list-type'] as Shape['listType'] | undefined) ?? 'atomic'
    this.listKeys = strings(schema['x-kubernetes-list-map-keys'])
    this.default = schema.default
    const strategy = schema['x-kubernetes-patch-strategy']
    this.patchStrategies = typeof strategy === 'string' ? strategy.split(',') : []
    const key = schema['x-kubernetes-patch-merge-key']
    this.patchMergeKey = typeof key === 'string' ? key : undefined
  }

  get items(): Shape {
    return part(this.#schema.items)
  }

  declared(field: string): Shape | undefined {
    const { properties } = this.#schema
    return isObject(properties) && Object.hasOwn(properties, field) ? part(properties[field]) : undefined
  }

  get others(): Shape | undefined {
    if (this.type === 'any') return anyShape
    return isObject(this.#schema.additionalProperties) ? part(this.#schema.additionalProperties) : undefined
  }
}

function typeOf(schema: JsonObject): Shape['type'] {
  if (schema.type === 'object') return schema.properties || schema.additionalProperties ? 'object' : 'any'
  if (schema.type === 'array') return 'list'
  return schema.type === undefined && schema.oneOf === undefined ? 'any' : 'leaf'
}
