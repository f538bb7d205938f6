import { describe, expect, it } from 'vitest'
import { grown, sizes, skippedTests, unfinished, vagueName } from './style.mjs'

const lines = (count: number, text = 'work()') => Array.from({ length: count }, () => text).join('\n')

describe('sizes', () => {
  it('counts code, neither blank lines nor comments', () => {
    const prose = `/**\n${lines(500, ' * words')}\n */\n\n// more\n`
    expect(sizes({ path: 'a.ts', text: prose + lines(300) })).toEqual({})
    expect(sizes({ path: 'a.ts', text: prose + lines(301) })).toEqual({ 'a.ts': 301 })
  })

  it('names the functions that are long, however they are written', () => {
    const body = `{\n${lines(69)}\n}`
    const text = `function f() ${body}\nconst g = () => ${body}\nclass C { m() ${body} }\nfunction short() { work() }`
    expect(sizes({ path: 'a.ts', text })).toEqual({ 'a.ts#f': 71, 'a.ts#g': 71, 'a.ts#m': 71 })
  })
})

it('lets what was long shrink but not grow', () => {
  expect(grown({ 'a.ts': 310 }, { 'a.ts': 320 })).toEqual([])
  expect(grown({ 'a.ts': 321 }, { 'a.ts': 320 })).toEqual([expect.stringContaining('it was 320')])
  expect(grown({ 'a.ts#f': 71 }, {})).toEqual([expect.stringContaining('the limit is 70')])
})

it('finds tests that are left out, and not words in strings', () => {
  const left = ['it', 'skip'].join('.')
  expect(skippedTests({ path: 'a.test.ts', text: `${left}('x', () => {})` })).toEqual([
    expect.stringContaining('a.test.ts:1'),
  ])
  expect(skippedTests({ path: 'a.test.ts', text: `const text = '${left}'` })).toEqual([])
})

it('finds what was left open', () => {
  expect(unfinished({ path: 'a.ts', text: `\n// ${'TO'}${'DO'}: later` })).toEqual([expect.stringContaining('a.ts:2')])
  expect(unfinished({ path: 'a.ts', text: `throw new Error('${'not'} implemented')` })).toHaveLength(1)
  expect(unfinished({ path: 'a.ts', text: `status(501, 'Not Implemented')` })).toEqual([])
})

it('wants files to be named after what they hold', () => {
  expect(vagueName('packages/core/src/utils.ts')).toHaveLength(1)
  expect(vagueName('packages/core/src/diff.ts')).toEqual([])
})
