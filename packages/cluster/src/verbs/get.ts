/** GET of one object. */
import type { Answer } from '../http/message.ts'
import { bareFailure, notFound, tooLargeVersion } from '../http/status.ts'
import { convert } from '../kinds/views.ts'
import { type Operation, tableOf } from '../request/backend.ts'
import type { StoredRecord } from '../storage/record.ts'
import { keyOf } from '../storage/table.ts'
import { objectAnswer, valueAnswer } from './answer.ts'
import { scaleOf } from './scale.ts'

/** How long a read waits for a version that the counter has not reached. */
export const versionPatience = 3

export async function get(operation: Operation): Promise<Answer> {
  await notOlderThan(operation)
  const record = stored(operation)
  if (operation.subresource?.name === 'scale') {
    return valueAnswer(operation, 200, scaleOf(convert(record.object, operation.kind, operation.version), operation))
  }
  return objectAnswer(operation, 200, record)
}

/** The object that the request names. Throws NotFound. */
export function stored(operation: Operation): StoredRecord {
  const { backend, kind, namespace, name } = operation
  const record = tableOf(backend, kind).get(keyOf(namespace, name))
  if (!record) throw notFound(kind, name)
  return record
}

async function notOlderThan({ backend, call }: Operation): Promise<void> {
  const text = call.query.get('resourceVersion') ?? ''
  if (text === '') return
  if (!/^\d+$/.test(text))
    throw bareFailure(`Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`)
  const { revision } = backend.storage
  const reached = await revision.reached(Number(text), versionPatience, backend.timetable, call.signal)
  if (!reached) throw tooLargeVersion(Number(text), revision.current)
}
