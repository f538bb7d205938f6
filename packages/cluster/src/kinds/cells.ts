/** What printers of tables are made of: parts of objects that may be missing or of another type. Pure. */
import { isObject, type Json, type JsonObject } from '../json.ts'
import { field, type KubeObject } from '../object.ts'

export type Printer = (object: KubeObject, now: Date) => Json
export type Printers = { readonly [column: string]: Printer }

export const part = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
export const parts = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.map((v: Json) => part(v)) : []
export const text = (value: Json | undefined, absent = '') =>
  value === undefined || value === null ? absent : String(value)
export const count = (value: Json | undefined): number => (typeof value === 'number' ? value : 0)
export const size = (value: Json | undefined): number =>
  Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0
export const joined = (values: readonly string[], absent = '<none>') => values.join(',') || absent

export const at =
  (path: string, absent = ''): Printer =>
  (object) => {
    let value: Json | undefined = object
    for (const name of path.split('.')) value = field(value, name)
    return value === undefined || value === null ? absent : typeof value === 'object' ? '' : value
  }
export const number =
  (path: string): Printer =>
  (object) => {
    const value = at(path)(object, new Date(0))
    return typeof value === 'number' ? value : 0
  }
export const flag =
  (path: string): Printer =>
  (object) =>
    at(path)(object, new Date(0)) === true
export const sizeOf =
  (name: string): Printer =>
  (object) =>
    size(object[name])

export function templateSpec({ spec, template }: KubeObject): JsonObject {
  const found = field(spec, 'template') ?? field(field(field(spec, 'jobTemplate'), 'spec'), 'template') ?? template
  return part(field(found, 'spec'))
}
