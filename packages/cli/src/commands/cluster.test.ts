import { existsSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { TestDesk } from '../../test/desk.ts'
import { TestParts } from '../../test/parts.ts'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const CRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: apps.example.com }
spec: { group: example.com, names: { kind: App, plural: apps }, versions: [{ name: v1, served: true }] }
`
const SAMPLE = `
apiVersion: example.com/v1
kind: App
metadata: { name: shop }
---
# an empty document
---
apiVersion: v1
kind: List
items:
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: settings } }
`

describe('binnacle cluster', () => {
  it('prints its address and the line that points kubectl at it, and nothing else, until it is told to stop', async () => {
    const parts = new TestParts()
    await using at = new TestDesk({ parts })
    const code = at.run('cluster', '--port', '6443')
    await at.shows(/export KUBECONFIG=/)
    const path = /export KUBECONFIG=(.*)/.exec(at.stdout.text)?.[1] ?? ''
    expect(at.stdout.text).toBe(`Kubernetes API server at http://127.0.0.1:6443\nexport KUBECONFIG=${path}\n`)
    expect(readFileSync(path, 'utf8')).toContain('kind: Config')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    at.signal('SIGTERM')
    expect(await code).toBe(0)
    expect(at.stderr.text).toBe('')
    expect(parts.clusters).toBe(0)
    expect(at.leftovers).toEqual([])
    expect([at.listeners, at.atExit.size]).toEqual([0, 0])
  })

  it('starts with definitions and objects from files, definitions first', async () => {
    const parts = new TestParts()
    await using at = new TestDesk({ parts })
    at.write('crd.yaml', CRD)
    at.write('all.yaml', `${SAMPLE}---${CRD.replaceAll('apps', 'webs')}`)
    void at.run('cluster', '--crd', 'crd.yaml', '--apply', 'all.yaml', '--host=::1', '--kubernetes-version', 'v1.34')
    await at.shows(/export/)
    expect([...parts.server.objects.keys()]).toEqual([
      `${CRDS}/apps.example.com`,
      `${CRDS}/webs.example.com`,
      '/apis/example.com/v1/namespaces/default/apps/shop',
      '/api/v1/namespaces/default/configmaps/settings',
    ])
    expect(parts.starts[0]).toMatchObject({ host: '::1', version: '1.34' })
  })

  it('leaves a kubeconfig that was asked for by name, and may write it again', async () => {
    for (const _ of ['first', 'again']) {
      await using at = new TestDesk({ parts: new TestParts() })
      at.write(
        'dev.yaml',
        _ === 'again' ? '# Written by binnacle for its embedded cluster; overwritten without asking.\n' : '',
      )
      const code = at.run('cluster', '--kubeconfig', 'dev.yaml')
      await at.shows(/export KUBECONFIG=.*dev\.yaml/)
      at.signal()
      expect(await code).toBe(0)
      expect(readFileSync(`${at.cwd}/dev.yaml`, 'utf8')).toContain('kind: Config')
    }
  })

  it('quotes a path that a shell would take apart', async () => {
    await using at = new TestDesk({ parts: new TestParts() })
    void at.run('cluster', '--kubeconfig', "it's here.yaml")
    await at.shows(/export/)
    expect(at.stdout.text).toContain(`export KUBECONFIG='${at.cwd}/it'\\''s here.yaml'\n`)
  })
})

describe('binnacle cluster with users', () => {
  it('writes a kubeconfig for each, readable by this user only, and leaves it', async () => {
    const parts = new TestParts()
    await using at = new TestDesk({ parts })
    const code = at.run(
      'cluster',
      '--rbac',
      '--user',
      'jane=jane.yaml',
      '--user=system:serviceaccount:shop:bot=bot.yaml',
    )
    await at.shows(/# system:serviceaccount:shop:bot/)
    expect(at.stdout.text).toContain(`export KUBECONFIG=${at.cwd}/jane.yaml  # jane\n`)
    for (const [file, name] of [
      ['jane.yaml', 'jane'],
      ['bot.yaml', 'system:serviceaccount:shop:bot'],
    ] as const) {
      expect(readFileSync(`${at.cwd}/${file}`, 'utf8')).toContain(`# of ${name}\n`)
      expect(statSync(`${at.cwd}/${file}`).mode & 0o777).toBe(0o600)
    }
    expect(parts.starts).toEqual([{ tls: true, rbac: true, users: [{ name: 'jane' }] }])
    expect([...parts.server.objects.keys()]).toEqual([
      '/api/v1/namespaces/shop',
      '/api/v1/namespaces/shop/serviceaccounts/bot',
    ])
    at.signal()
    expect(await code).toBe(0)
    expect(existsSync(`${at.cwd}/jane.yaml`)).toBe(true)
    expect(at.leftovers).toEqual([])
  })

  it('listens where others reach it, once it asks who they are', async () => {
    for (const flag of ['--tls', '--rbac', '--user=jane=jane.yaml']) {
      const parts = new TestParts()
      await using at = new TestDesk({ parts })
      void at.run('cluster', '--host', '0.0.0.0', flag)
      await at.shows(/export/)
      expect(parts.starts[0]).toMatchObject({ host: '0.0.0.0', tls: true })
    }
  })

  it('hands on where to keep objects and which controllers to run, and shows what the cluster warns of', async () => {
    const parts = new TestParts()
    parts.warning = 'The last write was not finished.'
    await using at = new TestDesk({ parts })
    void at.run('cluster', '--data', 'dev.data', '--controllers')
    await at.shows(/export/)
    expect(parts.starts).toEqual([{ controllers: true, data: `${at.cwd}/dev.data` }])
    expect(at.stderr.text).toBe('warning: The last write was not finished.\n')
  })
})

describe('binnacle cluster refuses', () => {
  async function refused(files: Record<string, string>, ...argv: readonly string[]) {
    const parts = new TestParts()
    await using at = new TestDesk({ parts })
    for (const [name, text] of Object.entries(files)) at.write(name, text)
    const code = await at.run('cluster', ...argv)
    expect(parts.starts).toEqual([])
    expect(at.leftovers).toEqual([])
    expect([at.listeners, at.atExit.size]).toEqual([0, 0])
    const kept = Object.entries(files).filter(([name, text]) => readFileSync(`${at.cwd}/${name}`, 'utf8') === text)
    expect(kept).toHaveLength(Object.keys(files).length)
    return { code, text: at.stderr.text }
  }

  it('to overwrite a kubeconfig that is not its own', async () => {
    const { code, text } = await refused({ config: 'kind: Config\nusers: []\n' }, '--kubeconfig', 'config')
    expect(code).toBe(2)
    expect(text).toMatch(
      /^error: .*config exists and was not written by binnacle, so it is left alone\nName another file/,
    )
  })

  it('a folder that is not there', async () => {
    const { code, text } = await refused({}, '--kubeconfig', 'no/such/config')
    expect(code).toBe(2)
    expect(text).toContain('there is no folder')
  })

  it.each([
    ['a file that is not there', {}, ['--crd', 'no.yaml'], /no\.yaml cannot be read: there is no such file\n/],
    ['something that is not YAML', { 'a.yaml': 'a: [' }, ['--apply', 'a.yaml'], /a\.yaml is not YAML: /],
    [
      'a list where an object should be',
      { 'a.yaml': '- 1' },
      ['--apply', 'a.yaml'],
      /a\.yaml holds something that is not an/,
    ],
    [
      'an object without a kind',
      { 'a.yaml': 'a: 1' },
      ['--apply', 'a.yaml'],
      /a\.yaml holds an object without apiVersion or/,
    ],
    [
      'an object without a name',
      { 'a.yaml': 'kind: A\napiVersion: v1' },
      ['--apply', 'a.yaml'],
      /a\.yaml holds a A without m/,
    ],
    [
      'other objects as definitions',
      { 'a.yaml': SAMPLE },
      ['--crd', 'a.yaml'],
      /a\.yaml holds the App "shop", and --crd takes/,
    ],
    ['a port that is none', {}, ['--port', '99999'], /--port is a number from 0 to 65535, and got "99999"/],
    ['a version that is none', {}, ['--kubernetes-version', '2'], /--kubernetes-version is like 1\.\d+, and got "2"/],
    [
      'an address that others can reach',
      {},
      ['--host', '0.0.0.0'],
      /--host 0\.0\.0\.0 lets others reach the cluster, and it asks nobody who he is\nAdd --tls/,
    ],
    ['a user without a file', {}, ['--user', 'jane'], /--user is NAME=FILE, and got "jane"\nFor example/],
    ['a user without a name', {}, ['--user', '=a'], /--user is NAME=FILE, and got "=a"/],
    ['a user twice', {}, ['--user', 'a=1', '--user', 'a=2'], /--user names "a" twice/],
    ['one file for two users', {}, ['--user', 'a=1', '--user', 'b=1'], /is to be the kubeconfig of "a" and of "b"/],
    [
      'one file for all',
      {},
      ['--kubeconfig', 'x', '--user', 'a=x'],
      /is to be the kubeconfig of --kubeconfig and of "a"/,
    ],
    ['a user of the cluster itself', {}, ['--user', 'system:masters=x'], /names that begin with system: belong to the/],
    ['a second administrator', {}, ['--user', 'kubernetes-admin=x'], /that is the administrator/],
    ['a file', {}, ['op.ts'], /`binnacle cluster` takes no file, and got "op\.ts"/],
  ])('%s', async (_, files, argv, message) => {
    const { code, text } = await refused(files as Record<string, string>, ...argv)
    expect(code).toBeGreaterThan(0)
    expect(text).toMatch(message)
    expect(text).not.toMatch(/^\s+at /m)
  })

  it('objects of a kind that nobody serves, and leaves no cluster and no kubeconfig behind', async () => {
    const parts = new TestParts()
    await using at = new TestDesk({ parts })
    at.write('sample.yaml', SAMPLE)
    expect(await at.run('cluster', '--apply', 'sample.yaml', '--kubeconfig', 'dev.yaml')).toBe(1)
    expect(at.stderr.text).toMatch(
      /^error: The App "shop" cannot be created: .* \[BIN_UNKNOWN_RESOURCE\]\nGive the file/,
    )
    expect([parts.clusters, existsSync(`${at.cwd}/dev.yaml`), at.listeners]).toEqual([0, false, 0])
  })

  it('to leave anything behind when the cluster cannot start', async () => {
    const parts = new TestParts()
    parts.failure = Object.assign(new Error('listen EADDRINUSE: address already in use 127.0.0.1:6443'), {
      code: 'EADDRINUSE',
    })
    await using at = new TestDesk({ parts })
    expect(await at.run('cluster', '--port', '6443')).toBe(1)
    expect(at.stderr.text).toBe(
      'error: Port 6443 is taken by another program [BIN_NETWORK]\nGive another one with --port, or leave it out to take a free one.\n',
    )
    expect(at.leftovers).toEqual([])
    expect([at.listeners, at.atExit.size]).toEqual([0, 0])
  })
})
