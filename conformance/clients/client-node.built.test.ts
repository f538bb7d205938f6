import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientNode } from './builds.mjs'
import { ClusterProcess } from './cluster-process.ts'
import { Program } from './program.ts'

/** @kubernetes/client-node from npm, in a program of its own, signed in by a token, with permissions of its own. */
const user = 'node-client'
const rules = [
  { apiGroups: [''], resources: ['configmaps', 'pods'], verbs: ['*'] },
  { apiGroups: ['clients.example.com'], resources: ['widgets', 'widgets/status', 'widgets/scale'], verbs: ['*'] },
]
const program = fileURLToPath(new URL('client-node/program.mjs', import.meta.url))

describe('a program with client-node', () => {
  const seen = new Map<string, unknown>()
  beforeAll(async () => {
    const home = await clientNode()
    await using cluster = await ClusterProcess.start([user])
    await cluster.allow(user, rules)
    await using running = new Program(process.execPath, [program, home], {
      env: { KUBECONFIG: cluster.kubeconfig(user) },
    })
    await running.line({ step: 'done' })
    expect(await running.finished()).toBe(0)
    for (const { step, seen: what } of running.lines) seen.set(String(step), what)
  }, 600_000)
  afterAll(() => seen.clear())

  it.each([
    ['create', ['one', { a: '1' }, 'string']],
    ['create again', 409],
    ['replace', [{ a: '2' }, true]],
    ['replace a stale one', 409],
    ['list by pages', [['one', 'three'], ['two']]],
    ['delete', ['Success', 'one']],
    ['read what is gone', 404],
    ['delete all', 0],
    ['json patch', { by: 'json' }],
    ['merge patch', { with: 'merge' }],
    ['strategic patch', [['web', 'web:2']]],
    ['server-side apply', [{ with: 'merge', by: 'apply' }, true]],
    ['apply without force', 409],
    ['apply with force', { with: 'merge', by: 'another' }],
    ['create a custom object', { size: 1, note: 'none' }],
    ['create an invalid one', 422],
    ['patch it', [{ size: 2, note: 'none' }, 2]],
    ['write its status', [{ phase: 'Seen', observed: 2 }, 2]],
    ['read its scale', [{ replicas: 2 }, { replicas: 2 }]],
    ['delete the custom object', 0],
    ['patch an object of any kind', { size: 4, note: 'none' }],
    ['read it', { size: 4, note: 'none' }],
    ['list them', 1],
    ['delete it', 'Success'],
    ['may list', [true, false]],
    ['list secrets', 403],
    ['informer', ['add early 0', 'add late 1', 'update late 2', 'delete late 2']],
    ['its cache', ['early']],
    ['watch', ['ADDED watched', 'DELETED watched']],
    ['watch from before there was such a kind', ['ERROR', 410, 'Expired']],
  ])('%s', (step, expected) => {
    expect(seen.get(step)).toEqual(expected)
  })
})
