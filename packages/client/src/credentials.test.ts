import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { explain, runtimeOf, VirtualClock } from '@binnacle/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryTransport } from '../test/memory-transport.ts'
import { authorized, type Credentials, credentialsOf } from './credentials.ts'
import { tlsOptionsOf } from './tls.ts'

const { signal } = new AbortController()
let directory: string
let tokenPath: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'credentials-'))
  tokenPath = join(directory, 'token')
})
afterEach(() => rm(directory, { recursive: true }))

const authorizationOf = async (credentials: Credentials) => (await credentials.identity(signal)).authorization
const server = 'https://server'
const request = { method: 'GET', path: '/', headers: {}, signal }

describe('credentials', () => {
  it('are a token, a name and password, or nothing', async () => {
    const header = (connection: object) => authorizationOf(credentialsOf({ server, ...connection }, runtimeOf({})))
    expect(await header({ token: 'abc' })).toBe('Bearer abc')
    expect(await header({ token: 'abc', scheme: 'Token' })).toBe('Token abc')
    expect(await header({ username: 'u', password: 'p' })).toBe(`Basic ${Buffer.from('u:p').toString('base64')}`)
    expect(await header({})).toBeUndefined()
  })

  it('follow a token file as it rotates', async () => {
    const clock = new VirtualClock()
    const credentials = credentialsOf({ server, tokenPath }, runtimeOf({ clock }))
    await writeFile(tokenPath, 'one\n')
    expect(await authorizationOf(credentials)).toBe('Bearer one')
    await writeFile(tokenPath, 'two\n')
    expect(await authorizationOf(credentials)).toBe('Bearer one')
    await clock.advance('10s')
    expect(await authorizationOf(credentials)).toBe('Bearer two')
  })

  it('keep the last token while its file is gone', async () => {
    const clock = new VirtualClock()
    const credentials = credentialsOf({ server, tokenPath }, runtimeOf({ clock }))
    await writeFile(tokenPath, 'one')
    await authorizationOf(credentials)
    await rm(tokenPath)
    await clock.advance('10s')
    expect(await authorizationOf(credentials)).toBe('Bearer one')
  })

  it('say which file cannot be read, or holds no token, without showing what is in it', async () => {
    const credentials = credentialsOf({ server, tokenPath }, runtimeOf({}))
    const problem = async () => explain(await authorizationOf(credentials).catch((error: unknown) => error))
    expect(await problem()).toContain(`The token file ${tokenPath} cannot be read: ENOENT`)
    await writeFile(tokenPath, 'planted\nsecret')
    expect(await problem()).toContain(`There is no valid token in ${tokenPath}`)
    expect(await problem()).not.toContain('planted')
  })

  it('are renewed once when the server refuses them, for answers and for streams', async () => {
    await writeFile(tokenPath, 'old')
    const server = memoryTransport(({ headers }) => ({ status: headers.authorization === 'Bearer new' ? 200 : 401 }))
    const transport = authorized(
      server,
      credentialsOf({ server: 'x', tokenPath }, runtimeOf({ clock: new VirtualClock() })),
    )
    expect((await transport.request(request)).status).toBe(401)
    expect(server.seen).toHaveLength(1)
    await writeFile(tokenPath, 'new')
    expect((await transport.stream(request)).status).toBe(200)
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer old', 'Bearer new'])
  })
})

describe('certificates', () => {
  const problem = async (connection: object) =>
    explain(await tlsOptionsOf({ server, ...connection }).catch((error: unknown) => error))

  it('must be PEM, plain or in base64', async () => {
    expect(await problem({ caData: 'planted-secret' })).toMatch(
      /^Neither PEM nor PEM in base64: the certificate authority\n/,
    )
    expect(await problem({ caPath: '/nowhere/ca.crt' })).toContain(
      '/nowhere/ca.crt with the certificate authority cannot be read: ENOENT',
    )
  })

  it('are checked before the first connection', async () => {
    const pem = '-----BEGIN CERTIFICATE-----\nplanted-secret\n-----END CERTIFICATE-----'
    const text = await problem({ certificateData: pem, privateKeyData: pem })
    expect(text).toContain('The certificates of the connection cannot be used')
    expect(text).not.toContain('planted')
  })

  it('need their key', async () => {
    expect(await problem({ certificateData: '-----BEGIN' })).toContain('a client certificate but no client key')
    expect(await problem({ privateKeyData: '-----BEGIN' })).toContain('a client key but no client certificate')
  })
})
