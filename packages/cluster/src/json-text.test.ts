import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson, printJson } from './json.ts'
import { duplicateKeys, parseExactly } from './json-text.ts'

describe('JSON read character by character', () => {
  it('gives what JSON.parse gives', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(2), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), null, indent)
        fc.pre(!spaced.includes('__proto__') && !/\d{16}/.test(spaced))
        expect(printJson(parseExactly(spaced))).toBe(JSON.stringify(JSON.parse(spaced)))
      }),
    )
  })

  it('keeps integers beyond 2^53, in and out', () => {
    const text = '{"a":9007199254740993,"b":[-9223372036854775808],"c":"9007199254740993","d":1.5}'
    expect(printJson(parseJson(text))).toBe(text)
  })

  it('names keys that come twice, each once', () => {
    expect(duplicateKeys('{"a":{"b":1,"b":2,"b":3},"c":[{"d":1,"d":2}],"a":1}')).toEqual(['a.b', 'c[0].d', 'a'])
    expect(duplicateKeys('{"a":{"b":"b\\"b"},"b":{"a":1}}')).toEqual([])
  })
})
