/** The checks of what ConfigMaps, Secrets and Services hold. Pure. */
import { forbiddenField, invalidValue, required, tooLong } from '../http/field-error.ts'
import type { Cause } from '../http/status.ts'
import { equalJson, isObject, type Json } from '../json.ts'
import { field, type KubeObject } from '../object.ts'

const limit = 1024 * 1024
const keyRule =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

const entries = (value: Json | undefined): [string, string][] =>
  isObject(value) ? Object.entries(value).map(([key, text]) => [key, String(text ?? '')]) : []

const decodedSize = (text: string) => Buffer.byteLength(text, 'base64')

function keyCauses(part: string, value: Json | undefined): Cause[] {
  return entries(value).flatMap(([key]) => {
    const causes: Cause[] = []
    const at = `${part}[${key}]`
    if (key.length > 253) causes.push(invalidValue(at, key, 'must be no more than 253 bytes'))
    if (!/^[-._a-zA-Z0-9]+$/.test(key)) causes.push(invalidValue(at, key, keyRule))
    if (key === '.' || key === '..') causes.push(invalidValue(at, key, `must not be '${key}'`))
    else if (key.startsWith('..')) causes.push(invalidValue(at, key, "must not start with '..'"))
    return causes
  })
}

/** Once immutable, always, and so is the content. */
function frozenCauses(object: KubeObject, old: KubeObject | undefined, parts: readonly string[]): Cause[] {
  if (old?.immutable !== true) return []
  const why = 'field is immutable when `immutable` is set'
  const changed = parts.filter((part) => !equalJson(object[part] ?? null, old[part] ?? null))
  return [...(object.immutable === true ? [] : ['immutable']), ...changed].map((part) => forbiddenField(part, why))
}

export function configMapCauses(object: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  const binary = new Set(entries(object.binaryData).map(([key]) => key))
  const shared = entries(object.data).filter(([key]) => binary.has(key))
  const text = entries(object.data).reduce((size, [, value]) => size + Buffer.byteLength(value), 0)
  const size = entries(object.binaryData).reduce((sum, [, value]) => sum + decodedSize(value), text)
  return [
    ...frozenCauses(object, old, ['data', 'binaryData']),
    ...keyCauses('data', object.data),
    ...shared.map(([key]) => invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...keyCauses('binaryData', object.binaryData),
    ...(size > limit ? [tooLong('[]', limit)] : []),
  ]
}

export function secretCauses(object: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  const size = entries(object.data).reduce((sum, [, value]) => sum + decodedSize(value), 0)
  const retyped = old !== undefined && old.type !== object.type
  return [
    ...(retyped ? [invalidValue('type', object.type, 'field is immutable')] : []),
    ...frozenCauses(object, old, ['data']),
    ...keyCauses('data', object.data),
    ...(size > limit ? [tooLong('data', limit)] : []),
  ]
}

/** Ports are needed unless there is no address, and names as soon as there are several. */
export function serviceCauses({ spec }: KubeObject): readonly Cause[] {
  const ports = field(spec, 'ports')
  const list = Array.isArray(ports) ? (ports as readonly Json[]) : []
  const headless = field(spec, 'clusterIP') === 'None'
  if (list.length === 0 && !headless && field(spec, 'type') !== 'ExternalName') return [required('spec.ports')]
  return list.flatMap((port, i): Cause[] => {
    const at = `spec.ports[${i}]`
    const number = field(port, 'port')
    const wrong = typeof number !== 'number' || number < 1 || number > 65535
    return [
      ...(list.length > 1 && (field(port, 'name') ?? '') === '' ? [required(`${at}.name`)] : []),
      ...(wrong ? [invalidValue(`${at}.port`, number ?? 0, 'must be between 1 and 65535, inclusive')] : []),
    ]
  })
}
