import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { explain, type Logger } from '@binnacle/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Client, type ConnectionInfo, connect, KubeConfig } from '../src/index.ts'
import { CERTIFICATE } from './certificate.ts'
import { serve } from './server.ts'

/**
 * A12: secrets in logs, errors, crash reports and dumps. Secrets are planted wherever a connection can hold one; then everything that can go wrong goes wrong,
 * and all that anybody could print is searched.
 */

const CANARY = 'planted-canary'
let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'secrets-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(directory, { recursive: true })
})

/** All the forms in which a value is printed. */
function printed(value: unknown): string {
  const own =
    value instanceof Error
      ? [value.stack, explain(value), printed({ ...value }), value.cause && printed(value.cause)]
      : []
  let json = ''
  try {
    json = JSON.stringify(value) ?? ''
  } catch {
    json = 'cyclic'
  }
  return [inspect(value, { depth: 12, showHidden: true, getters: true }), String(value), json, ...own].join('\n')
}

/** The canary, or the same in base64 as basic authentication has it. */
const CANARIES = new RegExp(`${CANARY}|${Buffer.from(`u:${CANARY}`).toString('base64').slice(0, 16)}`)

const PLANTED: [string, (server: string) => Partial<ConnectionInfo> | Promise<Partial<ConnectionInfo>>][] = [
  ['a token', () => ({ token: CANARY })],
  ['a token with a line break', () => ({ token: `${CANARY}\nx` })],
  ['a token file', async () => ({ tokenPath: await file('token', CANARY) })],
  ['a damaged token file', async () => ({ tokenPath: await file('token', `${CANARY}\u0000`) })],
  ['a password', () => ({ username: 'u', password: CANARY })],
  ['a private key that is none', () => ({ certificateData: CERTIFICATE, privateKeyData: `-----BEGIN ${CANARY}` })],
  [
    'a private key file that is none',
    async () => ({ certificateData: CERTIFICATE, privateKeyPath: await file('k', CANARY) }),
  ],
  ['the URL of a proxy', (server) => ({ proxyUrl: server.replace('//', `//u:${CANARY}@`) })],
  ['the URL of the server', (server) => ({ server: server.replace('//', `//u:${CANARY}@`) })],
  [
    'the URL of a server that need not prove who it is',
    () => ({ server: `https://u:${CANARY}@a`, insecure: true, token: 'x' }),
  ],
  ['the URL of a server that is far away and not encrypted', () => ({ server: `http://u:${CANARY}@a`, token: 'x' })],
  [
    'a program that signs in',
    () => ({
      exec: {
        command: '/bin/sh',
        args: ['-c', `echo ${CANARY}; echo token=${CANARY} >&2; exit 1`],
        env: { S: CANARY },
        apiVersion: 'client.authentication.k8s.io/v1',
      },
    }),
  ],
]

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(directory, name), text)
  return join(directory, name)
}

/** Each refusal and each broken line that a server has to offer. */
async function everythingWrong(client: Client): Promise<unknown[]> {
  const seen: unknown[] = [client, client.with({ namespace: 'x' })]
  const keep = (error: unknown) => seen.push(error)
  for (const path of ['/401', '/403', '/500', '/reset', '/text', '/redirect']) {
    await client.request('POST', path, { body: {} }).catch(keep)
    await client.request('GET', path).then(keep, keep)
  }
  await client.get('pods', 'a').catch(keep)
  return seen
}

describe('A12: a secret that is planted as', () => {
  it.each(PLANTED)('%s is in nothing that is printed', async (_, plant) => {
    const output: unknown[] = []
    for (const stream of [process.stdout, process.stderr]) {
      vi.spyOn(stream, 'write').mockImplementation((chunk) => output.push(String(chunk)) > 0)
    }
    const take = (...entry: unknown[]) => void output.push(entry)
    const logger: Logger = { debug: take, info: take, warn: take, error: take, child: () => logger }
    const { url } = await serve((request, response) => {
      if (request.url === '/reset') return request.socket.resetAndDestroy()
      if (request.url === '/redirect') return response.writeHead(302, { location: '/' }).end()
      const code = Number(request.url?.slice(1)) || 200
      return response
        .writeHead(code)
        .end(request.url === '/text' ? 'no JSON' : JSON.stringify({ kind: 'Status', code }))
    })
    const connection = { server: url, ...(await plant(url)) }
    const config = KubeConfig.fromConnection(connection)
    output.push(config, await config.connection())
    const onRequest = (request: unknown) => void output.push(request)
    const client = await connect({
      kubeconfig: config,
      execPlugins: 'allow',
      errorBackoffs: [0.001],
      logger,
      onRequest,
    }).catch((error) => void output.push(error))
    if (client) output.push(...(await everythingWrong(client)))
    await client?.[Symbol.asyncDispose]()
    vi.restoreAllMocks()
    const all = output.map(printed).join('\n')
    expect(all.length).toBeGreaterThan(100)
    expect(all).not.toMatch(CANARIES)
  })

  it('an entry of a kubeconfig is in nothing that is printed', async () => {
    const user = {
      token: CANARY,
      password: CANARY,
      'client-key-data': CANARY,
      'auth-provider': { config: { 'refresh-token': CANARY } },
    }
    const good = {
      clusters: [{ name: 'c', cluster: { server: 'https://a' } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }
    const texts = [
      JSON.stringify(good),
      `${JSON.stringify(good)}}`,
      `users: [{name: u, user: {token: [${CANARY}]}}]\n\tx`,
      `${CANARY}: &a *b`,
    ]
    const seen: unknown[] = []
    for (const text of texts) {
      try {
        const config = KubeConfig.fromString(text)
        seen.push(config, await config.connection())
      } catch (error) {
        seen.push(error)
      }
    }
    expect(seen.length).toBeGreaterThanOrEqual(texts.length)
    expect(seen.map(printed).join('\n')).not.toContain(CANARY)
  })
})
