import {
  type KubeObject,
  type List,
  type ListOptions,
  resource,
  type WatchEvent,
  type WatchOptions,
} from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { FakeServer } from '../../test/fake-server.ts'
import { settle, virtualSurroundings } from '../../test/surroundings.ts'
import type { ListWatchClient } from '../lister-watcher.ts'
import { SharedInformerFactory } from './shared-informer-factory.ts'

/** A client of several resources; notes what was asked for. */
class FakeClient {
  readonly servers = new Map<string, FakeServer>()
  readonly asked: string[] = []

  server(resource: unknown): FakeServer {
    const name = typeof resource === 'string' ? resource : (resource as { plural: string }).plural
    const known = this.servers.get(name)
    if (known) return known
    const made = new FakeServer({})
    this.servers.set(name, made)
    return made
  }

  list(resource: unknown, options: ListOptions = {}): Promise<List<KubeObject>> {
    return this.server(resource).list(options)
  }

  watch(resource: unknown, options: WatchOptions = {}): AsyncIterable<WatchEvent<KubeObject>> {
    const { namespace = '*', labels, metadataOnly } = options
    const which = typeof resource === 'string' ? resource : (resource as { plural: string }).plural
    this.asked.push(`${which} in ${namespace}${labels ? ` ${labels}` : ''}${metadataOnly ? ' metadata' : ''}`)
    return this.server(resource).watch(options)
  }

  get open(): number {
    return [...this.servers.values()].reduce((sum, { openWatches }) => sum + openWatches, 0)
  }
}

function make(options = {}) {
  const client = new FakeClient()
  const surroundings = virtualSurroundings()
  const factory = new SharedInformerFactory(client as unknown as ListWatchClient, { ...surroundings, ...options })
  return { client, factory, stop: new AbortController(), ...surroundings }
}
const Backup = resource({ group: 'example.com', version: 'v1', kind: 'Backup' })

describe('an informer factory', () => {
  it('has one informer for each resource and scope, typed, dynamic or of metadata alone', () => {
    const { factory } = make()
    expect(factory.informerFor('pods')).toBe(factory.informerFor('pods'))
    const scoped = [
      factory.informerFor('pods', { namespace: 'x' }),
      factory.informerFor('pods', { labels: { app: 'web' } }),
      factory.informerFor('widgets.example.com'),
      factory.informerFor(Backup),
      factory.metadataInformerFor('pods'),
    ]
    expect(new Set(scoped).size).toBe(5)
    expect(factory.names).toEqual([
      'pods',
      'pods in x',
      'pods with app=web',
      'widgets.example.com',
      'example.com/v1/backups',
      'pods (metadata)',
    ])
  })

  it('starts what has not been started, may be called again, and waits for what it has started', async () => {
    const { client, factory, stop, clock } = make({ namespace: 'x' })
    client.server('pods').put('a', 1, 'x')
    const pods = factory.informerFor('pods')
    factory.start(stop.signal)
    const secrets = factory.metadataInformerFor('secrets', { namespace: '*' })
    await factory.whenSynced()
    expect([pods.hasSynced(), secrets.state]).toEqual([true, 'idle'])
    factory.start(stop.signal)
    factory.start(stop.signal)
    await factory.whenSynced()
    expect(client.asked).toEqual(['pods in x', 'secrets in * metadata'])
    const lister = factory.listerFor('pods')
    expect(lister.byNamespace('x').get('a').metadata.name).toBe('a')
    expect(() => lister.byNamespace('y').get('a')).toThrow('pods "y/a" not found')
    await factory.shutdown()
    expect([client.open, clock.sleeping]).toEqual([0, 0])
    expect(() => factory.start(stop.signal)).toThrow('shut down')
    expect(() => factory.informerFor('nodes')).toThrow('shut down')
  })

  it('of many kinds is no leak in the eyes of Node, which warns of more than ten listeners', async () => {
    const warnings: string[] = []
    const hear = (warning: Error) => void warnings.push(warning.name)
    process.on('warning', hear)
    const { factory, stop } = make()
    for (let n = 0; n < 12; n++) factory.informerFor(`kinds${n}.example.com`)
    factory.start(stop.signal)
    await factory.whenSynced()
    stop.abort()
    await factory.shutdown()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', hear)
    expect(warnings).toEqual([])
  })

  it('starts and stops kinds and namespaces at run time, by counting who has a share', async () => {
    const { client, factory, stop } = make()
    const early = factory.acquire('pods', { namespace: 'x' })
    expect(client.asked).toEqual([])
    factory.start(stop.signal)
    await early.informer.whenSynced()
    const late = factory.acquire('pods', { namespace: 'x' })
    const other = factory.acquire(Backup)
    expect(late.informer).toBe(early.informer)
    await settle()
    expect([client.asked, client.open]).toEqual([['pods in x', 'backups in *'], 2])
    await early[Symbol.asyncDispose]()
    await early[Symbol.asyncDispose]()
    expect([late.informer.isStopped, client.open]).toEqual([false, 2])
    client.server('pods').put('a', 1, 'x')
    await settle()
    expect(late.lister.list()).toHaveLength(1)
    await late[Symbol.asyncDispose]()
    expect([late.informer.isStopped, client.open, factory.names]).toEqual([true, 1, ['example.com/v1/backups']])
    await using again = factory.acquire('pods', { namespace: 'x' })
    expect(again.informer).not.toBe(late.informer)
    await again.informer.whenSynced()
    await other[Symbol.asyncDispose]()
    await factory.shutdown()
    expect(client.open).toBe(0)
  })

  it('keeps what was asked for without a share, and ends everything with its signal', async () => {
    const { client, factory, stop } = make()
    const pinned = factory.informerFor('pods')
    factory.start(stop.signal)
    const lease = factory.acquire('pods')
    const metadata = factory.acquireMetadata('pods')
    await factory.whenSynced()
    await lease[Symbol.asyncDispose]()
    expect(pinned.isStopped).toBe(false)
    stop.abort()
    await settle()
    expect([pinned.isStopped, metadata.informer.isStopped, client.open]).toEqual([true, true, 0])
    await factory.shutdown()
  })

  it('names who is missing when a wait is given up', async () => {
    const { client, factory, stop } = make()
    client.server('nodes').ignoresInitialEvents = true
    factory.informerFor('nodes')
    factory.start(stop.signal)
    await expect(factory.whenSynced(AbortSignal.abort(new Error('enough')))).rejects.toThrow('without: nodes')
    await factory.shutdown()
  })
})
