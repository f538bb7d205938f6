/** What a scheduler, a drain and a reader of logs ask of a pod: binding, eviction, log. There is no kubelet behind them. */
import { timestamp } from '../clock.ts'
import { type Answer, textAnswer } from '../http/message.ts'
import { badRequest, conflict, notFound } from '../http/status.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { field } from '../object.ts'
import { type Operation, tableOf } from '../request/backend.ts'
import { decodeBody } from '../request/decode.ts'
import { plainDelete } from '../request/delete-options.ts'
import { isDryRun } from '../request/field-validation.ts'
import type { StoredRecord } from '../storage/record.ts'
import { valueAnswer } from './answer.ts'
import { deleteRecord } from './delete.ts'
import { stored } from './get.ts'

/** Undefined when the request is about something else. */
export function podPart(operation: Operation): Answer | undefined {
  const { kind, subresource } = operation
  if (kind.group !== '' || kind.plural !== 'pods') return undefined
  switch (subresource?.name) {
    case 'binding':
      return bind(operation, stored(operation))
    case 'eviction':
      return evict(operation, stored(operation))
    case 'log':
      return log(operation, stored(operation))
    default:
      return undefined
  }
}

const done = (operation: Operation) =>
  valueAnswer(operation, 201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 })

function bind(operation: Operation, { object, key }: StoredRecord): Answer {
  const { backend, kind, name, call } = operation
  const body = decodeBody(call.headers.get('content-type'), call.body)
  const given = field(field(body, 'metadata'), 'name') ?? ''
  if (given !== name) throw badRequest('name in URL does not match name in Binding object')
  const node = field(field(body, 'target'), 'name')
  if (typeof node !== 'string' || node === '') throw badRequest('target.name: Required value')
  const spec = isObject(object.spec) ? object.spec : {}
  if (spec.nodeName) {
    throw conflict(kind, name, `pod ${name} is already assigned to node "${String(spec.nodeName)}"`)
  }
  if (isDryRun(operation)) return done(operation)
  const status = scheduled(isObject(object.status) ? object.status : {}, timestamp(backend.clock.now()))
  backend.storage.put(tableOf(backend, kind), key, { ...object, spec: { ...spec, nodeName: node }, status })
  return done(operation)
}

function scheduled(status: JsonObject, now: string): JsonObject {
  const known = Array.isArray(status.conditions) ? status.conditions : []
  const others = known.filter((condition: Json) => field(condition, 'type') !== 'PodScheduled')
  const condition = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now }
  return { ...status, conditions: [...others, condition] }
}

function evict(operation: Operation, record: StoredRecord): Answer {
  if (!isDryRun(operation)) deleteRecord(operation.backend, operation.kind, record, plainDelete)
  return done(operation)
}

/** A pod that is nowhere has said nothing; one that is somewhere would be asked there, and there is nobody. */
function log({ kind }: Operation, { object }: StoredRecord): Answer {
  const node = field(object.spec, 'nodeName')
  if (typeof node === 'string') throw notFound(kind, node)
  return textAnswer(200, '')
}
