import { expect, it } from 'vitest'
import { resultPatch } from './results.ts'

it('puts a result where it belongs, also under a key with dots in it', () => {
  expect(resultPatch({ a: 1 }, ['status', 'fn/spec.field'])).toEqual({ status: { 'fn/spec.field': { a: 1 } } })
  expect(resultPatch('text', ['status', 'children', 'names'])).toEqual({ status: { children: { names: 'text' } } })
})

it.each([[0], [false], [''], [[]], [{}]])('%j is a result', (result) => {
  expect(resultPatch(result, ['status', 'x'])).toEqual({ status: { x: result } })
})

it('puts nothing where there is no result, or no place for it', () => {
  expect(resultPatch(undefined, ['status', 'x'])).toBeUndefined()
  expect(resultPatch(null, ['status', 'x'])).toBeUndefined()
  expect(resultPatch({ a: 1 }, undefined)).toBeUndefined()
})

it('copies the result, so that what the handler does to it later does not matter', () => {
  const result = { a: { b: 1 } }
  const patch = resultPatch(result, ['status', 'x'])
  result.a.b = 2
  expect(patch).toEqual({ status: { x: { a: { b: 1 } } } })
})
