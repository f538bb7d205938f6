import { LoginError, silentLogger, VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { type ConnectionInfo, connect, type LoginRequest } from '../../src/index.ts'
import { serve } from '../server.ts'

/** A server that knows one token at a time, and what it was asked with. */
async function server() {
  const state = { accepted: 'one', seen: [] as string[] }
  const { url } = await serve((request, response) => {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? 'nothing'
    state.seen.push(token)
    response.writeHead(token === state.accepted ? 200 : 401, { 'content-type': 'application/json' }).end('{}')
  })
  return { url, state }
}

describe('a login that is a function', () => {
  it('is asked at the first request, once for all who ask at that time', async () => {
    const { url } = await server()
    const asked: string[] = []
    const login = async ({ why }: LoginRequest): Promise<ConnectionInfo> => {
      asked.push(why)
      return { server: url, token: 'one', defaultNamespace: 'shop' }
    }
    await using client = await connect({ login })
    expect([asked, client.namespace]).toEqual([[], 'default'])
    await Promise.all([1, 2, 3].map(() => client.request('GET', '/')))
    expect([asked, client.namespace]).toEqual([['first'], 'shop'])
  })

  it('is asked anew when the server refuses what it gave, and the request is sent once more', async () => {
    const { url, state } = await server()
    const asked: (string | undefined)[] = []
    const login = async ({ why, previous }: LoginRequest): Promise<ConnectionInfo> => {
      asked.push(`${why} ${previous?.token}`)
      return { server: url, token: why === 'first' ? 'one' : 'two' }
    }
    await using client = await connect({ login })
    await client.request('GET', '/')
    state.accepted = 'two'
    await Promise.all([client.request('GET', '/'), client.request('POST', '/', { body: {} })])
    expect(asked).toEqual(['first undefined', 'refused one'])
    expect(state.seen.filter((token) => token === 'two')).toHaveLength(2)
  })

  it('that has nothing new leaves the refusal as it is', async () => {
    const { url, state } = await server()
    state.accepted = 'another'
    await using client = await connect({ login: async () => ({ server: url, token: 'one' }) })
    await expect(client.request('GET', '/')).rejects.toThrow(/401 Unauthorized/)
    expect(state.seen).toEqual(['one'])
  })

  it('is asked shortly before what it gave expires; if it fails, that is used to its end', async () => {
    const { url } = await server()
    const clock = new VirtualClock()
    const begun = clock.now().getTime()
    const asked: string[] = []
    const login = async ({ why }: LoginRequest): Promise<ConnectionInfo> => {
      asked.push(why)
      if (asked.length === 2) throw new Error('away')
      return { server: url, token: 'one', expiration: new Date(begun + 600_000 * asked.length) }
    }
    await using client = await connect({ login, clock, logger: silentLogger })
    await client.request('GET', '/')
    await clock.advance(560)
    await client.request('GET', '/')
    expect(asked).toEqual(['first'])
    await clock.advance(15)
    await client.request('GET', '/')
    expect(asked).toEqual(['first', 'expiry'])
    await client.request('GET', '/')
    expect(asked).toEqual(['first', 'expiry', 'expiry'])
    await client.request('GET', '/')
    expect(asked).toHaveLength(3)
  })

  it('that cannot is a LoginError with what it said', async () => {
    const login = async (): Promise<ConnectionInfo> => {
      throw new Error('the vault is sealed')
    }
    await using client = await connect({ login })
    const refused = client.request('GET', '/')
    await expect(refused).rejects.toBeInstanceOf(LoginError)
    await expect(refused).rejects.toThrow('Signing in failed: the vault is sealed')
  })

  it('may lead to another server', async () => {
    const [first, second] = [await server(), await server()]
    second.state.accepted = 'two'
    const login = async ({ why }: LoginRequest): Promise<ConnectionInfo> =>
      why === 'first' ? { server: first.url, token: 'one' } : { server: second.url, token: 'two' }
    await using client = await connect({ login })
    await client.request('GET', '/')
    first.state.accepted = 'nobody'
    await client.request('GET', '/')
    expect(second.state.seen).toEqual(['two'])
  })
})
