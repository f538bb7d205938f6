import { describe, expect, it } from 'vitest'
import * as errors from './api-error.ts'
import { BinnacleError } from './errors.ts'

const context = { request: { method: 'GET', path: '/api/v1/pods' } }
const status = (code: number, reason = '') => ({ code, reason, message: 'it did not work' })

describe('an error of the API', () => {
  it.each([
    [400, 'BadRequest', errors.BadRequestError],
    [401, 'Unauthorized', errors.UnauthorizedError],
    [403, 'Forbidden', errors.ForbiddenError],
    [404, 'NotFound', errors.NotFoundError],
    [409, 'Conflict', errors.ConflictError],
    [409, 'AlreadyExists', errors.AlreadyExistsError],
    [410, 'Gone', errors.ExpiredError],
    [410, 'Expired', errors.ExpiredError],
    [422, 'Invalid', errors.InvalidError],
    [429, 'TooManyRequests', errors.TooManyRequestsError],
    [500, 'InternalError', errors.ServerError],
    [504, 'Timeout', errors.ServerError],
    [405, 'MethodNotAllowed', errors.APIError],
  ])('%i %s has a class of its own', (code, reason, type) => {
    const error = errors.apiError(status(code, reason), context)
    expect(error.constructor).toBe(type)
    expect(error.name).toBe(type.name)
    expect(error).toBeInstanceOf(errors.APIError)
  })

  it('carries what the server said, what was asked, and what to do', () => {
    const error = errors.apiError(status(429, 'TooManyRequests'), { ...context, retryAfter: 3, hint: 'Ask less.' })
    expect(error).toMatchObject({
      message: 'it did not work',
      code: 429,
      reason: 'TooManyRequests',
      retryAfter: 3,
      hint: 'Ask less.',
      request: context.request,
      status: status(429, 'TooManyRequests'),
    })
  })
})

describe('an error without an answer', () => {
  it('says whether a write may have happened', () => {
    const error = new errors.NetworkError({ message: 'The connection was lost', mayHaveCommitted: true })
    expect(error).toMatchObject({ name: 'NetworkError', code: 'BIN_NETWORK', mayHaveCommitted: true })
    expect(error).toBeInstanceOf(BinnacleError)
  })

  it('has a code for credentials and for the kubeconfig', () => {
    expect(new errors.LoginError({ message: 'x' })).toMatchObject({ name: 'LoginError', code: 'BIN_LOGIN' })
    expect(new errors.KubeConfigError({ message: 'x' })).toMatchObject({
      name: 'KubeConfigError',
      code: 'BIN_KUBECONFIG',
    })
  })
})
