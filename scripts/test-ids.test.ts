import { expect, it } from 'vitest'
import { compare, idsIn, testNames } from './test-ids.mjs'

it('reads ids and ranges of ids out of a name', () => {
  expect(idsIn('ST1, RF28 to RF30, WL-ours: what they show')).toEqual(['ST1', 'RF28', 'RF29', 'RF30', 'WL-ours'])
  expect(idsIn('answers 410 and HTTP2, and is A7')).toEqual([])
})

it('finds the names of tests, and of nothing else', () => {
  const source = "describe('ST1', () => { it('ST2: a', f); it.each([1])(`ST3: b`, f); other('ST4') })"
  expect(testNames('x.test.ts', source).flatMap(idsIn)).toEqual(['ST2', 'ST3'])
})

it('says which ids have no test, and which nobody knows', () => {
  expect(compare(['ST1', 'ST2'], ['ST2', 'ST9'])).toEqual({ missing: ['ST1'], unknown: ['ST9'] })
})
