import { BinnacleError } from './errors.ts'
import type { AnyObject, ClusterMeta, KubeObject, NamespacedMeta, NewObject } from './object.ts'
import type { AnySchema, InferSchema, Side } from './schema.ts'

/** The typed handle of a resource. Made by `resource`; accepted wherever a resource is named. */
export interface Resource<T extends KubeObject = AnyObject, N = NewObject<T>> {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly scope: 'Namespaced' | 'Cluster'
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  /** `group/version`, or `version` in the core group. */
  readonly apiVersion: string
  /** As it was declared, for the manifest of its CustomResourceDefinition; absent for what discovery found. */
  readonly definition?: ResourceDefinition
  /** Exist only for the compiler: the object as it is read, and as it may be written. */
  readonly '~object'?: T
  readonly '~new'?: N
}

/** What discovery tells about a resource; handlers get it as `resource`. */
export interface ResourceInfo extends Omit<Resource, '~object' | '~new' | 'definition'> {
  readonly preferred: boolean
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly subresources: readonly string[]
}

export interface PrinterColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly jsonPath: string
  readonly description?: string
  readonly priority?: number
}

export interface ResourceDefinition {
  /** The API group; the empty string is the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Default: the kind in lower case, in the English plural. */
  readonly plural?: string
  readonly singular?: string
  /** Default: Namespaced. */
  readonly scope?: 'Namespaced' | 'Cluster'
  /** Either one schema of the whole object, or one for each of spec and status. Without it spec and status are loose. */
  readonly schema?: AnySchema | { readonly spec?: AnySchema; readonly status?: AnySchema }
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly printerColumns?: readonly PrinterColumn[]
  /** Default: a status subresource, no scale subresource. */
  readonly subresources?: {
    readonly status?: boolean
    readonly scale?: {
      readonly specReplicasPath: string
      readonly statusReplicasPath: string
      readonly labelSelectorPath?: string
    }
  }
  /** Fields that the server can select by; filters on them are pushed to the server. */
  readonly selectableFields?: readonly string[]
  readonly description?: string
}

export interface CustomObject<ApiVersion extends string, Kind extends string, Meta, Spec, Status> extends KubeObject {
  readonly apiVersion: ApiVersion
  readonly kind: Kind
  readonly metadata: Meta & NamespacedMeta
  readonly spec: Spec
  readonly status?: Status
}
interface ClusterObject<ApiVersion extends string, Kind extends string, Spec, Status> extends KubeObject {
  readonly apiVersion: ApiVersion
  readonly kind: Kind
  readonly metadata: ClusterMeta
  readonly spec: Spec
  readonly status?: Status
}

type Stanzas<S, W extends Side> = S extends
  | { readonly '~standard': unknown }
  | { readonly '~type': unknown }
  | { readonly properties: unknown }
  ? InferSchema<S, W>
  : { readonly [K in keyof S]: InferSchema<S[K], W> }
type Stanza<D, K extends 'spec' | 'status', W extends Side> = D extends { readonly schema: infer S }
  ? Stanzas<S, W> extends { readonly [P in K]?: infer V }
    ? NonNullable<V>
    : // biome-ignore lint/suspicious/noExplicitAny: a stanza without a schema is loose
      any
  : // biome-ignore lint/suspicious/noExplicitAny: a resource without a schema is loose
    any

/** The object type that a definition describes. */
export type ObjectFrom<D extends ResourceDefinition, W extends Side = 'output'> = D extends {
  readonly scope: 'Cluster'
}
  ? ClusterObject<ApiVersionOf<D>, D['kind'], Stanza<D, 'spec', W>, Stanza<D, 'status', W>>
  : CustomObject<ApiVersionOf<D>, D['kind'], NamespacedMeta, Stanza<D, 'spec', W>, Stanza<D, 'status', W>>
type ApiVersionOf<D extends ResourceDefinition> = D['group'] extends '' ? D['version'] : `${D['group']}/${D['version']}`

/** Declares a resource: its address, and with a schema the types of its spec and status. */
export function resource<const D extends ResourceDefinition>(
  definition: D,
): Resource<ObjectFrom<D>, NewObject<ObjectFrom<D, 'input'>>> {
  const { group, version, kind } = definition
  if (typeof group !== 'string' || !version || !kind) throw incomplete(definition)
  return Object.freeze({
    group,
    version,
    kind,
    plural: definition.plural ?? pluralOf(kind),
    singular: definition.singular ?? kind.toLowerCase(),
    scope: definition.scope ?? 'Namespaced',
    shortNames: definition.shortNames ?? [],
    categories: definition.categories ?? [],
    apiVersion: group === '' ? version : `${group}/${version}`,
    definition,
  })
}

/** The kind in lower case, in the English plural, as most kinds have it. */
function pluralOf(kind: string): string {
  const singular = kind.toLowerCase()
  if (/(s|x|z|ch|sh)$/.test(singular)) return `${singular}es`
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`
  return `${singular}s`
}

function incomplete(definition: ResourceDefinition): BinnacleError {
  return new BinnacleError('BIN_RESOURCE', {
    message: `A resource needs a group, a version and a kind, got ${JSON.stringify({ group: definition.group, version: definition.version, kind: definition.kind })}`,
    hint: "Declare it as resource({ group: 'example.com', version: 'v1', kind: 'Backup' }).",
  })
}

/**
 * Which type a resource name stands for: a plural, or `plural.group`. The client fills in the built-in kinds; add your own by
 * declaration merging:
 *
 *     declare module 'binnacle' {
 *       interface ResourceMap { 'kopfexamples.kopf.dev': KopfExample; kopfexamples: KopfExample }
 *     }
 *
 * The spellings `group/version/plural` and `version/plural` are derived.
 */
// biome-ignore lint/suspicious/noEmptyInterface: only an interface can be extended from another module
export interface ResourceMap {}

/**
 * A resource by name: `'pods'`, `'deployments.apps'`, `'deployments.v1.apps'`, `'apps/v1/deployments'`, `'v1/pods'`;
 * also a kind, a singular or a short name. Names in `ResourceMap` are typed; any other string gives loose objects.
 */
export type ResourceName = keyof ResourceMap | (string & {})

/** Whatever names one resource. */
// biome-ignore lint/suspicious/noExplicitAny: a resource of whichever type
export type ResourceLike = ResourceName | Resource<any, any>
/** The object type behind a resource or a name. */
export type ObjectOf<R> = R extends string
  ? R extends keyof ResourceMap
    ? ResourceMap[R]
    : R extends `${infer Head}/${infer Rest}`
      ? Rest extends `${string}/${infer Plural}`
        ? Named<`${Plural}.${Head}`>
        : Named<Rest>
      : AnyObject
  : R extends { readonly '~object'?: infer T extends KubeObject }
    ? T
    : AnyObject
type Named<N> = N extends keyof ResourceMap ? ResourceMap[N] : AnyObject

/** The object as it may be given to `create` and `apply`: fields with defaults may be left out. */
export type NewOf<R> = R extends string
  ? NewObject<ObjectOf<R>>
  : R extends { readonly '~new'?: infer N }
    ? Exclude<N, undefined>
    : NewObject<ObjectOf<R>>
