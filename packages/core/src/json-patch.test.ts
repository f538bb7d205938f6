import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { json } from '../test/arbitrary-json.ts'
import { createJsonPatch, type JsonPatch } from './json-patch.ts'

/** Applies add, replace and remove as RFC 6902 says, on Maps; shares no line with what it tests. */
function applied(document: unknown, patch: JsonPatch): unknown {
  let root = toMaps(document)
  for (const operation of patch) {
    const keys = operation.path
      .split('/')
      .slice(1)
      .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'))
    const last = keys.pop()
    const value = 'value' in operation ? toMaps(operation.value) : undefined
    if (last === undefined) {
      root = value
      continue
    }
    const target = keys.reduce<unknown>((at, key) => (at as Map<string, unknown>).get(key), root) as Map<
      string,
      unknown
    >
    if (operation.op !== 'add' && !target.has(last)) throw new Error(`there is no ${operation.path} to ${operation.op}`)
    if (operation.op === 'remove') target.delete(last)
    else target.set(last, value)
  }
  return root
}

function toMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toMaps)
  if (typeof value !== 'object' || value === null) return value
  return new Map(Object.entries(value).map(([key, member]) => [key, toMaps(member)]))
}

describe('a JSON patch', () => {
  it('turns one document into the other', () => {
    const names = ['a', 'b', 'x/y', 'm~n', '~1', '', '__proto__']
    fc.assert(
      fc.property(json(names), json(names), (before, after) => {
        expect(applied(before, createJsonPatch(before, after))).toEqual(toMaps(after))
      }),
      { numRuns: 500 },
    )
  })

  it('is empty for documents that are equal', () => {
    fc.assert(fc.property(json(), (value) => createJsonPatch(value, structuredClone(value)).length === 0))
  })

  it('says no more than what differs, in a fixed order', () => {
    expect(createJsonPatch({ a: 1, b: { c: 1, d: [1] }, e: 1 }, { b: { d: [2], c: 1 }, f: null, e: 1 })).toEqual([
      { op: 'remove', path: '/a' },
      { op: 'replace', path: '/b/d', value: [2] },
      { op: 'add', path: '/f', value: null },
    ])
  })

  it('escapes slashes and tildes in keys', () => {
    expect(createJsonPatch({}, { 'example.com/a~b': 1 })).toEqual([{ op: 'add', path: '/example.com~1a~0b', value: 1 }])
  })

  it('tells null from absent, which a merge patch cannot', () => {
    expect(createJsonPatch({ a: null }, {})).toEqual([{ op: 'remove', path: '/a' }])
    expect(createJsonPatch({ a: 1 }, { a: null })).toEqual([{ op: 'replace', path: '/a', value: null }])
  })
})
