/**
 * Whether a CRD's schema is structural: a type everywhere, nothing that could not be pruned or defaulted by it.
 * Guarantees: a schema without findings can be walked by prune, defaults and validate.
 */
import { forbiddenField, invalidValue, notSupported, required } from '../http/field-error.ts'
import type { Cause } from '../http/status.ts'
import { equalJson, isObject, type Json, type JsonObject } from '../json.ts'
import { isKnownFormat } from './formats.ts'
import { pattern } from './pattern.ts'
import { ruleCauses } from './rule-checks.ts'
import { parseSchema } from './structural.ts'
import { validateValue } from './validate.ts'

export function checkSchema(raw: Json | undefined, path: string): readonly Cause[] {
  if (!isObject(raw)) return [required(path, 'schemas are required')]
  const causes: Cause[] = []
  if (raw.type === undefined) causes.push(required(`${path}.type`, 'must not be empty at the root'))
  else if (raw.type !== 'object') causes.push(invalidValue(`${path}.type`, raw.type, 'must be object at the root'))
  checkMetadata(raw, path, causes)
  checkTyping(raw, path, causes)
  checkNode(raw, path, causes)
  // Rules are compiled against the types of the schema: those must hold first.
  return causes.length > 0 ? causes : ruleCauses(parseSchema(raw), path)
}

const flags = new Map([
  ['$ref', '$ref is not supported'],
  ['definitions', 'is not supported'],
  ['dependencies', 'is not supported'],
  ['patternProperties', 'is not supported'],
  ['additionalItems', 'is not supported'],
  ['id', 'is not supported'],
])

function checkNode(node: JsonObject, path: string, causes: Cause[]): void {
  for (const [key, why] of flags) if (node[key] !== undefined) causes.push(forbiddenField(`${path}.${key}`, why))
  if (node.uniqueItems === true) {
    causes.push(
      forbiddenField(
        `${path}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    )
  }
  if (Array.isArray(node.items))
    causes.push(forbiddenField(`${path}.items`, 'items must be a schema object and not an array'))
  if (node.properties !== undefined && node.additionalProperties !== undefined && node.additionalProperties !== true) {
    causes.push(
      forbiddenField(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
    )
  }
  checkType(node, path, causes)
  checkPattern(node, path, causes)
  checkListType(node, path, causes)
  checkChildren(node, path, causes)
  checkDefault(node, path, causes)
}

/** A default is a value like others. */
function checkDefault(node: JsonObject, path: string, causes: Cause[]): void {
  if (node.default === undefined || node.default === null || causes.length > 0) return
  for (const cause of validateValue(node.default, parseSchema(node))) {
    causes.push({ ...cause, field: `${path}.default${cause.field ? `.${cause.field}` : ''}` })
  }
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']

function checkType(node: JsonObject, path: string, causes: Cause[]): void {
  const { type } = node
  if (typeof type === 'string' && type !== '' && !types.includes(type)) {
    causes.push(notSupported(`${path}.type`, type, types))
  }
  const open = node['x-kubernetes-preserve-unknown-fields'] === true
  if (node['x-kubernetes-embedded-resource'] === true && !open && !isObject(node.properties)) {
    const why =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'
    causes.push(required(`${path}.properties`, why))
  }
  for (const junctor of ['allOf', 'anyOf', 'oneOf']) checkBranches(node[junctor], `${path}.${junctor}`, causes)
}

/** Branches may ask for more, but say nothing of what there is. */
function checkBranches(raw: Json | undefined, path: string, causes: Cause[]): void {
  for (const [i, branch] of (Array.isArray(raw) ? raw : []).entries()) {
    if (isObject(branch) && typeof branch.type === 'string' && branch.type !== '') {
      causes.push(forbiddenField(`${path}[${i}].type`, 'must be empty to be structural'))
    }
  }
}

function checkPattern(node: JsonObject, path: string, causes: Cause[]): void {
  if (typeof node.pattern !== 'string') return
  try {
    pattern(node.pattern)
  } catch (error) {
    const why = `must be a valid regular expression, but isn't: ${(error as Error).message}`
    causes.push(invalidValue(`${path}.pattern`, node.pattern, why))
  }
}

function checkChildren(node: JsonObject, path: string, causes: Cause[]): void {
  for (const [name, value] of Object.entries(isObject(node.properties) ? node.properties : {})) {
    checkChild(value, `${path}.properties[${name}]`, 'must not be empty for specified object fields', causes)
  }
  if (isObject(node.items))
    checkChild(node.items, `${path}.items`, 'must not be empty for specified array items', causes)
  else if (node.type === 'array' && node.items === undefined)
    causes.push(required(`${path}.items`, 'must be specified'))
  if (isObject(node.additionalProperties)) {
    const why = 'must not be empty for specified object fields'
    checkChild(node.additionalProperties, `${path}.additionalProperties`, why, causes)
  }
}

function checkChild(value: Json | undefined, path: string, untyped: string, causes: Cause[]): void {
  if (!isObject(value)) return
  const typeless =
    value['x-kubernetes-int-or-string'] === true || value['x-kubernetes-preserve-unknown-fields'] === true
  checkNode(value, path, causes)
  const bare = (value.type === undefined || value.type === '') && value.$ref === undefined
  if (bare && !typeless) causes.push(required(`${path}.type`, untyped))
}

function checkMetadata(root: JsonObject, path: string, causes: Cause[]): void {
  const metadata = isObject(root.properties) ? root.properties.metadata : undefined
  if (!isObject(metadata)) return
  const names = Object.keys(isObject(metadata.properties) ? metadata.properties : {})
  const others = Object.keys(metadata).filter((key) => !['type', 'properties', 'description'].includes(key))
  if (others.length === 0 && names.every((name) => name === 'name' || name === 'generateName')) return
  const why = 'must not specify anything other than name and generateName, but metadata is implicitly specified'
  causes.push(forbiddenField(`${path}.properties[metadata]`, why))
}

/** What every object has is text. */
function checkTyping(root: JsonObject, path: string, causes: Cause[]): void {
  for (const name of ['apiVersion', 'kind']) {
    const declared = isObject(root.properties) ? root.properties[name] : undefined
    if (isObject(declared) && declared.type !== 'string') {
      causes.push(invalidValue(`${path}.properties[${name}].type`, declared.type, 'must be string'))
    }
  }
}

function checkListType(node: JsonObject, path: string, causes: Cause[]): void {
  const type = node['x-kubernetes-list-type']
  const items = isObject(node.items) ? node.items : {}
  if (type !== undefined && !['atomic', 'set', 'map'].includes(String(type))) {
    causes.push(notSupported(`${path}.x-kubernetes-list-type`, type, ['atomic', 'set', 'map']))
  }
  if (type === 'map') checkListKeys(node, items, path, causes)
  if (type === 'set' && items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    const why = 'must be atomic as item of a list with x-kubernetes-list-type=set'
    causes.push(invalidValue(`${path}.items.x-kubernetes-map-type`, items['x-kubernetes-map-type'], why))
  }
}

function checkListKeys(node: JsonObject, items: JsonObject, path: string, causes: Cause[]): void {
  const keys = node['x-kubernetes-list-map-keys']
  if (!Array.isArray(keys) || keys.length === 0) {
    causes.push(required(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'))
    if (items.type !== 'object') {
      const why = "must be object if parent array's x-kubernetes-list-type is map"
      causes.push(invalidValue(`${path}.items.type`, items.type, why))
    }
    return
  }
  const properties = isObject(items.properties) ? items.properties : {}
  const needed = Array.isArray(items.required) ? items.required : []
  for (const key of keys) {
    const property = typeof key === 'string' && Object.hasOwn(properties, key) ? properties[key] : undefined
    const given = isObject(property) && property.default !== undefined
    if (given || needed.some((name: Json) => equalJson(name, key))) continue
    const why = 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property'
    causes.push(required(`${path}.items.properties[${String(key)}].default`, why))
  }
}

/** Formats that nobody checks, anywhere in the schema. */
export function unknownFormats(raw: Json | undefined): string[] {
  if (Array.isArray(raw)) return raw.flatMap((item: Json) => unknownFormats(item))
  if (!isObject(raw)) return []
  const own = typeof raw.format === 'string' && raw.type === 'string' && !isKnownFormat(raw.format) ? [raw.format] : []
  return [...own, ...Object.values(raw).flatMap((value) => unknownFormats(value))]
}
