/** Unknown fields: ignored, warned of or refused, as the client asks by fieldValidation. */
import { invalidValue, notSupported } from '../http/field-error.ts'
import { badRequest, type Cause, invalidOptions, StatusError } from '../http/status.ts'
import { type Json, printJson } from '../json.ts'
import type { Operation } from './backend.ts'

const modes = ['Ignore', 'Warn', 'Strict']

/** Tells of unknown fields and duplicate keys. `sent` is what a patch made, for the words of the refusal. */
export function reportUnknown({ call, verb, kind, version }: Operation, unknown: readonly string[], sent?: Json): void {
  const mode = call.query.get('fieldValidation') || 'Warn'
  const lines = [
    ...call.duplicates.splice(0).map((path) => `duplicate field "${path}"`),
    ...unknown.map((path) => `unknown field "${path}"`),
  ]
  if (lines.length === 0 || mode === 'Ignore') return
  if (mode !== 'Strict') return void call.warnings.push(...lines)
  const message = `strict decoding error: ${lines.join(', ')}`
  if (verb !== 'patch') {
    throw badRequest(`${kind.kind} in version "${version.name}" cannot be handled as a ${kind.kind}: ${message}`)
  }
  throw patchInvalid(invalidValue('patch', printJson(sent ?? ''), message))
}

/** A patch that leaves something unreadable: the original does not know any more what it was about. */
export function patchInvalid(cause: Cause): StatusError {
  return new StatusError(422, 'Invalid', ` "" is invalid: ${cause.field}: ${cause.message}`, { causes: [cause] })
}

/** The query parameters that every write understands. Throws Invalid for values that nobody knows. */
export function checkWriteOptions(
  operation: Operation,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
): void {
  const { query } = operation.call
  const mode = query.get('fieldValidation')
  const causes = []
  if (mode && !modes.includes(mode))
    causes.push(notSupported('fieldValidation', mode, ['', 'Ignore', 'Strict', 'Warn']))
  for (const value of query.getAll('dryRun')) {
    if (value !== 'All') causes.push(notSupported('dryRun', [value], ['All']))
  }
  causes.push(...managerCauses(query.get('fieldManager') ?? ''))
  if (causes.length > 0) throw invalidOptions(kind, causes)
}

function managerCauses(manager: string) {
  if (new TextEncoder().encode(manager).length > 128) {
    return [{ reason: 'FieldValueTooLong', message: 'Too long: may not be more than 128 bytes', field: 'fieldManager' }]
  }
  const at = [...manager].findIndex((c) => /\p{C}/u.test(c))
  if (at === -1) return []
  const code = ([...manager][at]?.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  const message = `Invalid value: ${printJson(manager)}: invalid character U+${code} (at position ${at})`
  return [{ reason: 'FieldValueInvalid', message, field: 'fieldManager' }]
}

export const isDryRun = ({ call }: Operation) => call.query.getAll('dryRun').includes('All')
