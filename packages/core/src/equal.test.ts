import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { json } from '../test/arbitrary-json.ts'
import { deepEqual } from './equal.ts'
import { copyJson } from './hostile.ts'

describe('deepEqual', () => {
  it('agrees with Node about any two values of JSON', () => {
    fc.assert(fc.property(json(), json(), (a, b) => deepEqual(a, b) === isDeepStrictEqual(a, b)))
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => deepEqual(a, b) === isDeepStrictEqual(a, b)))
  })

  it('finds a copy equal, whatever the order of its members', () => {
    fc.assert(fc.property(json(), (value) => deepEqual(value, copyJson(value))))
    expect(deepEqual({ a: 1, b: [{ c: 2 }] }, { b: [{ c: 2 }], a: 1 })).toBe(true)
  })

  it('is strict by type', () => {
    const different: [unknown, unknown][] = [
      [0, false],
      [1, '1'],
      [null, undefined],
      [[], {}],
      [{}, []],
      [{ a: undefined }, { b: undefined }],
      [[1], [1, 2]],
      [new Map(), new Map()],
    ]
    for (const [a, b] of different) expect([a, b, deepEqual(a, b)]).toEqual([a, b, false])
  })

  it('takes an object without a prototype for one like any other', () => {
    expect(deepEqual(Object.assign(Object.create(null), { a: 1 }), { a: 1 })).toBe(true)
  })
})
