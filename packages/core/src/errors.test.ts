import { describe, expect, it } from 'vitest'
import { BinnacleError, explain, messageOf } from './errors.ts'

const options = { message: 'May not watch pods', hint: 'Grant the rule below.', fix: 'verbs:\n- watch' }

describe('an error of Binnacle', () => {
  it('has a code, a message, a hint, a fix and a cause', () => {
    const cause = new Error('403')
    const error = new BinnacleError('BIN_NETWORK', { ...options, cause })
    expect(error).toMatchObject({ name: 'BinnacleError', code: 'BIN_NETWORK', ...options, cause })
    expect(error).toBeInstanceOf(Error)
    expect('cause' in new BinnacleError('BIN_NETWORK', options)).toBe(false)
  })

  it('explains itself without a stack: the message, the hint, and the fix indented', () => {
    expect(explain(new BinnacleError('BIN_NETWORK', options))).toBe(
      'May not watch pods\nGrant the rule below.\n  verbs:\n  - watch',
    )
  })
})

describe('whatever was thrown', () => {
  it.each([
    [new TypeError('boom'), 'boom'],
    ['text', 'text'],
    [5, '5'],
    [undefined, 'undefined'],
    [null, 'null'],
    [Symbol('s'), 'Symbol(s)'],
    [{ message: 'like an error' }, 'like an error'],
    [{ code: 1 }, '{"code":1}'],
    [Object.create(null), '{}'],
    [{ toJSON: () => undefined }, '[object Object]'],
    [{ n: 1n }, '[object Object]'],
  ])('%o has a message, and can be explained', (thrown, message) => {
    expect(messageOf(thrown)).toBe(message)
    expect(explain(thrown)).toBe(message)
  })
})
