/** How a stored object is shown: in a served version, or as its metadata alone. */

import { StatusError } from '../http/status.ts'
import type { JsonObject } from '../json.ts'
import type { KubeObject } from '../object.ts'
import { fillDefaults } from '../schema/defaults.ts'
import { prune } from '../schema/prune.ts'
import { formOf } from '../storage/forms.ts'
import type { View } from '../storage/record.ts'
import { coreEvent, isRenewedEvent, renewedEvent } from './event-forms.ts'
import { groupVersion, type Kind, type KindVersion, tableId } from './kind.ts'
import { columnsOf, rowOf, type TableFormat } from './table.ts'

/** An object of the kind in another of its versions: only apiVersion differs, and what that version's schema adds. */
export function convert(object: KubeObject, kind: Kind, version: KindVersion): KubeObject {
  const apiVersion = groupVersion(kind.group, version.name)
  if (object.apiVersion === apiVersion) return object
  if (tableId(kind) === '/events') return isRenewedEvent(kind) ? renewedEvent(object) : coreEvent(object)
  const form = kind.conversion === undefined ? undefined : formOf(object, apiVersion)
  if (form instanceof StatusError) throw form
  if (form) return form
  const converted = { ...object, apiVersion }
  if (!version.schema) return converted
  return fillDefaults(prune(converted, version.schema), version.schema) as KubeObject
}

export function objectView(kind: Kind, version: KindVersion): View {
  return { id: groupVersion(kind.group, version.name), render: (object) => convert(object, kind, version) }
}

/** A table of one row, for events: the columns come with the first event of a stream only. */
export function tableView(kind: Kind, version: KindVersion, format: TableFormat, withColumns: boolean): View {
  const second = Math.floor(format.now.getTime() / 1000)
  return {
    // Ages pass: an encoding is good for the second that it was made in.
    id: `table ${groupVersion(kind.group, version.name)} ${format.version} ${format.include} ${withColumns} ${second}`,
    render: (object) => tableOf(convert(object, kind, version), kind, version, format, withColumns),
  }
}

export function tableOf(
  object: KubeObject,
  kind: Kind,
  version: KindVersion,
  format: TableFormat,
  withColumns = true,
): JsonObject {
  const { resourceVersion } = object.metadata
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${format.version}`,
    metadata: resourceVersion === undefined ? {} : { resourceVersion },
    columnDefinitions: withColumns ? columnsOf(kind, version) : null,
    rows: [rowOf(object, kind, version, format)],
  }
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
