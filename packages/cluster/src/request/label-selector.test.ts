import { describe, expect, it } from 'vitest'
import { parseLabelSelector } from './label-selector.ts'

const matches = (selector: string, labels?: Record<string, string>) => parseLabelSelector(selector)?.(labels) ?? true

describe('a label selector', () => {
  it.each([
    ['a=b', { a: 'b' }, true],
    ['a==b', { a: 'c' }, false],
    ['a!=b', {}, true],
    ['a in (b,c)', { a: 'c' }, true],
    ['a in (b,c)', {}, false],
    ['a in ()', { a: '' }, true],
    ['a notin (b)', {}, true],
    ['a notin (b)', { a: 'b' }, false],
    ['a', { a: '' }, true],
    ['!a', { a: '' }, false],
    ['a>1', { a: '2' }, true],
    ['a<1', { a: 'x' }, false],
    ['a=b,!c', { a: 'b' }, true],
    ['a=', { a: '' }, true],
    ['', {}, true],
    ['example.com/a=b', { 'example.com/a': 'b' }, true],
    ['constructor', {}, false],
  ])('%s on %j is %s', (selector, labels, expected) => {
    expect(matches(selector, labels as Record<string, string>)).toBe(expected)
  })

  it.each(['a=b=c', 'a in b', 'a in (b', '=a', 'a>x', ',', 'a b', 'a=b,'])('refuses %s', (selector) => {
    expect(() => parseLabelSelector(selector)).toThrow(expect.objectContaining({ code: 400 }))
  })
})
