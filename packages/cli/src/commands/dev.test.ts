import { VirtualClock } from '@binnacle/core'
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

function hello(name: string): string {
  return `import { operator } from 'binnacle'
          export const op = operator('${name}')
          op.on.create('apps', function greet() {})`
}

describe('binnacle dev', () => {
  it('runs the operator on an embedded cluster, and prints the one line that points kubectl at it', async () => {
    const parts = new TestParts()
    await using at = new TestDesk({ parts, env: { KUBECONFIG: '/home/me/production' } })
    at.write('op.ts', hello('a'))
    const code = at.run('dev', 'op.ts')
    await at.shows(/Running a \(1 handler\) from op\.ts/)
    const path = /^export KUBECONFIG=(.*)\n$/.exec(at.stdout.text)?.[1]
    expect(at.ledger.entries[0]?.options).toMatchObject({ kubeconfig: path, dev: true, logger: { format: 'plain' } })
    expect(at.io.env['KUBECONFIG']).toBe(path)
    at.signal()
    expect(await code).toBe(0)
    expect(at.ledger.story).toEqual(['start a', 'stop a'])
    expect(parts.clusters).toBe(0)
    expect(at.leftovers).toEqual([])
    expect([at.listeners, at.atExit.size]).toEqual([0, 0])
    expect(at.io.env['KUBECONFIG']).toBe('/home/me/production')
  })

  it('starts the operator anew when a file changes, after the one before has stopped, and keeps the cluster', async () => {
    const parts = new TestParts()
    await using at = new TestDesk({ parts })
    at.write('name.ts', `export const name = 'a'`)
    at.write(
      'op.ts',
      `import { operator } from 'binnacle'; import { name } from './name.ts'; export const op = operator(name)`,
    )
    void at.run('dev', 'op.ts')
    await at.shows(/Running a/)
    at.write('name.ts', `export const name = 'b'`)
    await at.shows(/Reloaded b/)
    at.write('op.ts', hello('c'))
    await at.shows(/Reloaded c/)
    expect(at.ledger.story).toEqual(['start a', 'stop a', 'start b', 'stop b', 'start c'])
    expect([parts.starts.length, parts.clusters]).toEqual([1, 1])
  })

  it('reloads a file that runs its operator itself', async () => {
    await using at = new TestDesk({ parts: new TestParts() })
    const file = (name: string) => `import { operator } from 'binnacle'; await operator('${name}').run({ client: {} })`
    at.write('op.ts', file('a'))
    void at.run('dev', 'op.ts')
    await at.shows(/Running a/)
    at.write('op.ts', file('b'))
    await at.shows(/Reloaded b/)
    expect(at.ledger.story).toEqual(['start a', 'stop a', 'start b'])
    expect(at.ledger.entries[0]?.options).not.toHaveProperty('client')
  })

  it.each([
    ['has a syntax error', 'const = 1', /op\.ts:1:7: Expected identifier/],
    ['throws while it is loaded', `throw new Error('no token')`, /op\.ts threw while it was loaded: Error: no token/],
    ['declares no operator', 'export const a = 1', /op\.ts declares no operator/],
  ])('keeps the version before running while the file %s', async (_, broken, message) => {
    await using at = new TestDesk({ parts: new TestParts() })
    at.write('op.ts', hello('a'))
    void at.run('dev', 'op.ts')
    await at.shows(/Running a/)
    at.write('op.ts', broken)
    await at.shows(/The version before it keeps running\. Waiting for a change\./)
    expect(at.stderr.text).toMatch(message)
    expect(at.ledger.story).toEqual(['start a'])
    at.write('op.ts', hello('b'))
    await at.shows(/Reloaded b/)
    expect(at.ledger.story).toEqual(['start a', 'stop a', 'start b'])
  })

  it('waits for the mistake to be mended when the file is broken from the start', async () => {
    await using at = new TestDesk({ parts: new TestParts() })
    at.write('op.ts', 'const = 1')
    void at.run('dev', 'op.ts')
    await at.shows(/Nothing runs\. Waiting for a change\./)
    at.write('op.ts', hello('a'))
    await at.shows(/Running a/)
  })

  it('waits for a change when the operator cannot start, or dies', async () => {
    await using at = new TestDesk({ parts: new TestParts() })
    at.write('op.ts', hello('refused'))
    void at.run('dev', 'op.ts')
    await at.shows(/connection refused \[BIN_NETWORK\]/)
    at.write('op.ts', hello('dies'))
    await at.shows(/The login has expired \[BIN_LOGIN\]/)
    await at.shows(/Nothing runs\. Waiting for a change\./, 2)
    at.write('op.ts', hello('a'))
    await at.shows(/Running a/)
  })

  it('installs what the file declares before the operator starts, also if the file runs it itself', async () => {
    const parts = new TestParts()
    await using at = new TestDesk({ parts })
    at.write(
      'op.ts',
      `import { operator, resource } from 'binnacle'
       const App = resource({ group: 'example.com', version: 'v1', kind: 'App' })
       const Deployment = resource({ group: 'apps', version: 'v1', kind: 'Deployment' })
       await operator('a').run()`,
    )
    void at.run('dev', 'op.ts')
    await at.does('start a')
    expect([...parts.server.objects.keys()]).toEqual([`${CRDS}/apps.example.com`])
  })

  it('installs again what a reload has changed', async () => {
    const parts = new TestParts()
    await using at = new TestDesk({ parts })
    const file = (name: string, version: string) =>
      `import { operator, resource } from 'binnacle'
       export const App = resource({ group: 'example.com', version: '${version}', kind: 'App' })
       export const op = operator('${name}')`
    at.write('op.ts', file('a', 'v1'))
    void at.run('dev', 'op.ts')
    await at.shows(/Running a/)
    at.write('op.ts', file('b', 'v2'))
    await at.shows(/Reloaded b/)
    at.write('op.ts', file('c', 'v2'))
    await at.shows(/Reloaded c/)
    expect(parts.server.objects.get(`${CRDS}/apps.example.com`)).toMatchObject({ spec: { versions: [{ name: 'v2' }] } })
    expect(parts.connected).toHaveLength(2)
  })

  it('installs definitions and objects from files, once', async () => {
    const parts = new TestParts()
    await using at = new TestDesk({ parts })
    at.write('crd.yaml', CRD)
    at.write('sample.yaml', 'apiVersion: example.com/v1\nkind: App\nmetadata: { name: shop, namespace: web }\n')
    at.write('op.ts', hello('a'))
    void at.run('dev', '--crd', 'crd.yaml', '--apply', 'sample.yaml', 'op.ts')
    await at.shows(/Running a/)
    expect([...parts.server.objects.keys()]).toEqual([
      `${CRDS}/apps.example.com`,
      '/api/v1/namespaces/web',
      '/apis/example.com/v1/namespaces/web/apps/shop',
    ])
    at.write('op.ts', hello('b'))
    await at.shows(/Reloaded b/)
    expect(parts.connected).toHaveLength(1)
  })

  it('installs what has changed in those files, and leaves alone what has not', async () => {
    const parts = new TestParts()
    await using at = new TestDesk({ parts })
    const map = (name: string, value: string) =>
      `{ apiVersion: v1, kind: ConfigMap, metadata: { name: ${name} }, data: { a: ${value} } }\n`
    at.write('maps.yaml', `${map('one', 'x')}---\n${map('two', 'x')}`)
    at.write('op.ts', hello('a'))
    void at.run('dev', '--apply', 'maps.yaml', 'op.ts')
    await at.shows(/Running a/)
    parts.server.objects.clear()
    at.write('maps.yaml', `${map('one', 'x')}---\n${map('two', 'y')}`)
    await at.shows(/Reloaded a/)
    expect([...parts.server.objects]).toMatchObject([
      ['/api/v1/namespaces/default/configmaps/two', { data: { a: 'y' } }],
    ])
  })

  it('says so when an object is of a kind that nobody serves', async () => {
    await using at = new TestDesk({ parts: new TestParts() })
    at.write('sample.yaml', 'apiVersion: example.com/v1\nkind: App\nmetadata: { name: shop }\n')
    at.write('op.ts', hello('a'))
    void at.run('dev', '--apply', 'sample.yaml', 'op.ts')
    await at.shows(/Nothing runs/)
    expect(at.stderr.text).toContain('the server does not serve App in example.com/v1 [BIN_UNKNOWN_RESOURCE]')
    expect(at.ledger.story).toEqual([])
  })

  it('runs on the cluster that was named, and installs nothing there by itself', async () => {
    const parts = new TestParts()
    await using at = new TestDesk({ parts })
    at.write(
      'op.ts',
      `import { operator, resource } from 'binnacle'
       export const App = resource({ group: 'example.com', version: 'v1', kind: 'App' })
       export const op = operator('a')`,
    )
    void at.run('dev', 'op.ts', '--context', 'kind')
    await at.shows(/Running a/)
    expect(at.ledger.entries[0]?.options).toMatchObject({ context: 'kind' })
    expect([parts.starts.length, parts.server.objects.size, at.stdout.text]).toEqual([0, 0, ''])
    expect(at.io.env).not.toHaveProperty('KUBECONFIG')
  })

  it('leaves a handler behind that does not end in time, and says so', async () => {
    const clock = new VirtualClock()
    const parts = new TestParts()
    await using at = new TestDesk({ parts, clock })
    at.write('op.ts', hello('stuck'))
    const code = at.run('dev', 'op.ts')
    await at.shows(/Running stuck/)
    at.signal()
    await clock.advance('2s')
    expect(await code).toBe(0)
    expect(at.stderr.text).toContain('warning: A handler did not end in time and was left behind.')
    expect(parts.clusters).toBe(0)
  })

  it('refuses a kubeconfig that cannot be read', async () => {
    const parts = new TestParts()
    await using at = new TestDesk({ parts })
    at.write('op.ts', hello('a'))
    expect(await at.run('dev', 'op.ts', '--kubeconfig', 'missing')).toBe(1)
    expect(at.stderr.text).toContain('[BIN_KUBECONFIG]')
    expect([parts.starts.length, at.leftovers.length, at.listeners]).toEqual([0, 0, 0])
  })
})
