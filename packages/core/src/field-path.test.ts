import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fieldKeys, jsonPointer, valueAt } from './field-path.ts'

const body = { spec: { size: 3, items: [{ a: 1 }], text: 'abc', none: null }, metadata: { labels: { 'a.b/c': 'x' } } }

describe('a field path', () => {
  it('is written with dots, or as a list where keys have dots themselves', () => {
    expect(fieldKeys('spec.size')).toEqual(['spec', 'size'])
    expect(valueAt(body, fieldKeys('spec.size'))).toBe(3)
    expect(valueAt(body, fieldKeys(['metadata', 'labels', 'a.b/c']))).toBe('x')
    expect(valueAt(body, [])).toBe(body)
  })

  it('tells null from absent', () => {
    expect(valueAt(body, ['spec', 'none'])).toBeNull()
    expect(valueAt(body, ['spec', 'other'])).toBeUndefined()
  })

  it.each([
    'spec.size.x',
    'spec.text.length',
    'spec.items.0',
    'spec.items.length',
    'spec.none.x',
    'spec.toString',
    'x.y',
  ])('finds nothing at %s, which leads through something that is not a mapping or to nothing', (field) => {
    expect(valueAt(body, fieldKeys(field))).toBeUndefined()
  })
})

describe('a JSON pointer', () => {
  it('escapes what RFC 6901 says', () => {
    expect(jsonPointer([])).toBe('')
    expect(jsonPointer(['metadata', 'annotations', 'example.com/a~b', ''])).toBe(
      '/metadata/annotations/example.com~1a~0b/',
    )
  })

  it('can be read back', () => {
    const read = (pointer: string) =>
      pointer
        .split('/')
        .slice(1)
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    const key = fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a') })
    fc.assert(fc.property(fc.array(key), (keys) => void expect(read(jsonPointer(keys))).toEqual(keys)))
  })
})
