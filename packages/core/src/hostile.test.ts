import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { json } from '../test/arbitrary-json.ts'
import { diff } from './diff.ts'
import { deepEqual } from './equal.ts'
import { valueAt } from './field-path.ts'
import { deepFreeze } from './freeze.ts'
import { copyJson, getOwn, isPlainObject, setOwn } from './hostile.ts'
import { createJsonPatch } from './json-patch.ts'
import { applyMergePatch, combineMergePatch } from './merge-patch.ts'
import { matchesLabels, parseLabelSelector } from './selector.ts'

const attack = () => JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}')
const polluted = () => (({}) as { polluted?: unknown }).polluted

describe('data from outside', () => {
  it('never reaches a prototype, whatever is done with it', () => {
    const [document, patch] = [attack(), attack()]
    const attempts = [
      () => copyJson(document),
      () => applyMergePatch({}, patch),
      () => applyMergePatch(document, { a: 1 }),
      () => combineMergePatch({}, { a: patch }),
      () => combineMergePatch({}, patch),
      () => diff(document, {}),
      () => createJsonPatch({}, document),
      () => deepFreeze(document),
    ]
    for (const attempt of attempts) {
      let result: unknown
      try {
        result = attempt()
      } catch (error) {
        expect(error).toMatchObject({ code: 'BIN_PATCH' })
        continue
      }
      expect((result as { polluted?: unknown } | undefined)?.polluted).toBeUndefined()
      expect(polluted()).toBeUndefined()
    }
  })

  it('is not found on a prototype either', () => {
    expect(getOwn({}, 'constructor')).toBeUndefined()
    expect(valueAt({}, ['constructor', 'name'])).toBeUndefined()
    expect(matchesLabels(parseLabelSelector('constructor'), {})).toBe(false)
    expect(deepEqual(JSON.parse('{"__proto__": 1}'), { a: 1 })).toBe(false)
  })
})

describe('a copy of JSON', () => {
  it('is equal to the original and shares nothing with it', () => {
    fc.assert(
      fc.property(json(), (value) => {
        const copy = copyJson(deepFreeze(value))
        expect(JSON.stringify(copy)).toBe(JSON.stringify(value))
        expect(deepEqual(copy, value)).toBe(true)
        if (typeof value === 'object' && value !== null) expect(Object.isFrozen(copy)).toBe(false)
      }),
    )
  })

  it('keeps a key called __proto__ as a key, because a ConfigMap may have one', () => {
    const copy = copyJson(JSON.parse('{"data": {"__proto__": "x"}}'))
    expect(Object.keys(copy.data)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(copy.data)).toBe(Object.prototype)
  })
})

describe('setOwn', () => {
  it('writes any other name, and refuses __proto__ with advice', () => {
    const target = {}
    setOwn(target, 'constructor', 1)
    setOwn(target, 'toString', 2)
    expect(target).toEqual({ constructor: 1, toString: 2 })
    expect(() => setOwn(target, '__proto__', {})).toThrow(expect.objectContaining({ code: 'BIN_PATCH' }))
  })
})

describe('a plain object', () => {
  it('is one without a class', () => {
    expect([{}, Object.create(null), JSON.parse('{"__proto__":1}')].map(isPlainObject)).toEqual([true, true, true])
    const others = [null, undefined, [], new Map(), new Date(), 'x', 1, () => {}, new (class {})(), Object.create({})]
    expect(others.map(isPlainObject)).toEqual(others.map(() => false))
  })
})
