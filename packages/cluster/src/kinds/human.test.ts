import { describe, expect, it } from 'vitest'
import { humanDuration, selectorText } from './human.ts'
import { findJson } from './json-path.ts'

const second = 1000
const hour = 3600 * second

describe('an age', () => {
  it.each([
    [0, '0s'],
    [119 * second, '119s'],
    [120 * second, '2m'],
    [200 * second, '3m20s'],
    [10 * 60 * second, '10m'],
    [3 * hour, '3h'],
    [3.5 * hour, '3h30m'],
    [47 * hour, '47h'],
    [49 * hour, '2d1h'],
    [24 * 30 * hour, '30d'],
    [24 * 365 * 3 * hour, '3y'],
    [-5 * second, '<invalid>'],
  ])('of %d milliseconds is %s', (milliseconds, text) => {
    expect(humanDuration(milliseconds)).toBe(text)
  })
})

describe('a selector', () => {
  it('is printed as kubectl takes it', () => {
    const selector = {
      matchLabels: { b: '2', a: '1' },
      matchExpressions: [{ key: 'c', operator: 'In', values: ['x', 'y'] }],
    }
    expect(selectorText(selector)).toBe('a=1,b=2,c in (x,y)')
    expect(selectorText({})).toBe('<none>')
  })
})

describe('a JSON path', () => {
  const object = {
    a: { 'b.c': [1, 2, { d: 'x' }] },
    list: [
      { type: 'A', v: 1 },
      { type: 'B', v: 2 },
    ],
  }
  it.each([
    ['.a.b\\.c[0]', [1]],
    [".a['b.c'][2].d", ['x']],
    ['.list[*].v', [1, 2]],
    ['.list[-1].v', [2]],
    ['.list[?(@.type=="B")].v', [2]],
    ['.list[?(@.type!="B")].v', [1]],
    ['.nothing.here', []],
    ['.constructor', []],
    ['.a[', []],
  ])('%s finds %j', (path, expected) => {
    expect(findJson(path, object)).toEqual(expected)
  })
})
