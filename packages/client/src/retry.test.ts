import { apiError, NetworkError, runtimeOf, type Status, VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { retryWait, withRetries } from './retry.ts'

const refused = (code: number, retryAfter?: number) =>
  apiError({ code, reason: '', message: '' } as Status, { request: { method: 'GET', path: '/' }, retryAfter })
const lost = (mayHaveCommitted: boolean, cause?: object) =>
  new NetworkError({ message: 'lost', mayHaveCommitted, cause })

function wait(error: unknown, isRead: boolean, failures = 0, random = 0): number | undefined {
  return retryWait(error, failures, { waits: [1, 2], isRead }, () => random)
}

describe('a read', () => {
  it('is repeated on 429, 5xx and a lost connection, and on nothing else', () => {
    expect([429, 500, 502, 503, 504].map((code) => wait(refused(code), true))).toEqual([1, 1, 1, 1, 1])
    expect([400, 401, 403, 404, 409, 410, 422, 501].map((code) => wait(refused(code), true))).toEqual(
      Array(8).fill(undefined),
    )
    expect(wait(lost(false), true)).toBe(1)
    expect(wait(new TypeError('a bug'), true)).toBeUndefined()
  })

  it('is not repeated when the certificate is wrong, which time does not heal', () => {
    expect(wait(lost(false, { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }), true)).toBeUndefined()
  })
})

describe('a write', () => {
  it('is repeated only if it cannot have happened', () => {
    expect(wait(refused(429), false)).toBe(1)
    expect(wait(refused(503, 1), false)).toBe(1)
    expect(wait(lost(false), false)).toBe(1)
    expect(wait(lost(true), false)).toBeUndefined()
    for (const code of [500, 502, 503, 504]) expect(wait(refused(code), false)).toBeUndefined()
    expect(wait(refused(504, 1), false)).toBeUndefined()
  })
})

describe('the wait', () => {
  it('grows, is spread by chance, honours Retry-After and ends', () => {
    expect([0, 1, 2].map((failures) => wait(refused(503), true, failures))).toEqual([1, 2, undefined])
    expect(wait(refused(503), true, 0, 1)).toBeCloseTo(1.3)
    expect(wait(refused(429, 30), true)).toBe(30)
    expect(wait(refused(429, 30), true, 0, 1)).toBeCloseTo(39)
  })

  it('is not begun when it would outlast the deadline, or is longer than anybody should wait', async () => {
    const runtime = runtimeOf({ clock: new VirtualClock(), random: () => 0 })
    const options = { waits: [1], isRead: true, signal: new AbortController().signal, onRetry: () => {} }
    const failing = (more: { deadline: number; longestWait: number }, error: Error) =>
      withRetries(runtime, { ...options, ...more }, () => Promise.reject(error))
    await expect(failing({ deadline: 20, longestWait: 60 }, refused(429, 30))).rejects.toMatchObject({ code: 429 })
    await expect(failing({ deadline: 1e9, longestWait: 60 }, refused(429, 86_400))).rejects.toMatchObject({ code: 429 })
  })
})

it('a wait is exactly what the server asks for, where that is wanted', () => {
  const exactly = (error: unknown) => retryWait(error, 0, { waits: [10], isRead: true, exactly: true }, () => 0.5)
  expect([exactly(refused(429, 3)), exactly(refused(500))]).toEqual([3, 11.5])
})
