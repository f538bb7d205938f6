import type { KubeObject, OwnerReference, StringMap } from '@binnacle/core'

/**
 * Making objects the children of others.
 * Guarantees: all of these return copies, one object for one object and a list for a list; what was given is not changed.
 */

export interface AdoptOptions {
  /** Overwrite what is there. @default false */
  readonly forced?: boolean
  /** Use the owner's very name instead of `generateName: <owner>-`. @default false */
  readonly strict?: boolean
  /** @default true */
  readonly controller?: boolean
  /** @default true */
  readonly blockOwnerDeletion?: boolean
}

interface Meta {
  readonly name?: string
  readonly generateName?: string
  readonly namespace?: string
  readonly labels?: StringMap
  readonly ownerReferences?: readonly OwnerReference[]
}

/** Owner reference, name, namespace and labels of the owner. */
export function adopt<const O extends object>(objects: O, owner: KubeObject, options: AdoptOptions = {}): O {
  return onEach(objects, (meta) => adoptedMeta(meta, owner, options))
}

export function ownerReference(
  owner: KubeObject,
  options: Pick<AdoptOptions, 'controller' | 'blockOwnerDeletion'> = {},
): OwnerReference {
  const { controller = true, blockOwnerDeletion = true } = options
  const { name, uid } = owner.metadata
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller, blockOwnerDeletion }
}

function adoptedMeta(meta: Meta, owner: KubeObject, options: AdoptOptions): Meta {
  return {
    ...meta,
    ...nameOf(meta, owner, options),
    ...namespaceOf(meta, owner, options),
    labels: options.forced
      ? { ...meta.labels, ...owner.metadata.labels }
      : { ...owner.metadata.labels, ...meta.labels },
    ownerReferences: withReference(meta.ownerReferences ?? [], ownerReference(owner, options)),
  }
}

function nameOf(meta: Meta, owner: KubeObject, { forced, strict }: AdoptOptions): Pick<Meta, 'name' | 'generateName'> {
  if (!forced && (meta.name || meta.generateName)) return {}
  return strict ? { name: owner.metadata.name } : { generateName: `${owner.metadata.name}-` }
}

function namespaceOf(meta: Meta, owner: KubeObject, { forced }: AdoptOptions): Pick<Meta, 'namespace'> {
  const { namespace } = owner.metadata
  return namespace === undefined || (meta.namespace && !forced) ? {} : { namespace }
}

function withReference(references: readonly OwnerReference[], added: OwnerReference): readonly OwnerReference[] {
  return references.some(({ uid }) => uid === added.uid) ? references : [...references, added]
}

function onEach<O extends object>(objects: O, change: (meta: Meta) => Meta): O {
  if (Array.isArray(objects)) return objects.map((object) => onEach(object, change)) as unknown as O
  return { ...objects, metadata: change((objects as { metadata?: Meta }).metadata ?? {}) }
}
