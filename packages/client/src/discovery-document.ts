import { isPlainObject, type PlainObject, type ResourceInfo } from '@binnacle/core'

/**
 * Discovery documents of both forms → what they say. Pure.
 * Guarantees: a document that is damaged in one place is read in the others; the order of the server (preferred first) is kept.
 */

export interface Discovered {
  readonly resources: readonly ResourceInfo[]
  /** Groups with versions that the server could not tell about. */
  readonly broken: readonly string[]
}

/** One version of a group, as it is listed. */
export interface GroupVersion {
  readonly group: string
  readonly version: string
}

/** An APIGroupDiscoveryList: everything in one document. */
export function readAggregated(document: unknown): Discovered {
  const resources: ResourceInfo[] = []
  const broken: string[] = []
  for (const group of objects(document, 'items')) {
    const name = isPlainObject(group.metadata) ? text(group.metadata.name) : ''
    for (const version of objects(group, 'versions')) {
      const groupVersion = { group: name, version: text(version.version) }
      if (version.freshness === 'Stale') broken.push(labelOf(groupVersion))
      for (const entry of objects(version, 'resources')) resources.push(aggregatedResource(entry, groupVersion))
    }
  }
  return { resources: withPreference(resources), broken }
}

export function isAggregated(document: unknown): document is PlainObject {
  return isPlainObject(document) && document.kind === 'APIGroupDiscoveryList'
}

/** The versions of the core group. */
export function readCoreVersions(document: unknown): readonly GroupVersion[] {
  const versions = isPlainObject(document) && Array.isArray(document.versions) ? document.versions : []
  return versions.filter((version) => typeof version === 'string').map((version) => ({ group: '', version }))
}

/** The versions of all other groups, those that the server prefers first. */
export function readGroupVersions(document: unknown): readonly GroupVersion[] {
  return objects(document, 'groups').flatMap((group) => {
    const preferred = isPlainObject(group.preferredVersion) ? text(group.preferredVersion.version) : ''
    const versions = objects(group, 'versions').map((version) => text(version.version))
    const ordered = [...versions].sort((a, b) => Number(b === preferred) - Number(a === preferred))
    return ordered.map((version) => ({ group: text(group.name), version }))
  })
}

/** An APIResourceList: the resources of one version, in which subresources are entries of their own. */
export function readResourceList(document: unknown, groupVersion: GroupVersion): readonly ResourceInfo[] {
  const entries = objects(document, 'resources')
  const names = entries.map((entry) => text(entry.name))
  return entries
    .filter((entry) => !text(entry.name).includes('/'))
    .map((entry) => {
      const plural = text(entry.name)
      const subresources = names
        .filter((name) => name.startsWith(`${plural}/`))
        .map((name) => name.slice(plural.length + 1))
      return info(groupVersion, {
        plural,
        kind: text(entry.kind),
        singular: text(entry.singularName),
        namespaced: entry.namespaced === true,
        verbs: texts(entry.verbs),
        shortNames: texts(entry.shortNames),
        categories: texts(entry.categories),
        subresources,
      })
    })
}

/** Marks of each resource the first version that has it. */
export function withPreference(resources: readonly ResourceInfo[]): readonly ResourceInfo[] {
  const seen = new Set<string>()
  return resources.map((resource) => {
    const key = `${resource.plural}.${resource.group}`
    const preferred = !seen.has(key)
    seen.add(key)
    return { ...resource, preferred }
  })
}

/** What cannot be told about now is as it was: a group whose server is down for a moment has not been uninstalled. */
export function withFormer(now: Discovered, former: Discovered | undefined): Discovered {
  const told = new Set(now.resources.map(({ apiVersion }) => apiVersion))
  const untold = new Set(now.broken.filter((label) => !told.has(label)))
  const kept = former?.resources.filter(({ apiVersion }) => untold.has(apiVersion)) ?? []
  return kept.length === 0 ? now : { ...now, resources: withPreference([...now.resources, ...kept]) }
}

export function labelOf({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`
}

function aggregatedResource(entry: PlainObject, groupVersion: GroupVersion): ResourceInfo {
  return info(groupVersion, {
    plural: text(entry.resource),
    kind: isPlainObject(entry.responseKind) ? text(entry.responseKind.kind) : '',
    singular: text(entry.singularResource),
    namespaced: entry.scope === 'Namespaced',
    verbs: texts(entry.verbs),
    shortNames: texts(entry.shortNames),
    categories: texts(entry.categories),
    subresources: objects(entry, 'subresources').map((subresource) => text(subresource.subresource)),
  })
}

type Told = Pick<
  ResourceInfo,
  'plural' | 'kind' | 'singular' | 'namespaced' | 'verbs' | 'shortNames' | 'categories' | 'subresources'
>

function info(groupVersion: GroupVersion, told: Told): ResourceInfo {
  return {
    ...groupVersion,
    ...told,
    apiVersion: labelOf(groupVersion),
    scope: told.namespaced ? 'Namespaced' : 'Cluster',
    singular: told.singular || told.kind.toLowerCase(),
    preferred: false,
  }
}

function objects(holder: unknown, name: string): readonly PlainObject[] {
  const list = isPlainObject(holder) ? holder[name] : undefined
  return Array.isArray(list) ? list.filter(isPlainObject) : []
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
