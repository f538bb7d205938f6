import type { Json, JsonObject } from './json.ts'

/** What the cluster stores: a Kubernetes object as it goes over the wire. Never changed once it is stored. */
export interface KubeObject extends JsonObject {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: Metadata
  readonly spec?: Json
  readonly status?: Json
}

export interface Metadata extends JsonObject {
  readonly name?: string
  readonly generateName?: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: { readonly [key: string]: string }
  readonly annotations?: { readonly [key: string]: string }
  readonly ownerReferences?: readonly OwnerReference[]
  readonly finalizers?: readonly string[]
  readonly managedFields?: readonly JsonObject[]
}

export interface OwnerReference extends JsonObject {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** The same object with other metadata; kind and apiVersion stay in front, where the encoder looks for them. */
export function withMetadata(object: KubeObject, metadata: Metadata): KubeObject {
  return { ...object, metadata }
}

/** A field of a part that may be anything: undefined unless the part is an object. */
export function field(part: Json | undefined, key: string): Json | undefined {
  return typeof part === 'object' && part !== null && !Array.isArray(part) && Object.hasOwn(part, key)
    ? (part as JsonObject)[key]
    : undefined
}

export function withoutKey<T extends JsonObject>(object: T, key: string): T {
  if (!Object.hasOwn(object, key)) return object
  const { [key]: _, ...rest } = object
  return rest as T
}
