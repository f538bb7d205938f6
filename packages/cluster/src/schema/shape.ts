/**
 * How the parts of an object are put together: which are owned field by field, which as a whole, and what tells the items of a
 * list apart. Built-in and custom kinds have it alike; kinds/shapes.ts and the functions here make it from their schemas.
 */
import type { Json } from '../json.ts'
import type { StructuralSchema } from './structural.ts'

export interface Shape {
  /** 'any': nothing is declared; objects are read field by field, lists as a whole. */
  readonly type: 'object' | 'list' | 'leaf' | 'any'
  /** Leaves only: what JavaScript calls the type of the value; undefined where several may be there. */
  readonly scalar: 'string' | 'number' | 'boolean' | undefined
  /** Objects only: owned as a whole. */
  readonly atomic: boolean
  readonly listType: 'atomic' | 'set' | 'map'
  readonly listKeys: readonly string[]
  readonly items: Shape
  readonly default: Json | undefined
  /** Strategic merge only: 'merge', 'replace', 'retainKeys'. */
  readonly patchStrategies: readonly string[]
  readonly patchMergeKey: string | undefined
  /** The name of a built-in type. */
  readonly typeName: string | undefined
  /** The shape of a declared field; undefined when the field is not declared. */
  declared(field: string): Shape | undefined
  /** The shape of any other key; undefined when no other key may be there. */
  readonly others: Shape | undefined
}

const shapeDefaults = {
  scalar: undefined,
  atomic: false,
  listType: 'atomic' as const,
  listKeys: [],
  default: undefined,
  patchStrategies: [],
  patchMergeKey: undefined,
  typeName: undefined,
  declared: () => undefined,
}

/** Whatever it is. */
export const anyShape: Shape = {
  ...shapeDefaults,
  type: 'any',
  get items() {
    return anyShape
  },
  get others() {
    return anyShape
  },
}

export const leafShape: Shape = { ...shapeDefaults, type: 'leaf', items: anyShape, others: undefined }

export function fieldShape(shape: Shape, field: string): Shape | undefined {
  return shape.declared(field) ?? shape.others
}

/** The shape of a whole custom object: its own metadata is that of every object. */
export function customShape(schema: StructuralSchema, metadata: () => Shape): Shape {
  return shapeOf({ ...schema, embedded: true }, metadata)
}

const known = new WeakMap<StructuralSchema, Shape>()

function shapeOf(schema: StructuralSchema, metadata: () => Shape): Shape {
  let shape = known.get(schema)
  if (!shape) {
    shape = buildShape(schema, metadata)
    known.set(schema, shape)
  }
  return shape
}

function buildShape(schema: StructuralSchema, metadata: () => Shape): Shape {
  const child = (part: StructuralSchema) => shapeOf(part, metadata)
  const others = schema.additional === true || schema.preserveUnknown ? anyShape : undefined
  return {
    ...shapeDefaults,
    type: typeOf(schema),
    scalar: schema.intOrString ? undefined : scalarOf(schema.type),
    atomic: schema.atomicMap,
    listType: schema.listType,
    listKeys: schema.listKeys,
    items: schema.items ? child(schema.items) : anyShape,
    default: schema.default,
    declared: (field) => {
      if (schema.embedded && (field === 'apiVersion' || field === 'kind')) return leafShape
      if (schema.embedded && field === 'metadata') return metadata()
      const part = schema.properties.get(field)
      return part && child(part)
    },
    others: schema.additional !== undefined && schema.additional !== true ? child(schema.additional) : others,
  }
}

export function scalarOf(type: Json | undefined): Shape['scalar'] {
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'string' || type === 'boolean' ? type : undefined
}

function typeOf({ type, intOrString, properties }: StructuralSchema): Shape['type'] {
  if (type === 'object' || properties.size > 0) return 'object'
  if (type === 'array') return 'list'
  return type === undefined && !intOrString ? 'any' : 'leaf'
}
