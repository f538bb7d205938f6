/** How a stored object is shown: in a served version, or as its metadata alone. */
import type { KubeObject } from '../object.ts'
import { fillDefaults } from '../schema/defaults.ts'
import type { View } from '../storage/record.ts'
import { groupVersion, type Kind, type KindVersion } from './kind.ts'

/** An object of the kind in another of its versions: only apiVersion differs, and what that version's schema adds. */
export function convert(object: KubeObject, kind: Kind, version: KindVersion): KubeObject {
  const apiVersion = groupVersion(kind.group, version.name)
  if (object.apiVersion === apiVersion) return object
  const converted = { ...object, apiVersion }
  return version.schema ? (fillDefaults(converted, version.schema) as KubeObject) : converted
}

export function objectView(kind: Kind, version: KindVersion): View {
  return { id: version.name, render: (object) => convert(object, kind, version) }
}

export function metadataView(version: 'v1' | 'v1beta1'): View {
  return {
    id: `metadata ${version}`,
    render: (object) => ({
      kind: 'PartialObjectMetadata',
      apiVersion: `meta.k8s.io/${version}`,
      metadata: object.metadata,
    }),
  }
}
