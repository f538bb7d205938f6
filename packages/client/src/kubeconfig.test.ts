import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { explain, KubeConfigError } from '@binnacle/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { serviceAccount } from './in-cluster.ts'
import { KubeConfig } from './kubeconfig.ts'

const SECRET = 'planted-secret'

/** A kubeconfig with one cluster, user and context of the given names. */
function config(
  name: string,
  fields: { cluster?: string; user?: string; context?: string; current?: string } = {},
): string {
  return `
apiVersion: v1
kind: Config
current-context: ${fields.current ?? name}
clusters:
- name: ${name}
  cluster: {${fields.cluster ?? `server: "https://${name}:6443"`}}
users:
- name: ${name}
  user: {${fields.user ?? `token: ${SECRET}-${name}`}}
contexts:
- name: ${name}
  context: {cluster: ${name}, user: ${name}${fields.context === undefined ? '' : `, ${fields.context}`}}
`
}

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeconfig-'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(directory, { recursive: true })
})

async function file(name: string, text: string): Promise<string> {
  const path = join(directory, name)
  await writeFile(path, text)
  return path
}

async function problem(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(KubeConfigError)
  return explain(error)
}

describe('a kubeconfig', () => {
  it('says where the server is and who we are', async () => {
    const parsed = KubeConfig.fromString(config('a', { context: 'namespace: shop' }))
    expect(parsed.currentContext).toBe('a')
    expect(parsed.namespace).toBe('shop')
    const { server, token, defaultNamespace } = await parsed.connection()
    expect({ server, token, defaultNamespace }).toEqual({
      server: 'https://a:6443',
      token: `${SECRET}-a`,
      defaultNamespace: 'shop',
    })
  })

  it('takes each entry from the first file of KUBECONFIG that has it, and passes over files that do not exist', async () => {
    const first = await file('first', config('a', { cluster: 'server: "https://first"' }))
    const second = await file('second', `${config('a', { cluster: 'server: "https://second"' })}`)
    const third = await file('third', config('b'))
    vi.stubEnv('KUBECONFIG', [join(directory, 'absent'), first, second, third].join(':'))
    const merged = await KubeConfig.load()
    expect(merged.contexts).toEqual(['a', 'b'])
    expect((await merged.connection()).server).toBe('https://first')
    expect((await merged.withContext('b').connection()).server).toBe('https://b:6443')
  })

  it('reads paths relative to the file that names them', async () => {
    const path = await file(
      'config',
      config('a', {
        cluster: 'server: "https://a", certificate-authority: pki/ca.crt',
        user: 'tokenFile: token, client-certificate: /abs/c.crt, client-key: c.key',
      }),
    )
    const connection = await (await KubeConfig.fromFile(path)).connection()
    expect(connection).toMatchObject({
      caPath: join(directory, 'pki/ca.crt'),
      tokenPath: join(directory, 'token'),
      certificatePath: '/abs/c.crt',
      privateKeyPath: join(directory, 'c.key'),
    })
  })

  it('prefers data to a path', async () => {
    const text = config('a', {
      cluster: 'server: "https://a", certificate-authority: x, certificate-authority-data: eA==',
    })
    const connection = await KubeConfig.fromString(text).connection()
    expect([connection.caData, connection.caPath]).toEqual(['eA==', undefined])
  })

  it('reads the other fields of clusters and users', async () => {
    const text = config('a', {
      cluster: 'server: "http://a", insecure-skip-tls-verify: true, tls-server-name: kubernetes',
      user: 'username: u, password: p',
    })
    expect({ ...(await KubeConfig.fromString(text).connection()) }).toEqual({
      server: 'http://a',
      insecure: true,
      tlsServerName: 'kubernetes',
      username: 'u',
      password: 'p',
      defaultNamespace: 'default',
    })
  })

  it('shows no secrets when it or its connection is printed', async () => {
    const parsed = KubeConfig.fromString(
      config('a', { user: `token: ${SECRET}, password: ${SECRET}, client-key-data: ${SECRET}` }),
    )
    const connection = await parsed.connection()
    const printed = [
      inspect(parsed, { depth: 9, showHidden: true }),
      JSON.stringify(parsed),
      inspect(connection),
      JSON.stringify(connection),
    ]
    for (const text of printed) expect(text).not.toContain(SECRET)
    expect(inspect(connection)).toContain('https://a:6443')
  })

  it('may have a broken current-context as long as another one is chosen', async () => {
    const parsed = KubeConfig.fromString(config('a', { current: 'gone' }))
    expect(await problem(parsed.connection())).toMatch(/no context "gone".*\nThere are: "a"/)
    expect((await parsed.withContext('a').connection()).server).toBe('https://a:6443')
  })
})

describe('a problem with a kubeconfig names file, field and remedy:', () => {
  it('a file that does not exist', async () => {
    expect(await problem(KubeConfig.fromFile('/nowhere/config'))).toMatch(
      /\/nowhere\/config does not exist\nName an existing file/,
    )
    vi.stubEnv('KUBECONFIG', '/nowhere/config')
    expect(await problem(KubeConfig.load())).toContain('KUBECONFIG names /nowhere/config')
  })

  it('nothing anywhere', async () => {
    vi.stubEnv('KUBECONFIG', '')
    vi.stubEnv('HOME', directory)
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '')
    expect(await problem(KubeConfig.load())).toContain(
      `${directory}/.kube/config does not exist, and this is not a pod`,
    )
  })

  it('a directory in the place of a file', async () => {
    expect(await problem(KubeConfig.fromFile(directory))).toContain(`${directory} cannot be read: it is a directory`)
  })

  it('text that is not YAML, by line, without quoting it', async () => {
    const path = await file('bad', `apiVersion: v1\nusers:\n- name: a\n  user:\n    token: "${SECRET}\n   bad: [`)
    const text = await problem(KubeConfig.fromFile(path))
    expect(text).toMatch(/bad is not valid YAML: .* at line \d, column \d/)
    expect(text).not.toContain(SECRET)
  })

  it('YAML that is no kubeconfig', async () => {
    const path = await file('list', '- a\n- b\n')
    expect(await problem(KubeConfig.fromFile(path))).toContain('list is not a kubeconfig: expected a mapping')
    const scalar = await file('scalar', 'clusters: 5')
    expect(await problem(KubeConfig.fromFile(scalar))).toContain(
      `clusters in ${scalar} must be a list, but is a number`,
    )
  })

  it('aliases that multiply, or that lead nowhere, without quoting them', async () => {
    const lines = Array.from(
      { length: 8 },
      (_, i) => `${'abcdefghi'[i + 1]}: &${'abcdefghi'[i + 1]} [${Array(10).fill(`*${'abcdefghi'[i]}`)}]`,
    )
    const bomb = await file('bomb', [`a: &a ["${SECRET}"]`, ...lines].join('\n'))
    const text = await problem(KubeConfig.fromFile(bomb))
    expect(text).toContain('bomb cannot be read: its aliases')
    expect(text).not.toContain(SECRET)
  })

  it('an unknown context, with those there are', async () => {
    const path = await file('config', config('a'))
    expect(await problem(KubeConfig.fromFile(path, { context: 'b' }))).toMatch(
      /no context "b" in .*config\nThere are: "a"\./,
    )
  })

  it('no current context', async () => {
    expect(await problem(KubeConfig.fromString('clusters: []').connection())).toContain('current-context is not set')
  })

  it('a cluster without a server', async () => {
    const text = config('a', { cluster: 'insecure-skip-tls-verify: true' })
    expect(await problem(KubeConfig.fromString(text).connection())).toContain(
      'clusters[name=a].cluster.server in the given kubeconfig is missing',
    )
  })

  it('a context that names what does not exist', async () => {
    const text = config('a').replace('cluster: a,', 'cluster: b,')
    expect(await problem(KubeConfig.fromString(text).connection())).toContain(
      'contexts[name=a].context.cluster in the given kubeconfig names "b"',
    )
  })

  it('an entry that is there twice', async () => {
    const text = config('a').replace('clusters:\n', 'clusters:\n- {name: a, cluster: {server: "https://b"}}\n')
    expect(() => KubeConfig.fromString(text)).toThrow(
      'clusters in the given kubeconfig has two entries of the name "a"',
    )
  })

  it('a token that is a number, without showing it', async () => {
    const text = await problem(KubeConfig.fromString(config('a', { user: 'token: 123456' })).connection())
    expect(text).toContain('users[name=a].user.token in the given kubeconfig must be text, but is a number')
    expect(text).not.toContain('123456')
  })

  it('a skipped check beside a certificate authority', async () => {
    const text = config('a', {
      cluster: 'server: "https://a", insecure-skip-tls-verify: true, certificate-authority: x',
    })
    expect(await problem(KubeConfig.fromString(text).connection())).toContain('contradicts the certificate authority')
  })

  it.each([
    ['user.auth-provider in the given kubeconfig cannot be used', 'auth-provider: {name: gcp}'],
    ['user.exec.command in the given kubeconfig is missing', 'exec: {apiVersion: x}'],
    ['user.exec.apiVersion in the given kubeconfig is missing', 'exec: {command: aws}'],
    ['user.exec.apiVersion in the given kubeconfig is none of', 'exec: {command: aws, apiVersion: x}'],
    ['user.exec.args in the given kubeconfig must be a list', 'exec: {command: aws, args: x}'],
    ['user.exec.env[0].name in the given kubeconfig is missing', 'exec: {command: aws, env: [{value: x}]}'],
    ['user.as-groups in the given kubeconfig must be a list of texts', 'as: a, as-groups: [1]'],
    ['user.as-user-extra in the given kubeconfig must be a mapping', 'as: a, as-user-extra: [x]'],
  ])('%s', async (message, user) => {
    expect(await problem(KubeConfig.fromString(config('a', { user })).connection())).toContain(message)
  })
})

describe('a user of a kubeconfig', () => {
  const connectionOf = (fields: Parameters<typeof config>[1]) => KubeConfig.fromString(config('a', fields)).connection()

  it('may act as somebody else', async () => {
    const user = 'token: t, as: jane, as-uid: "7", as-groups: [dev, ops], as-user-extra: {scopes: [a, b]}'
    const { impersonate } = await connectionOf({ user })
    expect(impersonate).toEqual({ user: 'jane', uid: '7', groups: ['dev', 'ops'], extra: { scopes: ['a', 'b'] } })
  })

  it('may name a program that signs in, a path being relative to its file', async () => {
    const user =
      'exec: {command: bin/login, args: [a], env: [{name: VAR, value: v}], apiVersion: client.authentication.k8s.io/v1}'
    const path = await file('config', config('a', { user }))
    const { exec } = await (await KubeConfig.fromFile(path)).connection()
    expect(exec).toMatchObject({ command: join(directory, 'bin/login'), args: ['a'], env: { VAR: 'v' } })
    expect(exec).toMatchObject({ interactiveMode: 'IfAvailable', provideClusterInfo: false })
  })

  it('may be reached by a proxy, whose password nobody sees', async () => {
    const cluster = `server: "https://a", proxy-url: "http://me:${SECRET}@proxy:3128"`
    const connection = await connectionOf({ cluster })
    expect(connection.proxyUrl).toBe(`http://me:${SECRET}@proxy:3128`)
    expect(inspect(connection) + JSON.stringify(connection)).not.toContain(SECRET)
  })

  it('shows neither arguments nor environment of the program that signs in', async () => {
    const user = `exec: {command: x, args: [${SECRET}], env: [{name: VAR, value: ${SECRET}}], apiVersion: client.authentication.k8s.io/v1}`
    const connection = await connectionOf({ user })
    const shown =
      inspect(connection) + JSON.stringify(connection) + inspect(connection.exec) + JSON.stringify({ ...connection })
    expect(shown).not.toContain(SECRET)
    expect(shown).toContain("command: 'x'")
  })

  it('may start programs if it is a file of this machine, and not if it is mere text', async () => {
    expect((await KubeConfig.fromFile(await file('config', config('a')))).execPlugins).toBe('allow')
    expect(KubeConfig.fromString(config('a')).execPlugins).toBe('deny')
    expect(KubeConfig.fromConnection({ server: 'https://a' }).execPlugins).toBe('deny')
  })
})

describe('the service account of a pod', () => {
  const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' }

  it('is named by its files, so that the token can rotate', async () => {
    await file('token', SECRET)
    await file('ca.crt', 'pem')
    await file('namespace', 'shop\n')
    expect(await serviceAccount({ env, directory })).toEqual({
      server: 'https://10.0.0.1:443',
      tokenPath: join(directory, 'token'),
      caPath: join(directory, 'ca.crt'),
      defaultNamespace: 'shop',
    })
  })

  it('may be reached by an IPv6 address', async () => {
    await file('token', SECRET)
    const account = await serviceAccount({ env: { ...env, KUBERNETES_SERVICE_HOST: 'fd00::1' }, directory })
    expect(account?.server).toBe('https://[fd00::1]:443')
  })

  it('does not exist outside of a cluster', async () => {
    expect(await serviceAccount({ env: {}, directory })).toBeUndefined()
  })

  it('may be missing in a pod, and then says why', async () => {
    expect(await problem(serviceAccount({ env, directory }))).toContain('automountServiceAccountToken')
  })
})
