/** A custom kind with a scale subresource must keep an integer, or nothing, where its replicas are. */
import { invalidValue } from '../http/field-error.ts'
import type { Cause } from '../http/status.ts'
import { isObject, type Json, printJson } from '../json.ts'
import type { KindVersion } from '../kinds/kind.ts'
import type { KubeObject } from '../object.ts'

/** `loose`: the paths of integers that were not written as such. */
export function scaleCauses(object: KubeObject, { scale }: KindVersion, loose: ReadonlySet<string>): readonly Cause[] {
  if (!scale) return []
  const path = `.${scale.spec.join('.')}`
  const wrong = (value: Json, expected: string) => {
    const shown = typeof value === 'string' ? value : printJson(value)
    const why = `${path} accessor error: ${shown} is of the type ${typeName(value)}, expected ${expected}`
    return [invalidValue(path, 0, why)]
  }
  let value: Json | undefined = object
  for (const segment of scale.spec) {
    if (!isObject(value)) return wrong(value, 'map[string]interface{}')
    value = Object.hasOwn(value, segment) ? value[segment] : undefined
    if (value === undefined || value === null) return []
  }
  if (!Number.isInteger(value) || loose.has(scale.spec.join('.'))) return wrong(value, 'int64')
  return (value as number) < 0 ? [invalidValue(path, value, 'should be a non-negative integer')] : []
}

/** As Go calls it. */
function typeName(value: Json): string {
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  return typeof value === 'boolean' ? 'bool' : isObject(value) ? 'map[string]interface {}' : 'string'
}
