import { operator, resource } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { isDeclaredResource, isOperator, type OperatorLike } from './shapes.ts'

describe('what is looked for in a file', () => {
  it('fits the operator of binnacle, in types and by shape', () => {
    const op: OperatorLike = operator('hello')
    expect(isOperator(op)).toBe(true)
  })

  it('fits a declared resource', () => {
    expect(isDeclaredResource(resource({ group: 'example.com', version: 'v1', kind: 'App' }))).toBe(true)
  })

  it.each([null, undefined, 1, 'op', {}, { name: 'x' }, () => {}, [], { definition: null }])('is not %o', (value) => {
    expect(isOperator(value)).toBe(false)
    expect(isDeclaredResource(value)).toBe(false)
  })
})
