/** A kind as data: everything that the verbs need to know of it, built-in or custom alike. */
import type { JsonObject } from '../json.ts'
import type { StructuralSchema } from '../schema/structural.ts'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'deletecollection'

export interface ScalePaths {
  /** As path segments, e.g. ['spec', 'replicas']. */
  readonly spec: readonly string[]
  readonly status: readonly string[]
  readonly selector: readonly string[] | undefined
}

/** A field that may stand in a fieldSelector: its label, where its value lies, and what an absent one counts as. */
export interface SelectableField {
  readonly label: string
  readonly path: readonly string[]
  readonly absent: string
}

export interface Subresource {
  readonly name: string
  /** What it answers with; of another group and version where those are given. */
  readonly kind: string
  readonly group?: string
  readonly version?: string
  readonly verbs: readonly Verb[]
}

/** A column that a definition adds to tables of its kind. */
export interface PrinterColumn {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  readonly priority: number
  readonly jsonPath: string
}

/** One served version of a kind. */
export interface KindVersion {
  readonly name: string
  readonly subresources: readonly Subresource[]
  readonly scale: ScalePaths | undefined
  readonly selectable: readonly SelectableField[]
  /** Custom kinds only: how objects are pruned, defaulted and validated. */
  readonly schema: StructuralSchema | undefined
  /** Custom kinds only: the columns of their tables. */
  readonly columns: readonly PrinterColumn[] | undefined
  /** Built-in kinds only: what discovery tells of how they are stored. */
  readonly hash: string | undefined
}

export interface Kind {
  readonly group: string
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly builtIn: boolean
  readonly verbs: readonly Verb[]
  /** Served ones, the preferred first. */
  readonly versions: readonly KindVersion[]
  /** The version in which objects are stored; it need not be served. */
  readonly storage: KindVersion
  /** metadata.generation starts at 1 and grows with every change outside of metadata and status. */
  readonly counted: boolean
  /** A PUT without a resourceVersion overwrites whatever is there. */
  readonly unconditionalUpdate: boolean
  /** A PUT of an absent object creates it. */
  readonly createOnUpdate: boolean
  /** DELETE answers the object instead of a Status. */
  readonly answersDeleted: boolean
  /** Dependents are orphaned unless the client says otherwise. */
  readonly orphansByDefault: boolean
  /** What a new object's status is, whatever the client sent; undefined: absent. */
  readonly initialStatus: JsonObject | undefined
  /** The clientConfig of the webhook that converts between versions; undefined: only apiVersion differs. */
  readonly conversion: JsonObject | undefined
  /** The definition is being deleted: nothing new may come. */
  readonly terminating: boolean
}

export const groupVersion = (group: string, version: string) => (group === '' ? version : `${group}/${version}`)

/** What a kind is called inside. */
export const kindId = (kind: { readonly group: string; readonly plural: string }) => `${kind.group}/${kind.plural}`

/** The storage of a kind is one for all its versions, and for both APIs of Events. */
export function tableId(kind: { readonly group: string; readonly plural: string }): string {
  const id = kindId(kind)
  return id === 'events.k8s.io/events' ? '/events' : id
}

export function servedVersion(kind: Kind, name: string): KindVersion | undefined {
  return kind.versions.find((version) => version.name === name)
}

export function subresourceOf(version: KindVersion, name: string): Subresource | undefined {
  return version.subresources.find((subresource) => subresource.name === name)
}

export function hasStatus(version: KindVersion): boolean {
  return version.subresources.some((subresource) => subresource.name === 'status')
}
