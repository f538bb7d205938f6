/** How verbs answer with objects: the client's version and format, from bytes that are shared where they can be. */
import { type Answer, bytesAnswer, jsonAnswer } from '../http/message.ts'
import { type Format, negotiate, protobufType } from '../http/negotiate.ts'
import { encodeProtobuf } from '../http/protobuf-writer.ts'
import { isTrue } from '../http/router.ts'
import { badRequest, notAcceptable } from '../http/status.ts'
import { bytesOf, type JsonObject, parseJson, printJson, textOf } from '../json.ts'
import type { Kind } from '../kinds/kind.ts'
import { messageOfKind } from '../kinds/messages.ts'
import { scaleTable, type TableFormat } from '../kinds/table.ts'
import { metadataView, objectView, tableView } from '../kinds/views.ts'
import type { Operation } from '../request/backend.ts'
import type { StoredRecord, View } from '../storage/record.ts'
import { yamlText } from '../yaml.ts'

export function formatOf(operation: Operation): Format {
  const { headers } = operation.call
  return negotiate(headers.get('accept'), operation.verb === 'watch', isBinary(operation))
}

/** Whether the kind can be written in protobuf. */
const isBinary = ({ kind, version, subresource }: Operation) =>
  kind.builtIn && subresource?.group === undefined && messageOfKind(kind.group, version.name, kind.kind) !== undefined

const included = ['None', 'Metadata', 'Object']

/** How a table is to look. Throws BadRequest for a value of includeObject that nobody knows. */
export function tableFormat({ backend, call }: Operation, { version }: Format): TableFormat {
  const include = call.query.get('includeObject') || 'Metadata'
  if (!included.includes(include)) throw badRequest(`unrecognized includeObject value: "${include}"`)
  return { version, include: include as TableFormat['include'], now: backend.clock.now() }
}

/** The view of single objects: in an answer or in an event. */
export function viewOf(operation: Operation, format: Format, withColumns = true): View {
  if (format.as === 'Table') {
    return tableView(operation.kind, operation.version, tableFormat(operation, format), withColumns)
  }
  return format.as === 'object' ? objectView(operation.kind, operation.version) : metadataView(format.version)
}

/** What the original calls a kind in its own code, which is what some of its messages show. */
export function goType({ builtIn, group, kind, listKind }: Kind, list: boolean): string {
  if (!builtIn) return list ? '*unstructured.UnstructuredList' : '*unstructured.Unstructured'
  return `*${group.split('.')[0] || 'core'}.${list ? listKind : kind}`
}

export function objectAnswer(operation: Operation, status: number, record: StoredRecord): Answer {
  const format = formatOf(operation)
  if (format.as === 'PartialObjectMetadataList') {
    throw notAcceptable(
      `you requested PartialObjectMetadataList, but the requested object is not a list (${goType(operation.kind, false)})`,
    )
  }
  if (format.as !== 'Table') return encoded(operation, format, status, record.encoded(viewOf(operation, format)))
  const shown = viewOf(operation, format).render(record.object)
  return encoded(operation, format, status, bytesOf(printJson(shown)))
}

/** JSON bytes in whatever form the client wants them. */
export function encoded(operation: Operation, format: Format, status: number, json: Uint8Array): Answer {
  if (format.encoding === 'protobuf') {
    const bytes = encodeProtobuf(parseJson(textOf(json)) as JsonObject)
    if (bytes) return bytesAnswer(status, protobufType, bytes)
  }
  if (format.encoding === 'yaml') {
    return bytesAnswer(status, 'application/yaml', bytesOf(yamlText(parseJson(textOf(json)))))
  }
  if (isTrue(operation.call.query.get('pretty'))) {
    return bytesAnswer(status, 'application/json', bytesOf(`${printJson(parseJson(textOf(json)), 2)}\n`))
  }
  return bytesAnswer(status, 'application/json', json)
}

/** Something that is not stored as it is shown: a Scale, a Status. */
export function valueAnswer(operation: Operation, status: number, value: JsonObject): Answer {
  const format = formatOf(operation)
  if (format.as === 'Table' && value.kind === 'Scale') {
    const table = scaleTable(value, tableFormat(operation, format))
    return encoded(operation, format, status, bytesOf(printJson(table)))
  }
  return format.encoding === 'json'
    ? jsonAnswer(status, value)
    : encoded(operation, format, status, bytesOf(printJson(value)))
}
