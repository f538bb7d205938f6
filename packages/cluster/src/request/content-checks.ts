/** The checks of what ConfigMaps and Secrets hold. Pure. */
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
    ...typeCauses(object),
  ]
}

/** What a secret of a known type has to hold. */
const held: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
}

function typeCauses({ type, data, metadata }: KubeObject): Cause[] {
  const has = (key: string) => field(data, key) !== undefined
  const account = 'kubernetes.io/service-account.name'
  if (type === 'kubernetes.io/service-account-token') {
    return (metadata.annotations?.[account] ?? '') === '' ? [required(`metadata.annotations[${account}]`)] : []
  }
  if (type === 'kubernetes.io/basic-auth') {
    const names = ['username', 'password']
    return names.some(has) ? [] : names.map((key) => required(`data[${key}]`))
  }
  const wanted = Object.hasOwn(held, String(type)) ? (held[String(type)] ?? []) : []
  return wanted.filter((key) => !has(key)).map((key) => required(`data[${key}]`))
}
