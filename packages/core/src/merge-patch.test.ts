import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { json, jsonObject } from '../test/arbitrary-json.ts'
import { deepFreeze } from './freeze.ts'
import { copyJson, getOwn, isPlainObject } from './hostile.ts'
import { applyMergePatch, combineMergePatch } from './merge-patch.ts'

describe('a merge patch', () => {
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('does what the table of RFC 7386 says: %j with %j is %j', (document, patch, expected) => {
    expect(applyMergePatch(document, patch)).toEqual(expected)
  })

  it('never changes the original, and shares what did not change', () => {
    const document = deepFreeze({ spec: { a: 1 }, status: { b: 1 } })
    const result = applyMergePatch(document, { spec: { a: 2 } }) as typeof document
    expect(result).toEqual({ spec: { a: 2 }, status: { b: 1 } })
    expect(result.status).toBe(document.status)
    fc.assert(
      fc.property(
        json(['a', 'b']),
        json(['a', 'b']),
        (x, patch) => void applyMergePatch(deepFreeze(x), deepFreeze(patch)),
      ),
    )
  })

  it('changes nothing more when it is applied again', () => {
    fc.assert(
      fc.property(json(['a', 'b']), json(['a', 'b']), (document, patch) => {
        const once = applyMergePatch(document, patch)
        expect(applyMergePatch(once, patch)).toEqual(once)
      }),
    )
  })

  it('ignores members that are undefined, as JSON does', () => {
    expect(applyMergePatch({ a: 1 }, { a: undefined, b: { c: undefined } })).toEqual({ a: 1, b: {} })
  })
})

/** Whether somewhere `first` leaves no mapping, and `second` then writes one: what no merge patch can say. */
function replacesByMapping(first: object, second: object): boolean {
  return Object.entries(second).some(([key, change]) => {
    const before = getOwn(first, key)
    if (before === undefined || !isPlainObject(change)) return false
    return isPlainObject(before) ? replacesByMapping(before, change) : true
  })
}

describe('the sum of two merge patches', () => {
  const sum = (a: object, b: object) => {
    const into = copyJson(a)
    combineMergePatch(into, b)
    return into
  }

  it('does what both do, one after the other', () => {
    const patch = () => jsonObject(['a', 'b'])
    fc.assert(
      fc.property(json(['a', 'b']), patch(), patch(), (document, a, b) => {
        fc.pre(!replacesByMapping(a, b))
        expect(applyMergePatch(document, sum(a, b))).toEqual(applyMergePatch(applyMergePatch(document, a), b))
      }),
      { numRuns: 500 },
    )
  })

  it('keeps old members where a mapping follows a removal, since no merge patch can say otherwise', () => {
    const combined = sum({ a: null }, { a: { b: 1 } })
    expect(combined).toEqual({ a: { b: 1 } })
    expect(applyMergePatch({ a: { old: 1 } }, combined)).toEqual({ a: { old: 1, b: 1 } })
  })

  it('keeps a removal inside of what is new', () => {
    expect(sum({}, { a: { b: null } })).toEqual({ a: { b: null } })
    expect(sum({ a: { b: 1 } }, { a: { b: null, c: undefined } })).toEqual({ a: { b: null } })
  })

  it('shares nothing with the patch that was added', () => {
    const patch = { a: { b: [1] } }
    const into: { a?: { b: number[] } } = {}
    combineMergePatch(into, patch)
    into.a?.b.push(2)
    expect(patch).toEqual({ a: { b: [1] } })
  })

  it('refuses __proto__ at any depth', () => {
    for (const text of ['{"__proto__": 1}', '{"a": {"b": {"__proto__": {"c": 1}}}}'])
      expect(() => sum({}, JSON.parse(text))).toThrow(expect.objectContaining({ code: 'BIN_PATCH' }))
  })
})
