/**
 * JSON patch (RFC 6902), with the habits of the library that the API server uses: `replace` of a missing key adds it, `copy` of a
 * missing key writes null, `test` of a missing key against null holds, and an array index may be negative.
 * Guarantees: the input is not changed; it applies as a whole, or PatchFailure is thrown.
 */
import { equalJson, isObject, type Json, type JsonObject } from '../json.ts'

export class PatchFailure extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PatchFailure'
  }
}

type Draft = Record<string, Json | undefined> | (Json | undefined)[]

export function jsonPatch(target: Json, operations: readonly Json[]): Json {
  // The document is copied along each path that is written, once per path and operation: patches are short.
  let document: Json = target
  for (const operation of operations) {
    if (!isObject(operation)) throw new PatchFailure('an operation must be an object')
    document = tried(document, operation)
  }
  return document
}

/** Failures are told in the words of the original's library. */
function tried(document: Json, operation: JsonObject): Json {
  try {
    return applied(document, operation)
  } catch (error) {
    if (!(error instanceof PatchFailure)) throw error
    const { op, path } = operation
    if (op === 'remove') {
      const key = String(path).split('/').at(-1)
      throw new PatchFailure(
        `error in remove for path: '${String(path)}': Unable to remove nonexistent key: ${key}: missing value`,
      )
    }
    if (op !== 'replace' && op !== 'add') throw error
    throw new PatchFailure(`${op} operation does not apply: doc is missing path: ${String(path)}: missing value`)
  }
}

function applied(document: Json, operation: JsonObject): Json {
  const path = pointer(operation.path)
  switch (operation.op) {
    case 'add':
      return write(document, path, valueIn(operation), 'add')
    case 'replace':
      return write(document, path, valueIn(operation), 'replace')
    case 'remove':
      return remove(document, path)
    case 'move': {
      const from = pointer(operation.from)
      const moved = read(document, from)
      if (moved === undefined) throw new PatchFailure(`move from a missing path: ${from.join('/')}`)
      return write(remove(document, from), path, moved, 'add')
    }
    case 'copy':
      return write(document, path, read(document, pointer(operation.from)) ?? null, 'add')
    case 'test':
      if (!equalJson(read(document, path) ?? null, operation.value ?? null)) {
        throw new PatchFailure(`testing value ${String(operation.path)} failed: test failed`)
      }
      return document
    default:
      throw new PatchFailure(`unknown operation: ${String(operation.op)}`)
  }
}

/** A value that is left out is null. */
const valueIn = (operation: JsonObject): Json => operation.value ?? null

function pointer(text: Json | undefined): string[] {
  if (text === '') return []
  // The original drops what is before the first slash, whatever it is.
  if (typeof text !== 'string' || !text.includes('/')) throw new PatchFailure('a path must start with "/"')
  const segments = text
    .split('/')
    .slice(1)
    .map((s) => s.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (segments.includes('__proto__')) throw new PatchFailure('a path may not name __proto__')
  return segments
}

/** Undefined for a missing key; a missing parent is a failure. */
function read(document: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = document
  for (const segment of path) {
    if (Array.isArray(value)) value = value[index(segment, value.length)]
    else if (isObject(value)) value = Object.hasOwn(value, segment) ? value[segment] : undefined
    else throw new PatchFailure(`missing path: ${path.join('/')}`)
  }
  return value
}

function index(segment: string, length: number): number {
  if (!/^-?\d+$/.test(segment)) throw new PatchFailure(`not an array index: ${segment}`)
  const at = Number(segment)
  const found = at < 0 ? length + at : at
  if (found < 0 || found >= length) throw new PatchFailure(`index out of bounds: ${segment}`)
  return found
}

/** A copy of the document in which the parent of the path has been changed. */
function changed(document: Json, path: readonly string[], change: (parent: Draft, key: string) => void): Json {
  const [first, ...rest] = path
  if (first === undefined) throw new PatchFailure('the whole document cannot be changed this way')
  const copy = draftOf(document, path)
  if (rest.length === 0) {
    change(copy, first)
    return copy as Json
  }
  if (Array.isArray(copy)) {
    const at = index(first, copy.length)
    copy[at] = changed(copy[at] as Json, rest, change)
  } else {
    if (!Object.hasOwn(copy, first)) throw new PatchFailure(`missing path: ${path.join('/')}`)
    copy[first] = changed(copy[first] as Json, rest, change)
  }
  return copy as Json
}

function draftOf(value: Json, path: readonly string[]): Draft {
  if (Array.isArray(value)) return [...value]
  if (isObject(value)) return { ...value }
  throw new PatchFailure(`missing path: ${path.join('/')}`)
}

function write(document: Json, path: readonly string[], value: Json, how: 'add' | 'replace'): Json {
  if (path.length === 0) return value
  return changed(document, path, (parent, key) => {
    if (!Array.isArray(parent)) parent[key] = value
    else if (how === 'replace') parent[index(key, parent.length)] = value
    else if (key === '-') parent.push(value)
    else parent.splice(key === String(parent.length) ? parent.length : index(key, parent.length), 0, value)
  })
}

function remove(document: Json, path: readonly string[]): Json {
  return changed(document, path, (parent, key) => {
    if (Array.isArray(parent)) parent.splice(index(key, parent.length), 1)
    else if (Object.hasOwn(parent, key)) delete parent[key]
    else throw new PatchFailure(`missing key: ${key}`)
  })
}
