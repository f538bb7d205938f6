import { describe, expect, it } from 'vitest'
import { HandlerRetriesError, HandlerTimeoutError, PermanentError, TemporaryError } from './errors.ts'

describe('the delay of a temporary error', () => {
  it.each([
    [undefined, 60],
    [null, 0],
    [0, 0],
    [5, 5],
    ['500ms', 0.5],
    ['2m', 120],
  ] as const)('%s is %s seconds', (delay, seconds) => {
    expect(new TemporaryError('later', delay === undefined ? {} : { delay }).delay).toBe(seconds)
  })

  it('must be one', () => {
    expect(() => new TemporaryError('later', { delay: '10 minutes' as never })).toThrow('is not a duration')
  })
})

it('both limits are permanent errors', () => {
  expect(new HandlerTimeoutError('x')).toBeInstanceOf(PermanentError)
  expect(new HandlerRetriesError('x')).toBeInstanceOf(PermanentError)
})

it('errors have names and keep their cause', () => {
  const cause = new Error('root')
  for (const error of [
    new TemporaryError('x', { cause }),
    new PermanentError('x', { cause }),
    new HandlerTimeoutError('x', { cause }),
  ]) {
    expect(error.cause).toBe(cause)
    expect(error.name).toBe(error.constructor.name)
  }
  expect('cause' in new PermanentError('x')).toBe(false)
})
