import type { ConnectionInfo, LoginReason } from '@binnacle/client'
import { VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { LoginPool } from './login-pool.ts'

const server = 'https://localhost'
const { signal } = new AbortController()

function pool(...answers: readonly (readonly (ConnectionInfo | undefined | Error)[])[]) {
  const clock = new VirtualClock()
  let asked = 0
  const perform = async () => {
    const all = [...(answers[Math.min(asked++, answers.length - 1)] ?? [])].map(
      (each, n) => [`login-${n}`, each] as const,
    )
    return {
      results: new Map(all.filter(([, each]) => !(each instanceof Error))),
      failures: new Map(all.filter(([, each]) => each instanceof Error)),
    }
  }
  const logins = new LoginPool(perform, clock)
  let previous: ConnectionInfo | undefined
  const next = async (why: LoginReason = 'first') => {
    previous = await logins.connection({ why, previous, signal })
    return previous.token
  }
  return { clock, next, asked: () => asked }
}

describe('of the credentials that handlers give', () => {
  it('those with the highest priority go first, then those that were declared first', async () => {
    const { next, asked } = pool([
      { server, token: 'a' },
      undefined,
      { server, token: 'b', priority: 5 },
      { server, token: 'c', priority: 5 },
    ])
    expect([await next(), await next('refused'), await next('refused')]).toEqual(['b', 'c', 'a'])
    expect(asked()).toBe(1)
  })

  it('those that the server has refused are not used again, and the handlers are asked anew', async () => {
    const { next, asked } = pool(
      [{ server, token: 'a' }],
      [
        { server, token: 'a' },
        { server, token: 'b' },
      ],
    )
    expect([await next(), await next('refused')]).toEqual(['a', 'b'])
    expect(asked()).toBe(2)
  })

  it('nothing new is an error, and so is nothing at all', async () => {
    const stubborn = pool([{ server, token: 'a' }])
    await stubborn.next()
    await expect(stubborn.next('refused')).rejects.toThrow(
      'refuses the credentials, and the login handlers give no others',
    )
    await expect(pool([undefined]).next()).rejects.toThrow('No login handler has given credentials that are valid')
    await expect(pool([new Error('sealed')]).next()).rejects.toThrow(
      'No login handler could sign in: "login-0": sealed',
    )
  })

  it('one handler that fails does not matter while another gives some', async () => {
    expect(await pool([new Error('sealed'), { server, token: 'a' }]).next()).toBe('a')
  })

  it('those that have expired are not used, and before they do the handlers are asked anew', async () => {
    const { clock, next, asked } = pool(
      [
        { server, token: 'a', expiration: '1970-01-01T00:00:00Z' },
        { server, token: 'b' },
      ],
      [{ server, token: 'c' }],
    )
    await clock.advance(1)
    expect([await next(), await next('expiry')]).toEqual(['b', 'c'])
    expect(asked()).toBe(2)
  })
})
