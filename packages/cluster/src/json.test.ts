import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { equalJson, type Json, own, parseJson } from './json.ts'

describe('JSON', () => {
  it('drops __proto__ at every depth and keeps other odd keys', () => {
    const parsed = parseJson('{"a":[{"__proto__":{"x":1},"constructor":2}],"__proto__":3}') as { a: Json[] }
    expect(parsed).toEqual({ a: [{ constructor: 2 }] })
    expect(Object.getPrototypeOf(parsed.a[0])).toBe(Object.prototype)
  })

  it('refuses a document that nests deeper than anybody needs, and takes a wide one', () => {
    expect(() => parseJson('['.repeat(2000) + ']'.repeat(2000))).toThrow(SyntaxError)
    expect(parseJson(`[${'[],'.repeat(2000)}[]]`)).toHaveLength(2001)
  })

  it('does not find what an object inherits', () => {
    expect(own({ a: 1 }, 'a')).toBe(1)
    expect(own({} as Record<string, unknown>, 'constructor')).toBeUndefined()
  })

  it('compares by content, whatever the order of keys (property)', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const shuffled = JSON.parse(JSON.stringify(a), (_, v) =>
          v && typeof v === 'object' && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).reverse()) : v,
        )
        expect(equalJson(JSON.parse(JSON.stringify(a)), shuffled)).toBe(true)
        const same = JSON.stringify(a) === JSON.stringify(b)
        if (same) expect(equalJson(a as Json, b as Json)).toBe(true)
        if (equalJson(a as Json, b as Json)) expect(b).toEqual(a)
      }),
    )
  })
})
