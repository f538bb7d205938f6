import { fieldKeys, isPlainObject, type KubeObject, type OwnerReference, type StringMap, valueAt } from '@binnacle/core'
import { DeclarationError } from './declaration-error.ts'

/**
 * Making objects the children of others.
 * Guarantees: all of these return copies, one object for one object and a list, however deeply nested, for a list; what was given is not changed.
 */

export interface AdoptOptions {
  /** Overwrite what is there. @default false */
  readonly forced?: boolean
  /** Use the owner's very name instead of `generateName: <owner>-`. @default false */
  readonly strict?: boolean
  /** Further places that carry labels, such as `spec.template`: one, or several. Places that an object does not have are left out. @default none */
  readonly nested?: string | readonly string[]
  /** @default true */
  readonly controller?: boolean
  /** @default true */
  readonly blockOwnerDeletion?: boolean
}

/** Which object, as others refer to it. */
export interface ObjectReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly namespace?: string
}

interface Meta {
  readonly name?: string
  readonly generateName?: string
  readonly namespace?: string
  readonly labels?: StringMap
  readonly ownerReferences?: readonly OwnerReference[]
}
interface Child {
  readonly metadata?: Meta
}
type Naming = Pick<AdoptOptions, 'forced' | 'strict'>
type Owning = Pick<AdoptOptions, 'controller' | 'blockOwnerDeletion'>
type Labelling = Pick<AdoptOptions, 'forced' | 'nested'>

/** Owner reference, name, namespace and labels of the owner. An owner without a namespace can own everything, and gives no namespace. */
export function adopt<const O extends object>(objects: O, owner: KubeObject, options: AdoptOptions = {}): O {
  const { name, namespace, labels = {} } = owner.metadata
  const owned = appendOwnerReference(objects, owner, options)
  const named = harmonizeNaming(owned, name, options)
  const placed = namespace === undefined ? named : adjustNamespace(named, namespace, options)
  return label(placed, labels, options)
}

/** Adds the owner, unless it is there already. */
export function appendOwnerReference<const O extends object>(objects: O, owner: KubeObject, options: Owning = {}): O {
  const added = ownerReference(owner, options)
  return onEach(objects, (meta) => {
    const present = meta.ownerReferences ?? []
    return present.some(({ uid }) => uid === added.uid) ? meta : { ...meta, ownerReferences: [...present, added] }
  })
}

/** Takes the owner away, wherever it is. */
export function removeOwnerReference<const O extends object>(objects: O, owner: KubeObject): O {
  return onEach(objects, ({ ownerReferences: present, ...meta }) => {
    const left = present?.filter(({ uid }) => uid !== owner.metadata.uid) ?? []
    return left.length === 0 ? meta : { ...meta, ownerReferences: left }
  })
}

/** Names those that have neither a name nor a generated one: `generateName: <name>-`, or, strictly, the very name. */
export function harmonizeNaming<const O extends object>(objects: O, name: string, options: Naming = {}): O {
  const { forced = false, strict = false } = options
  return onEach(objects, (meta) => {
    if (!forced && (meta.name || meta.generateName)) return meta
    const { name: _, generateName: __, ...unnamed } = meta
    return strict ? { ...unnamed, name } : { ...unnamed, generateName: `${name}-` }
  })
}

/** Puts those into the namespace that are in none. Undefined, which is what an owner of the whole cluster has, changes nothing unless forced. */
export function adjustNamespace<const O extends object>(
  objects: O,
  namespace: string | undefined,
  options: Pick<AdoptOptions, 'forced'> = {},
): O {
  return onEach(objects, (meta) => {
    if (meta.namespace && !options.forced) return meta
    const { namespace: _, ...elsewhere } = meta
    return namespace === undefined ? elsewhere : { ...elsewhere, namespace }
  })
}

/** Adds the labels that are missing, in the object and in the places that it nests. */
export function label<const O extends object>(objects: O, labels: StringMap, options: Labelling = {}): O {
  const { forced = false, nested = [] } = options
  const paths = (typeof nested === 'string' ? [nested] : nested).map((path) => keysOf(path))
  const labelled = (meta: Meta): Meta => ({
    ...meta,
    labels: forced ? { ...meta.labels, ...labels } : { ...labels, ...meta.labels },
  })
  if (Object.keys(labels).length === 0) return onEach(objects, (meta) => meta)
  const own = onEach(objects, labelled)
  return onObjects(own, (object) => paths.reduce<Child>((sum, path) => within(sum, path, labelled), object))
}

export function ownerReference(owner: KubeObject, options: Owning = {}): OwnerReference {
  const { controller = true, blockOwnerDeletion = true } = options
  const { name, uid } = owner.metadata
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller, blockOwnerDeletion }
}

export function objectReference({ apiVersion, kind, metadata }: KubeObject): ObjectReference {
  const { name, uid, namespace } = metadata
  return { apiVersion, kind, name, uid, ...(namespace !== undefined && { namespace }) }
}

function keysOf(path: string): readonly string[] {
  const keys = fieldKeys(path)
  if (path !== '' && keys.every((key) => key !== '')) return keys
  throw new DeclarationError({
    message: `${JSON.stringify(path)} is no place where labels could be`,
    hint: 'Name the stanza that has metadata of its own.',
    fix: "label(deployment, { app: 'web' }, { nested: 'spec.template' })",
  })
}

/** The object with other metadata in one of its stanzas, if it has that stanza. */
function within(object: Child, path: readonly string[], change: (meta: Meta) => Meta): Child {
  const stanza = valueAt(object, path)
  return isPlainObject(stanza) ? (replaced(object, path, onEach(stanza as Child, change)) as Child) : object
}

/** Copies along the path only. */
function replaced(value: object, path: readonly string[], stanza: object): object {
  const [key, ...rest] = path
  if (key === undefined) return stanza
  const inner = (value as { readonly [key: string]: object })[key] ?? {}
  return { ...value, [key]: replaced(inner, rest, stanza) }
}

function onEach<O extends object>(objects: O, change: (meta: Meta) => Meta): O {
  return onObjects(objects, (object) => ({ ...object, metadata: change(object.metadata ?? {}) }))
}

function onObjects<O extends object>(objects: O, change: (object: Child) => Child): O {
  if (Array.isArray(objects)) return objects.map((object) => onObjects(object, change)) as unknown as O
  return change(objects as Child) as O
}
