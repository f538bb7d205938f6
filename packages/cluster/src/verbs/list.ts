/**
 * GET of a collection.
 * Guarantees: all pages of a list come from one snapshot, the version that the first page names; the list's version is the
 * counter's at the time of reading, so that a watch from it misses nothing.
 */

import { joined } from '../http/byte-stream.ts'
import { type Answer, jsonAnswer } from '../http/message.ts'
import type { Format } from '../http/negotiate.ts'
import { badRequest, expired, notAcceptable, tooLargeVersion } from '../http/status.ts'
import { bytesOf, type JsonObject, printJson } from '../json.ts'
import { groupVersion } from '../kinds/kind.ts'
import { columnsOf, rowOf } from '../kinds/table.ts'
import { convert } from '../kinds/views.ts'
import { checkReady, type Operation, tableOf } from '../request/backend.ts'
import { type ListOptions, listOptions } from '../request/list-options.ts'
import { everything } from '../storage/change.ts'
import type { StoredRecord } from '../storage/record.ts'
import type { Records } from '../storage/table.ts'
import { encoded, formatOf, goType, tableFormat, viewOf } from './answer.ts'
import { parseToken, printToken } from './continue.ts'
import { versionPatience } from './get.ts'

export interface Page {
  readonly records: readonly StoredRecord[]
  readonly revision: number
  readonly continue?: string
  readonly remaining?: number
}

export async function list(operation: Operation): Promise<Answer> {
  const options = listOptions(operation)
  checkContinuation(options)
  checkReady(operation)
  await reach(operation, options.version)
  return listAnswer(operation, page(operation, options))
}

/** The version that a read relies on may be a moment ahead of us. */
async function reach({ backend, call }: Operation, version: number | undefined): Promise<void> {
  if (version === undefined) return
  const { revision } = backend.storage
  const reached = await revision.reached(version, versionPatience, backend.timetable, call.signal)
  if (!reached) throw tooLargeVersion(version, revision.current)
}

function checkContinuation(options: ListOptions): void {
  if (options.continue !== '' && options.version !== undefined && options.version !== 0) {
    throw badRequest('specifying resource version is not allowed when using continue')
  }
}

/** What the selectors of a request match now; for deletecollection. */
export function selected(operation: Operation): Page {
  const options = listOptions(operation)
  const { current } = operation.backend.storage.revision
  const records = tableOf(operation.backend, operation.kind).list(operation.namespace)
  return { records: records.filter((record) => options.filter.matches(record.object)), revision: current }
}

interface Snapshot {
  readonly records: Records
  readonly revision: number
  readonly start: string
}

function page(operation: Operation, options: ListOptions): Page {
  const { records, revision, start } = snapshot(operation, options)
  const prefix = operation.namespace === '' ? '' : `${operation.namespace}/`
  const relative = (record: StoredRecord) => record.key.slice(prefix.length)
  const limit = options.version === 0 ? 0 : options.limit
  const found: StoredRecord[] = []
  for (let i = firstFrom(records, start, relative); i < records.length; i++) {
    const record = records.at(i) as StoredRecord
    if (!options.filter.matches(record.object)) continue
    if (limit > 0 && found.length === limit) {
      return cutAt(found, revision, relative, options.filter === everything ? records.length - i : undefined)
    }
    found.push(record)
  }
  return { records: found, revision }
}

/** The index of the first record at or after the key, by bisection: a page costs what it holds, not what lies before it. */
function firstFrom(records: Records, start: string, relative: (record: StoredRecord) => string): number {
  let low = 0
  let high = start === '' ? 0 : records.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (relative(records.at(middle) as StoredRecord) < start) low = middle + 1
    else high = middle
  }
  return low
}

function cutAt(
  found: readonly StoredRecord[],
  revision: number,
  relative: (record: StoredRecord) => string,
  remaining: number | undefined,
): Page {
  const last = found.at(-1)
  // The smallest key that is larger than the last one: nothing can come between.
  const token = printToken({ revision, start: `${last ? relative(last) : ''}\u0000` })
  return { records: found, revision, continue: token, ...(remaining === undefined ? {} : { remaining }) }
}

/** Which state a list shows: the present, or an exact one of the past. */
function snapshot(operation: Operation, options: ListOptions): Snapshot {
  const table = tableOf(operation.backend, operation.kind)
  const { current } = operation.backend.storage.revision
  const present = (start: string) => ({ records: table.view(operation.namespace), revision: current, start })
  if (options.continue !== '') {
    const { revision, start } = parseToken(options.continue)
    if (revision === -1) return present(start)
    const records = revision > current ? undefined : table.listAt(revision, operation.namespace)
    if (!records) throw expired(tokenTooOld, printToken({ revision: -1, start }))
    return { records, revision, start }
  }
  const exact = options.match === 'Exact' || (options.match === undefined && options.limit > 0)
  if (!exact || options.version === undefined || options.version === 0) return present('')
  const records = table.listAt(options.version, operation.namespace)
  if (!records) throw expired(`The resourceVersion for the provided list is too old: ${options.version}.`)
  return { records, revision: options.version, start: '' }
}

const tokenTooOld =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

const separator = bytesOf(',')
const opening = bytesOf('{')
const closing = bytesOf(']}')

export function listAnswer(operation: Operation, found: Page): Answer {
  const format = formatOf(operation)
  if (format.as === 'PartialObjectMetadata') {
    throw notAcceptable(
      `you requested PartialObjectMetadata, but the requested object is a list (${goType(operation.kind, true)})`,
    )
  }
  if (format.as === 'Table') return tableAnswer(operation, format, found)
  const head = headOf(operation, format, found)
  if (format.as === 'PartialObjectMetadataList' && found.records.length === 0) {
    return jsonAnswer(200, { ...head, items: null }) // The original's quirk: only this empty list is null.
  }
  const view = viewOf(operation, format)
  const cut = format.as === 'object' && operation.kind.builtIn ? typeLength(operation) : 0
  const chunks: Uint8Array[] = [bytesOf(`${printJson(head).slice(0, -1)},"items":[`)]
  for (const [i, record] of found.records.entries()) {
    const bytes = record.encoded(view)
    if (i > 0) chunks.push(separator)
    if (cut > 0) chunks.push(opening, bytes.subarray(cut))
    else chunks.push(bytes)
  }
  chunks.push(closing)
  return encoded(operation, format, 200, joined(chunks))
}

function tableAnswer(operation: Operation, format: Format, found: Page): Answer {
  const { kind, version } = operation
  const how = tableFormat(operation, format)
  const { metadata } = headOf(operation, format, found)
  const value = {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${format.version}`,
    metadata: metadata as JsonObject,
    columnDefinitions: columnsOf(kind, version),
    rows: found.records.map((record) => rowOf(convert(record.object, kind, version), kind, version, how)),
  }
  return encoded(operation, format, 200, bytesOf(printJson(value)))
}

function headOf({ kind, version }: Operation, format: Format, found: Page): JsonObject {
  const token = found.continue ?? (kind.builtIn || format.as !== 'object' ? undefined : '')
  const metadata = {
    resourceVersion: String(found.revision),
    ...(token === undefined ? {} : { continue: token }),
    ...(found.remaining === undefined ? {} : { remainingItemCount: found.remaining }),
  }
  return format.as === 'object'
    ? { kind: kind.listKind, apiVersion: groupVersion(kind.group, version.name), metadata }
    : { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${format.version}`, metadata }
}

/** Built-in items lack kind and apiVersion, which every encoded object begins with: its bytes are shared from there on. */
function typeLength({ kind, version }: Operation): number {
  const apiVersion = groupVersion(kind.group, version.name)
  return bytesOf(printJson({ kind: kind.kind, apiVersion })).length
}
