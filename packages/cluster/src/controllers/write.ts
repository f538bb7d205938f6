/** What a controller wants done, as data: decisions are pure, and one place carries them out. */
import { createHash } from 'node:crypto'
import { equalJson, isObject, type Json, type JsonObject, printJson } from '../json.ts'
import { groupVersion } from '../kinds/kind.ts'
import { field, type KubeObject } from '../object.ts'

export interface Write {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body: JsonObject
}

/** What is there now, as far as a controller looks. */
export interface World {
  /** The objects of a kind that name this one as their controller, in the order of their names. */
  owned(plural: string, owner: KubeObject): readonly KubeObject[]
  /** Kubernetes' Time. */
  readonly now: string
}

export interface Controller {
  /** Of the kind that it looks after. */
  readonly group: string
  readonly plural: string
  decide(object: KubeObject, world: World): readonly Write[]
}

export function collection(group: string, plural: string, namespace: string | undefined): string {
  const root = group === '' ? '/api/v1' : `/apis/${groupVersion(group, 'v1')}`
  return `${root}/namespaces/${namespace}/${plural}`
}

export const pathOf = (group: string, plural: string, { metadata }: KubeObject) =>
  `${collection(group, plural, metadata.namespace)}/${metadata.name}`

/** The status, if it is not so already. Null takes a field away. */
export function statusWrite(path: string, object: KubeObject, status: JsonObject): readonly Write[] {
  const present = isObject(object.status) ? object.status : {}
  const same = Object.entries(status).every(([key, value]) => equalJson(present[key] ?? null, value ?? null))
  return same ? [] : [{ method: 'PATCH', path: `${path}/status`, body: { status } }]
}

export const part = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => field(at, key), value)

export const number = (value: Json | undefined, absent: number) => (typeof value === 'number' ? value : absent)

/** Zero is absent, as in the original. */
export const count = (value: number): Json => (value === 0 ? null : value)

export const living = (objects: readonly KubeObject[]) =>
  objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined)

export function isReady({ status }: KubeObject): boolean {
  const conditions = field(status, 'conditions')
  if (!Array.isArray(conditions)) return false
  return conditions.some(
    (condition: Json) => field(condition, 'type') === 'Ready' && field(condition, 'status') === 'True',
  )
}

export const ownerReference = ({ apiVersion, kind, metadata }: KubeObject): JsonObject => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
})

export interface PodWish {
  readonly owner: KubeObject
  /** As metadata; a name, or a beginning of one. */
  readonly name: { readonly name: string } | { readonly generateName: string }
  readonly labels?: JsonObject
}

/** A pod by the template of its owner. */
export function podWrite({ owner, name, labels }: PodWish): Write {
  const template = field(owner.spec, 'template')
  const metadata = part(template, 'metadata')
  const own = part(metadata, 'labels')
  const annotations = part(metadata, 'annotations')
  return {
    method: 'POST',
    path: collection('', 'pods', owner.metadata.namespace),
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...name,
        labels: { ...(isObject(own) ? own : {}), ...labels },
        ...(isObject(annotations) ? { annotations } : {}),
        ownerReferences: [ownerReference(owner)],
      },
      spec: part(template, 'spec') ?? {},
    },
  }
}

export const deletion = (group: string, plural: string, object: KubeObject): Write => ({
  method: 'DELETE',
  path: pathOf(group, plural, object),
  body: { propagationPolicy: 'Background', preconditions: { uid: object.metadata.uid } },
})

const alphabet = 'bcdfghjklmnpqrstvwxz2456789'

/** A name for a template: the same for the same, in letters that spell no word. */
export function hashOf(value: Json | undefined): string {
  const bytes = createHash('sha256')
    .update(printJson(value ?? null))
    .digest()
  return [...bytes.subarray(0, 10)].map((byte) => alphabet[byte % alphabet.length]).join('')
}
