/** DeleteOptions: from the body, or from the query when there is none. */
import { invalidValue, notSupported } from '../http/field-error.ts'
import type { Call } from '../http/message.ts'
import { badRequest, type Cause, invalidOptions } from '../http/status.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { field } from '../object.ts'
import { decodeBody } from './decode.ts'

export type Propagation = 'Foreground' | 'Background' | 'Orphan'

export interface DeleteOptions {
  readonly propagation: Propagation | undefined
  readonly orphanDependents: boolean | undefined
  readonly graceSeconds: number | undefined
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  readonly dryRun: boolean
}

export const plainDelete: DeleteOptions = {
  propagation: undefined,
  orphanDependents: undefined,
  graceSeconds: undefined,
  uid: undefined,
  resourceVersion: undefined,
  dryRun: false,
}

export function deleteOptions(call: Call): DeleteOptions {
  const raw = call.body.length > 0 ? fromBody(call) : fromQuery(call.query)
  const causes = [...propagationCauses(raw), ...dryRunCauses(raw.dryRun)]
  if (causes.length > 0) throw invalidOptions('DeleteOptions', causes)
  const text = (value: Json | undefined) => (typeof value === 'string' && value !== '' ? value : undefined)
  return {
    propagation: text(raw.propagationPolicy) as Propagation | undefined,
    orphanDependents: typeof raw.orphanDependents === 'boolean' ? raw.orphanDependents : undefined,
    graceSeconds: typeof raw.gracePeriodSeconds === 'number' ? Math.max(raw.gracePeriodSeconds, -1) : undefined,
    uid: text(field(raw.preconditions, 'uid')),
    resourceVersion: text(field(raw.preconditions, 'resourceVersion')),
    dryRun: Array.isArray(raw.dryRun) && raw.dryRun.includes('All'),
  }
}

function fromBody(call: Call): JsonObject {
  const body = decodeBody(call.headers.get('content-type'), call.body)
  if (!isObject(body)) throw badRequest('the body is not a DeleteOptions')
  if (body.kind !== undefined && body.kind !== 'DeleteOptions') {
    throw badRequest(
      `no kind "${String(body.kind)}" is registered for version "${String(body.apiVersion)}" in scheme "pkg/runtime/scheme.go:111"`,
    )
  }
  return body
}

function fromQuery(query: URLSearchParams): JsonObject {
  const orphan = query.get('orphanDependents')
  const grace = query.get('gracePeriodSeconds')
  if (grace !== null && !/^-?\d+$/.test(grace)) throw badRequest(`strconv.ParseInt: parsing "${grace}": invalid syntax`)
  return {
    propagationPolicy: query.get('propagationPolicy') ?? undefined,
    orphanDependents: orphan === null ? undefined : orphan !== 'false' && orphan !== '0',
    gracePeriodSeconds: grace === null ? undefined : Number(grace),
    dryRun: query.getAll('dryRun'),
  }
}

const policies = ['Foreground', 'Background', 'Orphan']

function propagationCauses({ propagationPolicy: policy, orphanDependents }: JsonObject): Cause[] {
  if (policy === undefined || policy === null) return []
  if (orphanDependents !== undefined && orphanDependents !== null) {
    return [invalidValue('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set')]
  }
  return typeof policy === 'string' && policies.includes(policy)
    ? []
    : [notSupported('propagationPolicy', policy, [...policies, 'nil'])]
}

function dryRunCauses(dryRun: Json | undefined): Cause[] {
  if (!Array.isArray(dryRun)) return []
  return dryRun.every((value: Json) => value === 'All') ? [] : [notSupported('dryRun', dryRun, ['All'])]
}
