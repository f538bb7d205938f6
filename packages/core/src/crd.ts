import { BinnacleError, messageOf } from './errors.ts'
import type { Resource, ResourceDefinition } from './resource.ts'
import type { AnySchema, StandardSchema, StructuralSchema } from './schema.ts'
import { structuralSchema } from './structural.ts'

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
 * Guarantees: what it makes of a schema library's schema is structural, or it throws and names the resource; where the types promise a
 * `spec`, the server has one.
 * Assumes: a structural schema that was given as such is one; the server says so if not.
 */
export function toCRD(...resources: readonly [AnyResource, ...AnyResource[]]): NewCRD {
  const definitions = resources.map(definitionOf)
  refuseStrangers(resources)
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

function refuseStrangers(resources: readonly AnyResource[]): void {
  const kinds = new Set(resources.map(({ group, plural, kind, scope }) => `${kind} (${plural}.${group}, ${scope})`))
  const versions = new Set(resources.map(({ version }) => version))
  if (kinds.size === 1 && versions.size === resources.length && resources[0]?.group !== '') return
  throw new BinnacleError('BIN_SCHEMA', {
    message: `${[...kinds].join(' and ')} in ${[...versions].join(', ')} cannot be one CustomResourceDefinition`,
    hint: 'Give different versions of one kind, equal in group, plural, kind and scope; the core group has no custom resources.',
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
  if (schema !== undefined && isSchema(schema)) {
    return { type: 'object', ...described, ...withoutMetadata(structural(schema, definition)) }
  }
  const stanza = (name: 'spec' | 'status') => (schema?.[name] ? structural(schema[name], definition) : LOOSE)
  const spec = stanza('spec')
  const omittable = !schema?.spec || acceptsNothing(spec)
  return {
    type: 'object',
    ...described,
    properties: { spec: schema?.spec && omittable ? present(spec) : spec, status: stanza('status') },
    ...(!omittable && { required: ['spec'] }),
  }
}

/** Whether an empty spec is surely valid. */
function acceptsNothing(spec: StructuralSchema): boolean {
  const { required, minProperties, allOf, anyOf, oneOf, not, 'x-kubernetes-validations': rules } = spec
  return !required?.length && !minProperties && !allOf && !anyOf && !oneOf && !not && !rules
}

/** Without a spec the defaults in it would be missing, too. */
function present(spec: StructuralSchema): StructuralSchema {
  return spec.type === 'object' && spec.default === undefined ? { ...spec, default: {} } : spec
}

/** The server knows metadata by itself, and lets a schema restrict nothing but names; nor is there an object that is null. */
function withoutMetadata({ properties, required, nullable: _nullable, ...schema }: StructuralSchema): StructuralSchema {
  if (!properties) return { ...schema, ...(required && { required }) }
  const { metadata: _, ...others } = properties
  const still = required?.filter((name) => name !== 'metadata') ?? []
  return { ...schema, properties: others, ...(still.length > 0 && { required: still }) }
}

function isSchema(schema: NonNullable<ResourceDefinition['schema']>): schema is AnySchema {
  return '~standard' in schema || '~type' in schema || 'properties' in schema || 'type' in schema
}

function structural(schema: AnySchema, definition: ResourceDefinition): StructuralSchema {
  if ('~type' in schema) return LOOSE
  if ('~standard' in schema) return structuralSchema(printed(schema, definition))
  return schema
}

function printed(schema: StandardSchema, { kind }: ResourceDefinition): unknown {
  const { jsonSchema, vendor } = schema['~standard']
  try {
    if (jsonSchema) return jsonSchema.input({ target: 'openapi-3.0' })
  } catch (cause) {
    throw new BinnacleError('BIN_SCHEMA', {
      message: `The schema of ${kind} cannot be printed: ${messageOf(cause)}`,
      hint: 'Objects are JSON: give times as ISO strings, large numbers as strings, and maps as records.',
      cause,
    })
  }
  throw new BinnacleError('BIN_SCHEMA', {
    message: `The schema of ${kind} comes from "${vendor}", which does not print JSON Schema`,
    hint: 'Give a structural OpenAPI schema for the manifest, or write the manifest by hand.',
  })
}
