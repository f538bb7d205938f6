import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../json.ts'
import { jsonPatch, PatchFailure } from './json.ts'
import { mergePatch } from './merge.ts'

describe('a JSON patch', () => {
  it.each([
    ['add', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['add to the end of an array', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    ['insert into an array', { a: [1] }, [{ op: 'add', path: '/a/0', value: 0 }], { a: [0, 1] }],
    ['replace a missing key, as the original does', {}, [{ op: 'replace', path: '/b', value: 2 }], { b: 2 }],
    ['copy a missing key as null, as the original does', {}, [{ op: 'copy', from: '/x', path: '/b' }], { b: null }],
    ['test a missing key against null', {}, [{ op: 'test', path: '/x', value: null }], {}],
    ['remove by a negative index', { a: [1, 2] }, [{ op: 'remove', path: '/a/-1' }], { a: [1] }],
    ['move', { a: { b: 1 } }, [{ op: 'move', from: '/a/b', path: '/c' }], { a: {}, c: 1 }],
    ['escaped names', { 'a/b~c': 1 }, [{ op: 'remove', path: '/a~1b~0c' }], {}],
  ])('can %s', (_, target, patch, expected) => {
    expect(jsonPatch(target as Json, patch as Json[])).toEqual(expected)
  })

  it.each([
    [{}, { op: 'remove', path: '/a' }],
    [{}, { op: 'move', from: '/a', path: '/b' }],
    [{}, { op: 'add', path: '/a/b', value: 1 }],
    [{ a: [] }, { op: 'add', path: '/a/5', value: 1 }],
    [{ a: 1 }, { op: 'test', path: '/a', value: 2 }],
    [{}, { op: 'bogus', path: '/a' }],
    [{}, { op: 'add', path: 'a', value: 1 }],
    [{}, { op: 'add', path: '/__proto__/x', value: 1 }],
  ])('fails on %j with %j', (target, operation) => {
    expect(() => jsonPatch(target as Json, [operation as Json])).toThrow(PatchFailure)
  })

  it('changes nothing of its input', () => {
    const target = Object.freeze({ a: Object.freeze([Object.freeze({ b: 1 })]) }) as unknown as Json
    expect(jsonPatch(target, [{ op: 'add', path: '/a/0/c', value: 2 }])).toEqual({ a: [{ b: 1, c: 2 }] })
    expect(target).toEqual({ a: [{ b: 1 }] })
  })
})

describe('a merge patch', () => {
  it('applied twice is the same as applied once, once the target is an object (property)', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (target, patch) => {
        // A list that replaces a map keeps its nulls, and loses them the next time: two more rounds settle that.
        const first = mergePatch(mergePatch(target as Json, patch as Json), patch as Json)
        const once = mergePatch(first, patch as Json)
        expect(mergePatch(once, patch as Json)).toEqual(once)
      }),
    )
  })

  it('follows the examples of its standard', () => {
    expect(mergePatch({ a: 'b', c: { d: 'e', f: 'g' } }, { a: 'z', c: { f: null } })).toEqual({ a: 'z', c: { d: 'e' } })
    expect(mergePatch({ a: [{ b: 'c' }] }, { a: [1] })).toEqual({ a: [1] })
    expect(mergePatch({ e: null }, { a: 1 })).toEqual({ e: null, a: 1 })
    expect(mergePatch([1, 2], { a: 'b', c: null })).toEqual({ a: 'b' })
  })
})
