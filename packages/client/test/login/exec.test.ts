import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { explain, type Logger, silentLogger, VirtualClock } from '@binnacle/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { renewalTime } from '../../src/exec-credentials.ts'
import { lastLine } from '../../src/exec-plugin.ts'
import { type ConnectionInfo, type ConnectOptions, connect, type ExecPlugin } from '../../src/index.ts'
import { CERTIFICATE, PRIVATE_KEY } from '../certificate.ts'
import { echo, serve, until } from '../server.ts'

/** Programs that sign in, as real processes. */

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'exec-'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(directory, { recursive: true })
})

const V1 = 'client.authentication.k8s.io/v1'
const text = (name: string) => readFile(join(directory, name), 'utf8').catch(() => '')
const lines = async (name: string) => (await text(name)).split('\n').filter((line) => line !== '')

async function program(name: string, script: string): Promise<string> {
  const path = join(directory, name)
  await writeFile(path, `#!/bin/sh\ncd "${directory}"\necho run >> runs\n${script}\n`)
  await chmod(path, 0o755)
  return path
}

function credential(status: object, apiVersion = V1): string {
  return JSON.stringify({ kind: 'ExecCredential', apiVersion, status })
}

const print = (status: object) => `cat <<'END'\n${credential(status)}\nEND`

function signedIn(command: string, more: Partial<ExecPlugin> = {}): { exec: ExecPlugin } {
  return { exec: { command, apiVersion: V1, interactiveMode: 'Never', ...more } }
}

async function clientOf(connection: Partial<ConnectionInfo>, options: ConnectOptions = {}) {
  const { url } = await serve((request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(echo(request))
  })
  const kubeconfig = { server: url, ...connection }
  return await connect({ kubeconfig, execPlugins: 'allow', errorBackoffs: [], ...options })
}

type Echo = { readonly headers: { readonly [name: string]: string } }

async function authorization(connection: Partial<ConnectionInfo>, options: ConnectOptions = {}): Promise<string> {
  await using client = await clientOf(connection, options)
  return await client.request<Echo>('GET', '/').then(
    ({ headers }) => headers.authorization ?? 'none',
    (error) => explain(error),
  )
}

describe('a program that signs in', () => {
  it('prints a token', async () => {
    expect(await authorization(signedIn(await program('p', print({ token: 'abc' }))))).toBe('Bearer abc')
  })

  it('gets its arguments, its environment, ours, and KUBERNETES_EXEC_INFO', async () => {
    vi.stubEnv('BINNACLE_TEST_OURS', 'inherited')
    const script = `printf '%s|' "$@" "$N" "$BINNACLE_TEST_OURS" > told; printf '%s' "$KUBERNETES_EXEC_INFO" > info\n${print({ token: 't' })}`
    const more = {
      args: ['a b', '$HOME'],
      env: { N: 'x' },
      provideClusterInfo: true,
      clusterConfig: { audience: 'me' },
    }
    const connection = {
      caData: CERTIFICATE,
      tlsServerName: 'kubernetes',
      ...signedIn(await program('p', script), more),
    }
    await using client = await clientOf(connection)
    await client.request('GET', '/')
    expect(await text('told')).toBe('a b|$HOME|x|inherited|')
    expect(JSON.parse(await text('info'))).toEqual({
      kind: 'ExecCredential',
      apiVersion: V1,
      spec: {
        interactive: false,
        cluster: {
          server: expect.stringMatching(/^http:\/\/127/),
          'tls-server-name': 'kubernetes',
          'certificate-authority-data': Buffer.from(CERTIFICATE).toString('base64'),
          config: { audience: 'me' },
        },
      },
    })
  })

  it('is told nothing about the cluster unless it wants to know', async () => {
    const script = `printf '%s' "$KUBERNETES_EXEC_INFO" > info\n${print({ token: 't' })}`
    await authorization(signedIn(await program('p', script)))
    expect(JSON.parse(await text('info')).spec).toEqual({ interactive: false })
  })

  it('runs once for all who ask at the same time, and not again while its token is good', async () => {
    await using client = await clientOf(signedIn(await program('p', `sleep 0.1\n${print({ token: 't' })}`)))
    await Promise.all(Array.from({ length: 20 }, () => client.request('GET', '/')))
    await client.request('GET', '/')
    expect(await lines('runs')).toHaveLength(1)
  })

  it('goes on for the others when one gives up', async () => {
    await using client = await clientOf(signedIn(await program('p', `sleep 0.2\n${print({ token: 't' })}`)))
    const giveUp = new AbortController()
    const first = client.request('GET', '/', { signal: giveUp.signal })
    const second = client.request<Echo>('GET', '/')
    giveUp.abort(new Error('enough'))
    await expect(first).rejects.toThrow('enough')
    expect((await second).headers.authorization).toBe('Bearer t')
    expect(await lines('runs')).toHaveLength(1)
  })

  it('runs again shortly before its token expires', async () => {
    const clock = new VirtualClock()
    const expirationTimestamp = new Date(clock.now().getTime() + 600_000).toISOString()
    await using client = await clientOf(signedIn(await program('p', print({ token: 't', expirationTimestamp }))), {
      clock,
    })
    await client.request('GET', '/')
    await clock.advance(569)
    await client.request('GET', '/')
    expect(await lines('runs')).toHaveLength(1)
    await clock.advance(2)
    await client.request('GET', '/')
    expect(await lines('runs')).toHaveLength(2)
  })

  it('harms nobody by failing as long as the last token is valid', async () => {
    const clock = new VirtualClock()
    const expirationTimestamp = new Date(clock.now().getTime() + 600_000).toISOString()
    const script = `if [ -e once ]; then exit 3; fi; touch once\n${print({ token: 't', expirationTimestamp })}`
    await using client = await clientOf(signedIn(await program('p', script)), { clock })
    await client.request('GET', '/')
    await clock.advance(580)
    await expect(client.request('GET', '/')).resolves.toBeDefined()
    await clock.advance(30)
    await expect(client.request('GET', '/')).rejects.toThrow(/failed: it ended with code 3/)
  })

  it('runs again when the server refuses its token, once for all requests', async () => {
    const script = `n=$(wc -l < runs); printf '%s' '{"kind":"ExecCredential","apiVersion":"${V1}","status":{"token":"t'$n'"}}'`
    const { url } = await serve((request, response) => {
      response.statusCode = request.headers.authorization === 'Bearer t2' ? 200 : 401
      response.setHeader('content-type', 'application/json')
      response.end('{}')
    })
    const kubeconfig = { server: url, ...signedIn(await program('p', script)) }
    await using client = await connect({ kubeconfig, execPlugins: 'allow' })
    await Promise.all(Array.from({ length: 8 }, () => client.request('POST', '/', { body: {} })))
    expect(await lines('runs')).toHaveLength(2)
  })

  it('may print a client certificate', async () => {
    const status = { clientCertificateData: CERTIFICATE, clientKeyData: PRIVATE_KEY }
    const tls = { cert: CERTIFICATE, key: PRIVATE_KEY, ca: CERTIFICATE, requestCert: true, rejectUnauthorized: true }
    const { url } = await serve((_, response) => response.end('hello'), tls)
    const kubeconfig = { server: url, caData: CERTIFICATE, ...signedIn(await program('p', print(status))) }
    await using client = await connect({ kubeconfig, execPlugins: 'allow' })
    expect(await client.request('GET', '/')).toBe('hello')
  })

  it('is ended, with all that it started, when it takes too long', async () => {
    const path = await program('p', 'sleep 300 & echo $! > child; wait')
    expect(await authorization(signedIn(path), { loginTimeout: '300ms' })).toContain('did not end within 0.3 s')
    const child = Number(await text('child'))
    expect(child).toBeGreaterThan(0)
    await until(() => !isAlive(child))
  })

  it('is ended when the client is closed', async () => {
    const client = await clientOf(signedIn(await program('p', 'sleep 300 & echo $! > child; wait')))
    const request = client.request('GET', '/').catch((error) => explain(error))
    let child = 0
    while (child === 0) child = Number(await text('child'))
    await client[Symbol.asyncDispose]()
    expect(await request).toContain('The client is closed')
    await until(() => !isAlive(child))
  })

  it('is not asked when there is a token', async () => {
    const exec = signedIn(await program('p', print({ token: 'no' })))
    expect(await authorization({ token: 'mine', ...exec })).toBe('Bearer mine')
    expect(await lines('runs')).toEqual([])
  })

  it('must have a terminal if it wants one', async () => {
    const exec = signedIn(await program('p', print({ token: 't' })), { interactiveMode: 'Always' })
    expect(await authorization(exec)).toContain('wants to ask a person, and there is no terminal')
  })

  it.each([
    ['text', 'echo hello', 'printed no ExecCredential in JSON'],
    ['YAML', `echo 'kind: ExecCredential'`, 'printed no ExecCredential in JSON'],
    ['nothing', '', 'printed no ExecCredential in JSON'],
    [
      'another version',
      `cat <<'E'\n${credential({ token: 't' }, 'client.authentication.k8s.io/v1beta1')}\nE`,
      'of another apiVersion',
    ],
    ['no credentials', print({}), 'neither a token nor a client certificate'],
    ['half a certificate', print({ clientCertificateData: CERTIFICATE }), 'half of a client certificate'],
    ['a token with a line break', print({ token: 'a\nHost: evil' }), 'that no header can carry'],
    [
      'an expiry that is none',
      print({ token: 't', expirationTimestamp: 'soon' }),
      'expirationTimestamp that is no time',
    ],
    ['endless output', 'yes', 'printed more than'],
    ['an error', 'echo "run aws sso login" >&2; exit 255', 'it ended with code 255. Its last words: run aws sso login'],
  ])('that prints %s is refused with what is wrong', async (_, script, message) => {
    expect(await authorization(signedIn(await program('p', script)))).toContain(message)
  })
})

// A15: a kubeconfig may come from anywhere, and what it names would run with our rights.
describe('A15: a program that signs in runs only if it may', () => {
  it('not at all, if the kubeconfig was given as a connection or as text', async () => {
    const path = await program('p', print({ token: 't' }))
    const options = { execPlugins: undefined } as unknown as ConnectOptions
    expect(await authorization(signedIn(path), options)).toContain('programs of this kubeconfig are not allowed')
    expect(await lines('runs')).toEqual([])
  })

  it('by its path or, if it was named so, by its name, if there is a list', async () => {
    const path = await program('login', print({ token: 't' }))
    vi.stubEnv('PATH', `${directory}:${process.env.PATH}`)
    expect(await authorization(signedIn(path), { execPlugins: [path] })).toBe('Bearer t')
    expect(await authorization(signedIn('login'), { execPlugins: ['login'] })).toBe('Bearer t')
    expect(await authorization(signedIn('login'), { execPlugins: [path] })).toBe('Bearer t')
    expect(await authorization(signedIn(path), { execPlugins: ['login'] })).toContain('it is not on the list')
    expect(await authorization(signedIn('login'), { execPlugins: ['aws'] })).toContain('execPlugins: ["login"]')
    expect(await lines('runs')).toHaveLength(3)
  })

  it('never by a relative path, nor from the working directory', async () => {
    await program('login', print({ token: 't' }))
    vi.stubEnv('PATH', '.::relative')
    expect(await authorization(signedIn('./login'))).toContain('is named by a relative path')
    expect(await authorization(signedIn('../login'))).toContain('is named by a relative path')
    expect(await authorization(signedIn('login'))).toContain('is not installed or may not be run')
    expect(await lines('runs')).toEqual([])
  })

  it('from our PATH, and not from one that the kubeconfig sets', async () => {
    await mkdir(join(directory, 'evil'))
    await program('evil/binnacle-login', print({ token: 'evil' }))
    const env = { PATH: join(directory, 'evil') }
    expect(await authorization(signedIn('binnacle-login', { env }))).toContain('is not installed or may not be run')
  })

  it('without code that the kubeconfig would load into it, if there is a list', async () => {
    const path = await program('p', print({ token: 't' }))
    for (const name of ['LD_PRELOAD', 'NODE_OPTIONS', 'PATH', 'DYLD_INSERT_LIBRARIES', 'BASH_ENV']) {
      const exec = signedIn(path, { env: { [name]: 'x' } })
      expect(await authorization(exec, { execPlugins: [path] })).toContain(`${name} in its environment`)
    }
  })
})

describe('A12: what a program prints', () => {
  it('is in no message and no log, whether it fails or not', async () => {
    const secret = 'planted-secret-eyJhbGciOiJIUzI1NiJ9'
    const seen: unknown[] = []
    const take = (...entry: unknown[]) => seen.push(entry)
    const logger: Logger = { ...silentLogger, debug: take, info: take, warn: take, error: take }
    const scripts = [
      `echo ${secret}`,
      `echo '{"kind":"ExecCredential","status":{"token":"${secret}"}}'`,
      print({ token: `${secret}\n` }),
      print({ clientCertificateData: secret, clientKeyData: secret }),
      `echo ${secret}; echo 'token: ${secret}' >&2; exit 1`,
      `echo 'refused Bearer ${secret} password=hunter2' >&2; exit 1`,
    ]
    for (const script of scripts) {
      const exec = signedIn(await program('p', script), { args: [secret], env: { S: secret } })
      seen.push(await authorization(exec, { logger }))
    }
    expect(JSON.stringify(seen)).not.toMatch(/planted-secret|eyJ|hunter2/)
  })

  it('is shown as one plain line if it is a complaint', () => {
    expect(lastLine('first\n\u001b[31mred\u202e\n')).toBe(' [31mred ')
    expect(lastLine('Error loading SSO Token: run aws sso login --profile production-account')).toContain(
      'aws sso login',
    )
    expect(lastLine('x'.repeat(1000))).toHaveLength(200)
  })
})

describe('the time to sign in anew', () => {
  it('is half a minute before the expiry, or a fifth of a short life', () => {
    expect(renewalTime(0, 3_600_000)).toBe(3_570_000)
    expect(renewalTime(0, 60_000)).toBe(48_000)
    expect(renewalTime(10_000, 5_000)).toBe(5_000)
    expect(renewalTime(0, Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY)
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
