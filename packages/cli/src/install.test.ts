import { VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { TestServer } from '../test/parts.ts'
import { install, withNamespaces } from './install.ts'
import type { Manifest } from './manifests.ts'
import type { Server } from './parts.ts'

const CRD: Manifest = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'apps.example.com' },
  spec: { group: 'example.com', names: { kind: 'App', plural: 'apps' }, versions: [{ name: 'v1', served: true }] },
}
const APP: Manifest = { apiVersion: 'example.com/v1', kind: 'App', metadata: { name: 'a', namespace: 'shop' } }

describe('install', () => {
  it('creates definitions first, then namespaces, then the rest', async () => {
    const server = new TestServer()
    await install(server, withNamespaces([APP, CRD]), new VirtualClock())
    expect([...server.objects.keys()].map((path) => path.split('/').at(-1))).toEqual(['apps.example.com', 'shop', 'a'])
  })

  it('changes what is there already', async () => {
    const server = new TestServer()
    await install(server, [CRD, APP], new VirtualClock())
    await install(server, [{ ...APP, spec: { image: 'x' } }], new VirtualClock())
    expect(server.objects.get('/apis/example.com/v1/namespaces/shop/apps/a')).toMatchObject({ spec: { image: 'x' } })
  })

  it('waits until the server serves what it has accepted', async () => {
    const server = slow(3)
    const clock = new VirtualClock()
    const done = install(server, [CRD, APP], clock)
    await clock.advance('1s')
    await done
    expect([...server.objects.keys()]).toHaveLength(2)
  })

  it('gives up on a definition that is accepted and never served', async () => {
    const clock = new VirtualClock()
    const done = install(slow(Number.POSITIVE_INFINITY), [CRD], clock).catch((error) => error)
    await clock.advance('11s')
    expect(await done).toMatchObject({ code: 'BIN_UNKNOWN_RESOURCE' })
  })
})

describe('withNamespaces', () => {
  it('adds each namespace that is used and not given, once', () => {
    const given: Manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web', labels: { a: 'b' } } }
    const inWeb = { ...APP, metadata: { name: 'w', namespace: 'web' } }
    const names = withNamespaces([APP, APP, given, inWeb]).filter(({ kind }) => kind === 'Namespace')
    expect(names.map(({ metadata }) => metadata.name)).toEqual(['shop', 'web'])
  })
})

/** A server that serves a new kind only when it has been asked for so many times. */
function slow(times: number): Server & TestServer {
  const server = new TestServer()
  const { request } = server
  let asked = 0
  server.request = (method, path, options) => {
    const early = path === '/apis/example.com/v1' && asked++ < times
    return early ? Promise.resolve({ resources: [] }) : request.call(server, method, path, options)
  }
  return server
}
