import { BinnacleError } from './errors.ts'
import { isPlainObject } from './hostile.ts'
import type { Resource, ResourceDefinition } from './resource.ts'
import type { AnySchema, StandardSchema, StructuralSchema } from './schema.ts'

export interface NewCRD {
  readonly apiVersion: 'apiextensions.k8s.io/v1'
  readonly kind: 'CustomResourceDefinition'
  readonly metadata: { readonly name: string }
  // biome-ignore lint/suspicious/noExplicitAny: a manifest is loose JSON
  readonly spec: { readonly [field: string]: any }
}

/** What a schema that says nothing at run time becomes: everything is allowed, and nothing is pruned. */
const LOOSE: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

// biome-ignore lint/suspicious/noExplicitAny: a resource of whichever type
type AnyResource = Resource<any, any>

/**
 * The CustomResourceDefinition manifest of declared resources; several versions of one kind give one manifest, and the last one is stored.
 * Guarantees: what it returns has a structural schema, or it throws and names the resource.
 */
export function toCRD(...resources: readonly [AnyResource, ...AnyResource[]]): NewCRD {
  const definitions = resources.map(definitionOf)
  const [{ group, plural, singular, kind, scope, shortNames, categories }] = resources
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, singular, kind, shortNames: [...shortNames], categories: [...categories] },
      versions: definitions.map((definition, i) => versionOf(definition, i === definitions.length - 1)),
    },
  }
}

function definitionOf(resource: AnyResource): ResourceDefinition {
  if (resource.definition) return resource.definition
  throw new BinnacleError('BIN_SCHEMA', {
    message: `${resource.plural}.${resource.group} was found on a server, not declared`,
    hint: 'Only what `resource` declares can be made into a manifest.',
  })
}

function versionOf(definition: ResourceDefinition, storage: boolean): object {
  const { status = true, scale } = definition.subresources ?? {}
  return {
    name: definition.version,
    served: true,
    storage,
    schema: { openAPIV3Schema: rootSchema(definition) },
    subresources: { ...(status && { status: {} }), ...(scale && { scale }) },
    ...(definition.printerColumns && { additionalPrinterColumns: definition.printerColumns }),
    ...(definition.selectableFields && {
      selectableFields: definition.selectableFields.map((field) => ({ jsonPath: `.${field}` })),
    }),
  }
}

function rootSchema(definition: ResourceDefinition): StructuralSchema {
  const { schema, description } = definition
  const described = description === undefined ? {} : { description }
  if (schema !== undefined && isSchema(schema))
    return { type: 'object', ...described, ...structural(schema, definition) }
  const stanza = (name: 'spec' | 'status') => (schema?.[name] ? structural(schema[name], definition) : LOOSE)
  return { type: 'object', ...described, properties: { spec: stanza('spec'), status: stanza('status') } }
}

function isSchema(schema: NonNullable<ResourceDefinition['schema']>): schema is AnySchema {
  return '~standard' in schema || '~type' in schema || 'properties' in schema || 'type' in schema
}

function structural(schema: AnySchema, definition: ResourceDefinition): StructuralSchema {
  if ('~type' in schema) return LOOSE
  if ('~standard' in schema) return fromJsonSchema(printed(schema, definition))
  return schema
}

function printed(schema: StandardSchema, { kind }: ResourceDefinition): unknown {
  const print = schema['~standard'].jsonSchema
  if (print) return print.input({ target: 'openapi-3.0' })
  throw new BinnacleError('BIN_SCHEMA', {
    message: `The schema of ${kind} comes from "${schema['~standard'].vendor}", which does not print JSON Schema`,
    hint: 'Give a structural OpenAPI schema for the manifest, or write the manifest by hand.',
  })
}

/** Keeps what a structural schema may have, and leaves out what only JSON Schema knows. */
function fromJsonSchema(schema: unknown): StructuralSchema {
  if (!isPlainObject(schema)) return LOOSE
  const { $schema, properties, items, additionalProperties, ...rest } = schema
  return {
    ...rest,
    ...(isPlainObject(properties) && { properties: mapValues(properties, fromJsonSchema) }),
    ...(isPlainObject(items) && { items: fromJsonSchema(items) }),
    // `false` would forbid what the server prunes anyway, and is not structural beside `properties`.
    ...(isPlainObject(additionalProperties) && { additionalProperties: fromJsonSchema(additionalProperties) }),
  }
}

function mapValues<V, W>(object: { readonly [key: string]: V }, fn: (value: V) => W): { [key: string]: W } {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, fn(value)]))
}
