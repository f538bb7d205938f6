import { getOwn, isPlainObject, type PlainObject } from './hostile.ts'
import type { StructuralSchema } from './schema.ts'

/**
 * What a schema library prints, as a structural schema: the form that a CustomResourceDefinition demands, in which every field has
 * one type and unions only narrow what is there already.
 * Guarantees: whatever the printed schema accepts, members that it does not name aside, the structural one accepts.
 * Does not guarantee: the reverse. The server accepts more where a union mixes types, where a type contains itself, and where a
 * pattern uses what Go's regular expressions lack; defaults inside of a union are left out, because they would appear in all branches.
 */

/** A value of any type, kept as it is. */
export const ANYTHING: StructuralSchema = { 'x-kubernetes-preserve-unknown-fields': true, nullable: true }

type Node = PlainObject
type Resolve = (node: unknown) => { readonly node: unknown; readonly resolve: Resolve } | undefined

/** Says something about a value without giving it a type: may stand in the branches of a union. */
const VALIDATIONS = [
  'enum',
  'pattern',
  'format',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'required',
]
const TRAITS = ['description', 'title', 'nullable', 'default', 'externalDocs', 'example']
/** Those that the API server checks. What it does not know it would only warn about. */
const FORMATS = ['date', 'date-time', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uuid', 'byte', 'password']
const NUMBER_FORMATS = ['int32', 'int64', 'float', 'double']
const INT32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }
/** Lookaround, back references and escapes that Go's regular expressions do not have. */
const NOT_IN_GO = /\(\?<?[=!]|\\[1-9ckuB]/

export function structuralSchema(printed: unknown): StructuralSchema {
  return nullsAllowed(convert(printed, resolver(printed, [])))
}

/** The server does not find null in any enumeration, not even in one that lists it; of a pattern it asks strings only. */
function nullsAllowed(schema: StructuralSchema): StructuralSchema {
  const { enum: values, properties, items, additionalProperties: others, ...rest } = schema
  const words = values?.filter((value) => typeof value === 'string') ?? []
  return {
    ...rest,
    ...(values && !rest.nullable && { enum: values }),
    ...(rest.nullable && rest.type === 'string' && words.length > 0 && { pattern: oneOf(words) }),
    ...(items && { items: nullsAllowed(items) }),
    ...(properties && { properties: mapValues(properties, nullsAllowed) }),
    ...(others !== undefined && { additionalProperties: typeof others === 'object' ? nullsAllowed(others) : others }),
  }
}

function oneOf(words: readonly string[]): string {
  return `^(?:${words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})$`
}

function convert(given: unknown, outer: Resolve): StructuralSchema {
  const resolved = outer(given)
  if (!resolved || !isPlainObject(resolved.node)) return ANYTHING
  const { node, resolve } = resolved
  if (node['x-kubernetes-int-or-string'] === true) return { ...traits(node), 'x-kubernetes-int-or-string': true }
  const branches = node['anyOf'] ?? node['oneOf']
  if (Array.isArray(branches)) return { ...union(branches, resolve), ...traits(node) }
  if (Array.isArray(node['allOf'])) return intersection(node, node['allOf'], resolve)
  return plain(node, resolve)
}

/** A node without alternatives. */
function plain(node: Node, resolve: Resolve): StructuralSchema {
  const { type, nullable } = typeOf(node)
  const kept = { ...traits(node), ...(nullable && { nullable }) }
  if (type === undefined) return { ...ANYTHING, ...kept, ...validations(node) }
  return { type, ...kept, ...validations(node), ...members(node, type, resolve) }
}

function members(node: Node, type: StructuralSchema['type'], resolve: Resolve): StructuralSchema {
  if (type === 'array') return { items: convert(itemsOf(node), resolve) }
  if (type !== 'object') return {}
  const { properties, additionalProperties: others } = node
  const open = others === true || isPlainObject(others)
  if (!isPlainObject(properties)) return open ? { additionalProperties: convert(others, resolve) } : {}
  const possible = Object.entries(properties).filter(([, property]) => !isNever(property))
  return {
    properties: Object.fromEntries(possible.map(([name, property]) => [name, convert(property, resolve)])),
    // Beside `properties` the others cannot have a schema, so that they are at least not pruned.
    ...(open && { 'x-kubernetes-preserve-unknown-fields': true }),
  }
}

function itemsOf(node: Node): unknown {
  return Array.isArray(node['prefixItems']) ? { anyOf: node['prefixItems'] } : node['items']
}

function isNever(property: unknown): boolean {
  return isPlainObject(property) && isPlainObject(property['not']) && Object.keys(property['not']).length === 0
}

/** One type that fits all branches, narrowed by what each of them says about its values. */
function union(given: readonly unknown[], resolve: Resolve): StructuralSchema {
  const all = given.map((branch) => convert(branch, resolve))
  const branches = all.filter((branch) => !isNull(branch))
  const nullable = all.some((branch) => branch.nullable || isNull(branch)) && { nullable: true }
  const [first] = branches
  if (!first) return all[0] ?? ANYTHING
  if (branches.length === 1) return { ...first, ...nullable }
  return { ...unionOf(branches), ...nullable }
}

function unionOf(branches: readonly StructuralSchema[]): StructuralSchema {
  const types = new Set(branches.map((branch) => branch.type))
  if (types.size === 2 && types.has('integer') && types.has('string')) return { 'x-kubernetes-int-or-string': true }
  const enums = branches.flatMap((branch) => branch.enum ?? [])
  const enumerated = branches.every((branch) => branch.enum !== undefined) && { enum: [...new Set(enums)] }
  const type = commonType(types)
  if (type === undefined) return enumerated ? { 'x-kubernetes-preserve-unknown-fields': true, ...enumerated } : ANYTHING
  if (enumerated) return { type, ...enumerated }
  const whole = { type, ...merged(branches, 'union') }
  const narrowed = branches.map((branch) => narrowing(branch, whole))
  // A branch that says nothing accepts every value of the type.
  const says = narrowed.every((branch) => Object.keys(branch).length > 0)
  return { ...whole, ...(says && { anyOf: narrowed }) }
}

function commonType(types: ReadonlySet<StructuralSchema['type']>): StructuralSchema['type'] {
  if (types.size === 2 && types.has('integer') && types.has('number')) return 'number'
  return types.size === 1 ? [...types][0] : undefined
}

function isNull(schema: StructuralSchema): boolean {
  return schema.enum?.length === 1 && schema.enum[0] === null
}

/** The node itself and all of its parts at once. */
function intersection(node: Node, given: readonly unknown[], resolve: Resolve): StructuralSchema {
  const { allOf: _, ...own } = node
  const parts = given.map((part) => convert(part, resolve))
  const [first] = parts
  if (parts.length === 1 && first && own['type'] === undefined) return { ...first, ...traits(node) }
  const type = typeOf(own).type ?? parts.find((part) => part.type)?.type
  if (type === undefined) return { ...ANYTHING, ...traits(node) }
  const base = plain({ ...own, type }, resolve)
  const whole = { ...base, ...merged([base, ...parts], 'intersection') }
  const narrowed = parts.map((part) => narrowing(part, whole)).filter((part) => Object.keys(part).length > 0)
  return { ...whole, ...(narrowed.length > 0 && { allOf: narrowed }) }
}

/** The members of several schemas of one type, together. */
function merged(schemas: readonly StructuralSchema[], how: 'union' | 'intersection'): StructuralSchema {
  const items = schemas.flatMap((schema) => schema.items ?? [])
  const others = schemas.flatMap(({ additionalProperties: o }) => (typeof o === 'object' ? o : []))
  const properties = new Map<string, StructuralSchema[]>()
  for (const schema of schemas)
    for (const [name, property] of Object.entries(schema.properties ?? {}))
      properties.set(name, [...(properties.get(name) ?? []), how === 'union' ? withoutDefault(property) : property])
  const open = schemas.some((schema) => schema['x-kubernetes-preserve-unknown-fields'])
  return {
    ...(items.length > 0 && { items: together(items) }),
    ...(properties.size > 0 && { properties: Object.fromEntries([...properties].map(([k, v]) => [k, together(v)])) }),
    ...(properties.size === 0 && others.length > 0 && { additionalProperties: together(others) }),
    ...((open || (properties.size > 0 && others.length > 0)) && { 'x-kubernetes-preserve-unknown-fields': true }),
  }
}

function together(schemas: readonly StructuralSchema[]): StructuralSchema {
  const [first = ANYTHING] = schemas
  return schemas.length === 1 ? first : union(schemas, plainly)
}

/** For schemas that are structural already: there is nothing to look up in them. */
const plainly: Resolve = (node) => ({ node, resolve: plainly })

function withoutDefault({ default: _, properties, ...schema }: StructuralSchema): StructuralSchema {
  if (!properties) return schema
  return { ...schema, properties: mapValues(properties, withoutDefault) }
}

/** What a branch says beyond its type, about those fields that still have a type in the whole. */
function narrowing(branch: StructuralSchema, whole: StructuralSchema): StructuralSchema {
  if (branch.nullable || whole.type === undefined) return {}
  const properties = Object.entries(branch.properties ?? {})
    .map(([name, property]) => [name, narrowing(property, whole.properties?.[name] ?? {})] as const)
    .filter(([, property]) => Object.keys(property).length > 0)
  const { anyOf, allOf } = branch
  return {
    ...pick(branch, VALIDATIONS),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(anyOf && !namesFields(anyOf) && { anyOf }),
    ...(allOf && !namesFields(allOf) && { allOf }),
  }
}

/** Whether they speak of fields, which may have lost their type in the whole. */
function namesFields(branches: readonly StructuralSchema[]): boolean {
  return branches.some(({ properties, anyOf = [], allOf = [] }) => properties || namesFields([...anyOf, ...allOf]))
}

function typeOf(node: Node): { readonly type: StructuralSchema['type']; readonly nullable: boolean } {
  const names = [node['type']].flat()
  const types = names.filter((name) => name !== 'null' && name !== undefined)
  const onlyNull = names.length > 0 && types.length === 0 && names.includes('null')
  const implied = isPlainObject(node['properties']) ? 'object' : undefined
  const type = onlyNull ? 'string' : types.length === 1 ? types[0] : types.length === 0 ? implied : undefined
  return { type: type as StructuralSchema['type'], nullable: names.includes('null') || node['nullable'] === true }
}

/** What is told to people and to the server beside the type. */
function traits(node: Node): StructuralSchema {
  const extensions = Object.keys(node).filter((key) => key.startsWith('x-kubernetes-'))
  return pick(node, [...TRAITS, ...extensions])
}

function validations(node: Node): StructuralSchema {
  const { pattern, format, minimum, maximum, enum: values, const: value, ...others } = node
  const dated = format === 'date' || format === 'date-time'
  return {
    ...pick(others, VALIDATIONS),
    ...bounds(minimum, maximum),
    ...(typeof pattern === 'string' && !dated && !NOT_IN_GO.test(pattern) && { pattern }),
    ...formatOf(format),
    ...((Array.isArray(values) || value !== undefined) && { enum: (values ?? [value]) as StructuralSchema['enum'] }),
  } as StructuralSchema
}

/** The bounds of a 32-bit integer are a format; those of a safe integer are no bounds to the server. */
function bounds(minimum: unknown, maximum: unknown): StructuralSchema {
  if (minimum === INT32.minimum && maximum === INT32.maximum) return { format: 'int32' }
  return {
    ...(typeof minimum === 'number' && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(typeof maximum === 'number' && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  }
}

function formatOf(format: unknown): StructuralSchema {
  if (format === 'base64') return { format: 'byte' }
  return typeof format === 'string' && [...FORMATS, ...NUMBER_FORMATS].includes(format) ? { format } : {}
}

function pick(object: object, keys: readonly string[]): StructuralSchema {
  return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(object, key) ? [[key, getOwn(object, key)]] : [])))
}

function mapValues<V, W>(object: { readonly [key: string]: V }, fn: (value: V) => W): { [key: string]: W } {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, fn(value)]))
}

/** Follows references within the printed document; one that leads back into itself leads nowhere. */
function resolver(root: unknown, path: readonly string[]): Resolve {
  const resolve: Resolve = (node) => {
    const reference = isPlainObject(node) ? node['$ref'] : undefined
    if (typeof reference !== 'string') return { node, resolve }
    if (reference === '#' || path.includes(reference)) return undefined
    const [, kind = '', name = ''] = /^#\/(definitions|\$defs|components\/schemas)\/(.+)$/.exec(reference) ?? []
    const section = kind
      .split('/')
      .reduce<unknown>((at, key) => (isPlainObject(at) ? getOwn(at, key) : undefined), root)
    const target = isPlainObject(section) ? getOwn(section, name) : undefined
    return resolver(root, [...path, reference])(target)
  }
  return resolve
}
