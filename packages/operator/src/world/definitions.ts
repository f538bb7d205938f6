import { isPlainObject, type KubeObject, type Resource, type ResourceInfo, resource, valueAt } from '@binnacle/core'

/** What the operator reads of a CustomResourceDefinition. The rest, which is large, is not kept. */
export interface Definition extends KubeObject {
  readonly group: string
  readonly plural: string
  /** The server has accepted its names, and serves it. */
  readonly established: boolean
  readonly versions: readonly DefinedVersion[]
}

export interface DefinedVersion {
  readonly name: string
  readonly served: boolean
  /** Its schema declares `status.conditions`. */
  readonly conditions: boolean
  /** Fields that the server can select by, such as `spec.color`. */
  readonly selectable: readonly string[]
  /** Those of `status` and `scale` that it has. */
  readonly subresources: readonly string[]
}

/** Where definitions are asked for, without a discovery. */
export const DEFINITIONS = resource({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  scope: 'Cluster',
}) as unknown as Resource

/** Groups without a dot, and those of k8s.io, are of Kubernetes itself: no definition brings or takes them. */
export function isCustom({ group }: Pick<ResourceInfo, 'group'>): boolean {
  return group.includes('.') && !group.endsWith('.k8s.io')
}

/** Reads what the server sent. Whatever is damaged counts as absent. */
export function definitionOf(crd: KubeObject): Definition {
  const { apiVersion, kind, metadata } = crd
  const { name, uid, resourceVersion, generation } = metadata
  const versions = listAt(crd, ['spec', 'versions']).filter(isPlainObject)
  return {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion, generation } as KubeObject['metadata'],
    group: String(valueAt(crd, ['spec', 'group']) ?? ''),
    plural: String(valueAt(crd, ['spec', 'names', 'plural']) ?? ''),
    established: listAt(crd, ['status', 'conditions']).some(
      (each) => isPlainObject(each) && each['type'] === 'Established' && each['status'] === 'True',
    ),
    versions: versions.map(versionOf),
  }
}

/** What the definition says of the version in which a kind is served; undefined where nothing is known. */
export function versionIn(definition: Definition | undefined, version: string): DefinedVersion | undefined {
  return definition?.versions.find(({ name }) => name === version)
}

/**
 * Whether discovery lags behind the definitions: a server takes a moment between accepting, or deleting, a definition and saying so.
 * `deleted`: names of definitions that are gone, whose kinds must not be there either.
 */
export function lagsBehind(
  definitions: readonly Definition[],
  resources: readonly ResourceInfo[],
  deleted: ReadonlySet<string>,
): boolean {
  const served = new Map(resources.map((info) => [`${info.plural}.${info.group}/${info.version}`, info]))
  const isOld = ({ metadata, established, versions }: Definition) =>
    established && versions.some((each) => !isAsDefined(each, served.get(`${metadata.name}/${each.name}`)))
  return definitions.some(isOld) || resources.some(({ plural, group }) => deleted.has(`${plural}.${group}`))
}

function isAsDefined({ served, subresources }: DefinedVersion, info: ResourceInfo | undefined): boolean {
  if (!served || !info) return served === (info !== undefined)
  return SUBRESOURCES.every((name) => subresources.includes(name) === info.subresources.includes(name))
}

const SUBRESOURCES = ['status', 'scale']
const CONDITIONS = ['schema', 'openAPIV3Schema', 'properties', 'status', 'properties', 'conditions', 'type']

function versionOf(version: object): DefinedVersion {
  const fields = listAt(version, ['selectableFields']).map((field) => valueAt(field, ['jsonPath']))
  return {
    name: String(valueAt(version, ['name']) ?? ''),
    served: valueAt(version, ['served']) === true,
    conditions: valueAt(version, CONDITIONS) === 'array',
    selectable: fields.filter((path) => typeof path === 'string').map((path) => path.replace(/^\./, '')),
    subresources: SUBRESOURCES.filter((name) => isPlainObject(valueAt(version, ['subresources', name]))),
  }
}

function listAt(value: unknown, keys: readonly string[]): readonly unknown[] {
  const list = valueAt(value, keys)
  return Array.isArray(list) ? list : []
}
