/** The query of a list or a watch, read and judged. Pure: the same query gives the same options or the same refusal. */
import { forbiddenField, notSupported } from '../http/field-error.ts'
import { isTrue } from '../http/router.ts'
import { badRequest, bareFailure, type Cause, invalidOptions } from '../http/status.ts'
import { everything, type Filter } from '../storage/change.ts'
import type { Operation } from './backend.ts'
import { parseFieldSelector } from './field-selector.ts'
import { parseLabelSelector } from './label-selector.ts'

export interface ListOptions {
  readonly filter: Filter
  /** The one name that the field selector allows. */
  readonly name: string | undefined
  readonly limit: number
  readonly continue: string
  /** undefined: not given. */
  readonly version: number | undefined
  readonly match: 'Exact' | 'NotOlderThan' | undefined
  readonly timeoutSeconds: number | undefined
  readonly bookmarks: boolean
  readonly initialEvents: boolean | undefined
}

export function listOptions(operation: Operation): ListOptions {
  const { query } = operation.call
  const labelText = query.get('labelSelector') ?? ''
  const fieldText = query.get('fieldSelector') ?? ''
  const labels = parseLabelSelector(labelText)
  const fields = parseFieldSelector(fieldText, operation.kind, operation.version)
  const initial = query.get('sendInitialEvents')
  checkCombination(query, operation.verb === 'watch', initial)
  return {
    filter:
      labels || fields
        ? {
            key: `${operation.version.name} ${labelText}\n${fieldText}`,
            matches: (object) => (labels?.(object.metadata.labels) ?? true) && (fields?.matches(object) ?? true),
          }
        : everything,
    name: fields?.name,
    limit: Math.max(0, whole(query.get('limit')) ?? 0),
    continue: query.get('continue') ?? '',
    version: versionOf(query.get('resourceVersion'), operation.verb === 'watch'),
    match: (query.get('resourceVersionMatch') || undefined) as ListOptions['match'],
    timeoutSeconds: whole(query.get('timeoutSeconds')),
    bookmarks: isTrue(query.get('allowWatchBookmarks')),
    initialEvents: initial === null ? undefined : isTrue(initial),
  }
}

function whole(text: string | null): number | undefined {
  if (text === null || text === '') return undefined
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`)
  if (BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) {
    throw badRequest(`strconv.ParseInt: parsing "${text}": value out of range`)
  }
  return Number(text)
}

function versionOf(text: string | null, watch: boolean): number | undefined {
  if (text === null || text === '') return undefined
  if (/^\d+$/.test(text)) return Number(text)
  const message = `Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`
  throw watch ? bareFailure(message) : badRequest(`resourceVersion: ${message}`)
}

function checkCombination(query: URLSearchParams, watch: boolean, initial: string | null): void {
  const match = query.get('resourceVersionMatch') ?? ''
  const version = query.get('resourceVersion') ?? ''
  const causes = watch
    ? watchCauses(match, query.get('continue') ?? '', initial)
    : listCauses(match, version, query.get('continue') ?? '', initial)
  if (causes.length > 0) throw invalidOptions('ListOptions', causes)
}

const known = (match: string) => match === 'Exact' || match === 'NotOlderThan'
const field = 'resourceVersionMatch'

function listCauses(match: string, version: string, token: string, initial: string | null): Cause[] {
  const causes: Cause[] = []
  if (initial !== null) causes.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  if (match === '') return causes
  const forbid = (why: string) => causes.push(forbiddenField(field, `resourceVersionMatch ${why}`))
  if (version === '') forbid('is forbidden unless resourceVersion is provided')
  if (token !== '') forbid('is forbidden when continue is provided')
  if (!known(match)) causes.push(notSupported(field, match, ['Exact', 'NotOlderThan', '']))
  if (match === 'Exact' && version === '0') forbid('"Exact" is forbidden for resourceVersion "0"')
  return causes
}

function watchCauses(match: string, token: string, initial: string | null): Cause[] {
  const causes: Cause[] = []
  if (token !== '') causes.push(forbiddenField(field, 'resourceVersionMatch is forbidden when continue is provided'))
  if (match !== '' && initial === null) {
    causes.push(
      forbiddenField(field, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    )
  }
  if (initial !== null && match !== 'NotOlderThan') {
    if (match === '' || known(match)) {
      causes.push(forbiddenField(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'))
    }
    if (match !== '') causes.push(notSupported(field, match, ['NotOlderThan']))
  }
  return causes
}
