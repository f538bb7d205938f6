import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type ConnectionInfo, KubeConfig } from '@binnacle/client'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildControlPlane } from '../control-plane/build.mjs'

/**
 * The same kubeconfigs, read by us and by kubectl (`kubectl config view`). kubectl comes with the control plane, so that this runs with
 * `npm run test:real` only.
 */

let kubectl = ''
let directory = ''
beforeAll(async () => {
  kubectl = join(await buildControlPlane(), 'kubectl')
}, 600_000)
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeconfig-'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(directory, { recursive: true })
})

interface View {
  readonly clusters: readonly { readonly name: string; readonly cluster: Record<string, unknown> }[] | null
  readonly users: readonly { readonly name: string; readonly user: Record<string, unknown> }[] | null
  readonly contexts: readonly { readonly name: string; readonly context: Record<string, string> }[] | null
  readonly 'current-context': string
}

async function kubectlsView(files: string, ...args: readonly string[]): Promise<View> {
  const env = { PATH: process.env['PATH'], HOME: directory, KUBECONFIG: files }
  const { stdout } = await promisify(execFile)(
    kubectl,
    ['config', 'view', '--raw', '--flatten', '-o', 'json', ...args],
    { env },
  )
  return JSON.parse(stdout)
}

/** What kubectl says about a context, in our words. Where it names paths, only the last part is compared. */
function wanted(view: View, name: string): object {
  const context = view.contexts?.find((entry) => entry.name === name)?.context ?? {}
  const cluster = view.clusters?.find((entry) => entry.name === context['cluster'])?.cluster ?? {}
  const user = view.users?.find((entry) => entry.name === context['user'])?.user ?? {}
  const exec = user['exec'] as Record<string, unknown> | undefined
  return defined({
    server: cluster['server'],
    caData: cluster['certificate-authority-data'],
    insecure: cluster['insecure-skip-tls-verify'],
    tlsServerName: cluster['tls-server-name'],
    proxyUrl: cluster['proxy-url'],
    token: user['token'],
    tokenPath: user['tokenFile'] && basename(String(user['tokenFile'])),
    username: user['username'],
    password: user['password'],
    certificateData: user['client-certificate-data'],
    privateKeyData: user['client-key-data'],
    impersonate:
      (user['as'] || user['as-groups'] || user['as-uid'] || user['as-user-extra']) &&
      defined({ user: user['as'] ?? '', uid: user['as-uid'], groups: user['as-groups'], extra: user['as-user-extra'] }),
    exec: exec && {
      command: basename(String(exec['command'])),
      args: exec['args'] ?? [],
      env: Object.fromEntries(((exec['env'] ?? []) as { name: string; value: string }[]).map((e) => [e.name, e.value])),
      apiVersion: exec['apiVersion'],
      provideClusterInfo: exec['provideClusterInfo'],
    },
    defaultNamespace: context['namespace'] ?? 'default',
  })
}

/** Our connection in the same form: files as their content. */
async function ours(connection: ConnectionInfo): Promise<object> {
  const content = async (data: string | undefined, path: string | undefined) =>
    data ?? (path === undefined ? undefined : (await readFile(path)).toString('base64'))
  const { caPath, certificatePath, privateKeyPath, exec, tokenPath, ...rest } = connection
  return defined({
    ...rest,
    caData: await content(connection.caData, caPath),
    certificateData: await content(connection.certificateData, certificatePath),
    privateKeyData: await content(connection.privateKeyData, privateKeyPath),
    tokenPath: tokenPath && basename(tokenPath),
    exec: exec && {
      command: basename(exec.command),
      args: exec.args,
      env: exec.env,
      apiVersion: exec.apiVersion,
      provideClusterInfo: exec.provideClusterInfo,
    },
  })
}

function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''))
}

const cluster = (fields: string, name = 'c') => `clusters: [{name: ${name}, cluster: {${fields}}}]\n`
const user = (fields: string, name = 'u') => `users: [{name: ${name}, user: {${fields}}}]\n`
const context = (name = 'x', more = '') => `contexts: [{name: ${name}, context: {cluster: c, user: u${more}}}]\n`
const SERVER = 'server: "https://a:6443"'
const EXEC = 'apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never'

/** Each file by its path below the directory, in the order of KUBECONFIG; what is no kubeconfig comes last and is not named there. */
const CASES: [
  string,
  { readonly files: { readonly [path: string]: string }; readonly others?: { readonly [path: string]: string } },
][] = [
  ['a token', { files: { a: cluster(SERVER) + user('token: abc') + context() } }],
  [
    'name and password',
    { files: { a: cluster(SERVER) + user('username: me, password: "s:e c"') + context('x', ', namespace: shop') } },
  ],
  [
    'data',
    {
      files: {
        a:
          cluster(`${SERVER}, certificate-authority-data: Y2E=`) +
          user('client-certificate-data: Y2VydA==, client-key-data: a2V5') +
          context(),
      },
    },
  ],
  [
    'paths, relative to their own file',
    {
      files: {
        'one/a': cluster(`${SERVER}, certificate-authority: pki/ca.crt`),
        'two/b': user('client-certificate: me.crt, client-key: ../me.key, tokenFile: t') + context(),
      },
      others: { 'one/pki/ca.crt': 'the authority', 'two/me.crt': 'the certificate', 'me.key': 'the key' },
    },
  ],
  [
    'a check that is skipped',
    { files: { a: cluster(`${SERVER}, insecure-skip-tls-verify: true`) + user('token: t') + context() } },
  ],
  [
    'yes and no, as YAML 1.1 has them',
    { files: { a: cluster(`${SERVER}, insecure-skip-tls-verify: yes`) + user('token: "no"') + context() } },
  ],
  [
    'another name for the server, and a proxy',
    {
      files: { a: cluster(`${SERVER}, tls-server-name: k, proxy-url: "socks5://p:1"`) + user('token: t') + context() },
    },
  ],
  [
    'somebody else',
    {
      files: {
        a:
          cluster(SERVER) +
          user('token: t, as: jane, as-uid: "7", as-groups: [a, b], as-user-extra: {k: [v, w]}') +
          context(),
      },
    },
  ],
  [
    'a program that signs in',
    {
      files: {
        a:
          cluster(SERVER) +
          user(
            `exec: {${EXEC}, command: login, args: [a, "b c"], env: [{name: A, value: b}], provideClusterInfo: true}`,
          ) +
          context(),
      },
    },
  ],
  [
    'a program beside its file',
    { files: { 'one/a': cluster(SERVER) + user(`exec: {${EXEC}, command: ./bin/login}`) + context() } },
  ],
  [
    'several files, of which the first wins',
    {
      files: {
        a: `${cluster('server: "https://first"') + user('token: first')}current-context: x\n`,
        b: `${cluster('server: "https://second"') + user('token: second') + context()}current-context: other\n`,
        c: context('other'),
      },
    },
  ],
  ['an empty file among others', { files: { a: '', b: cluster(SERVER) + user('token: t') + context() } }],
  ['no user', { files: { a: `${cluster(SERVER)}contexts: [{name: x, context: {cluster: c}}]\n` } }],
  [
    'JSON',
    {
      files: {
        a: '{"clusters":[{"name":"c","cluster":{"server":"https://a"}}],"contexts":[{"name":"x","context":{"cluster":"c"}}],"current-context":"x"}',
      },
    },
  ],
  [
    'anchors and multi-line text',
    {
      files: {
        a: `${cluster(SERVER)}users:\n- name: u\n  user: &me\n    token: >-\n      abc\n- name: v\n  user: *me\n${context()}`,
      },
    },
  ],
]

describe('kubectl and we read the same from', () => {
  it.each(CASES)('%s', async (_, { files, others = {} }) => {
    for (const [path, text] of Object.entries({ ...files, ...others })) {
      await mkdir(dirname(join(directory, path)), { recursive: true })
      await writeFile(join(directory, path), text)
    }
    const paths = Object.keys(files).map((path) => join(directory, path))
    const named = [...paths.slice(0, 1), join(directory, 'missing'), ...paths.slice(1)].join(delimiter)
    const view = await kubectlsView(named)
    vi.stubEnv('KUBECONFIG', named)
    const config = await KubeConfig.load()
    expect([...config.contexts].sort()).toEqual((view.contexts ?? []).map(({ name }) => name).sort())
    expect(config.currentContext ?? '').toBe(view['current-context'])
    for (const name of config.contexts) {
      expect(await ours(await config.withContext(name).connection())).toEqual(wanted(view, name))
    }
  })
})

describe('kubectl and we refuse', () => {
  it.each([
    ['what is no YAML', `clusters: [{\n`],
    ['text that is no mapping', 'hello\n'],
    ['a token that is a number', cluster(SERVER) + user('token: 123') + context()],
    ['a namespace that is a boolean', cluster(SERVER) + user('token: t') + context('x', ', namespace: n')],
    [
      'an entry that is there twice',
      `clusters: [{name: c, cluster: {server: "https://1"}}, {name: c, cluster: {server: "https://2"}}]\n${user('token: t')}${context()}`,
    ],
    ['clusters that are no list', 'clusters: 7\n'],
    ['groups that are no list', cluster(SERVER) + user('as-groups: x') + context()],
    ['a context that does not exist', `${cluster(SERVER)}${user('token: t')}current-context: other\n`],
  ])('%s', async (_, text) => {
    const path = join(directory, 'config')
    await writeFile(path, text.includes('current-context') ? text : `${text}current-context: x\n`)
    await expect(kubectlsView(path, '--minify')).rejects.toThrow()
    await expect(KubeConfig.fromFile(path).then((config) => config.connection())).rejects.toThrow()
  })
})
