/** The causes of an Invalid answer, worded as Kubernetes words them. */
import { type Json, printJson } from '../json.ts'
import type { Cause } from './status.ts'

const shown = (value: Json | undefined) => (value === undefined ? 'null' : printJson(value))

export const required = (field: string, detail?: string): Cause => ({
  reason: 'FieldValueRequired',
  message: detail ? `Required value: ${detail}` : 'Required value',
  field,
})
export const invalidValue = (field: string, value: Json | undefined, detail: string): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${shown(value)}: ${detail}`,
  field,
})
export const typeInvalid = (field: string, value: Json | undefined, detail: string): Cause => ({
  reason: 'FieldValueTypeInvalid',
  message: `Invalid value: ${shown(value)}: ${detail}`,
  field,
})
export const notSupported = (field: string, value: Json | undefined, supported: readonly Json[]): Cause => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${shown(value)}: supported values: ${supported.map(shown).join(', ')}`,
  field,
})
export const duplicate = (field: string, value: Json): Cause => ({
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${shown(value)}`,
  field,
})
export const notFound = (field: string, value: Json): Cause => ({
  reason: 'FieldValueNotFound',
  message: `Not found: ${shown(value)}`,
  field,
})
export const forbiddenField = (field: string, detail: string): Cause => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${detail}`,
  field,
})
export const tooLong = (field: string, limit: number): Cause => ({
  reason: 'FieldValueTooLong',
  message: `Too long: may not be more than ${limit} bytes`,
  field,
})
export const tooMany = (field: string, count: number, limit: number): Cause => ({
  reason: 'FieldValueTooMany',
  message: `Too many: ${count}: must have at most ${limit} items`,
  field,
})
