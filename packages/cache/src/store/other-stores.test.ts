import { type KubeObject, NotFoundError, VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { metaNamespaceKeyFunc } from '../keys.ts'
import { ExpirationCache, TTLPolicy } from './expiration-cache.ts'
import { metaNamespaceIndexFunc } from './index-functions.ts'
import { Indexer } from './indexer.ts'
import { GenericLister, listAll, listAllByNamespace } from './lister.ts'
import { UndeltaStore } from './undelta-store.ts'

const keyFunc = ({ id }: { readonly id: string }) => id
const item = (id: string) => ({ id })

describe('an ExpirationCache', () => {
  it('EX1, EX2: does not give what has expired, forgets it once it was looked for, and gives what was added again', async () => {
    const clock = new VirtualClock()
    const cache = new ExpirationCache(keyFunc, '10s', { clock })
    cache.add(item('a'))
    await clock.advance('11s')
    expect(cache.has('a')).toBe(true)
    expect(cache.getByKey('a')).toBeUndefined()
    expect(cache.has('a')).toBe(false)
    cache.add(item('a'))
    await clock.advance('5s')
    expect(cache.get(item('a'))).toEqual(item('a'))
    cache.update(item('a'))
    await clock.advance('7s')
    expect(cache.getByKey('a')).toEqual(item('a'))
  })

  it('EX3: leaves out of a list what has expired; keys are listed without looking', () => {
    const cache = new ExpirationCache(keyFunc, { isExpired: ({ key }) => key === 'b' })
    cache.replace([item('a'), item('b'), item('c')], '1')
    expect(cache.listKeys()).toEqual(['a', 'b', 'c'])
    expect(cache.list()).toEqual([item('a'), item('c')])
    expect([cache.listKeys(), cache.size]).toEqual([['a', 'c'], 2])
    cache.delete(item('a'))
    cache.resync()
    expect(cache.list()).toEqual([item('c')])
  })

  it('EX4: is alive at exactly its time to live, dead after it, and for ever with none', async () => {
    const clock = new VirtualClock()
    const entry = { key: 'a', object: item('a'), timestamp: clock.monotonic() }
    await clock.advance('10s')
    expect(new TTLPolicy('10s', clock).isExpired(entry)).toBe(false)
    expect(new TTLPolicy('9s', clock).isExpired(entry)).toBe(true)
    expect(new TTLPolicy(0, clock).isExpired(entry)).toBe(false)
    expect(() => new TTLPolicy(-1, clock)).toThrow('not a duration')
  })
})

describe('an UndeltaStore', () => {
  it('UD1, UD2, UD3, UD4: pushes everything after each mutation, and nothing at reads', () => {
    const pushed: string[][] = []
    const store = new UndeltaStore<{ id: string }>((content) => pushed.push(content.map(keyFunc)), keyFunc)
    store.add(item('a'))
    store.update(item('b'))
    store.delete(item('a'))
    store.replace([item('c'), item('d')], '1')
    expect(pushed).toEqual([['a'], ['a', 'b'], ['b'], ['c', 'd']])
    void [store.get(item('c')), store.getByKey('d'), store.list(), store.listKeys(), [...store]]
    expect(() => store.add(undefined as never)).toThrow()
    expect(pushed).toHaveLength(4)
  })
})

describe('a lister', () => {
  const pod = (name: string, namespace: string, labels?: Record<string, string>): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: name, resourceVersion: '1', ...(labels && { labels }) },
  })
  const indexer = new Indexer(metaNamespaceKeyFunc, { namespace: metaNamespaceIndexFunc })
  indexer.replace(
    [pod('a', 'x', { app: 'web' }), pod('b', 'x'), pod('c', 'y', { app: 'web', tier: '1' })] as never[],
    '1',
  )
  const lister = new GenericLister<KubeObject>(indexer as never, { group: '', plural: 'pods' })
  const names = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name).sort()

  it('LI1: selects by labels, everything with an empty selector, nothing with an impossible one', () => {
    expect(names(lister.list({ app: 'web' }))).toEqual(['a', 'c'])
    expect(names(lister.list('app=web,!tier'))).toEqual(['a'])
    expect(names(lister.list(({ tier }) => tier === '1'))).toEqual(['c'])
    expect([lister.list(), lister.list({}), lister.list('')].map((found) => found.length)).toEqual([3, 3, 3])
    expect(names(lister.list(() => false))).toEqual([])
    expect(names(lister.list({ toString: 'x' }))).toEqual([])
    expect(names(lister.byNamespace('x').list({ app: 'web' }))).toEqual(['a'])
    expect(names(lister.byNamespace('').list())).toEqual(['a', 'b', 'c'])
  })

  it('finds by name, and throws as the client does', () => {
    expect(lister.byNamespace('x').get('a').metadata.name).toBe('a')
    expect(lister.get('y/c').metadata.name).toBe('c')
    expect(() => lister.byNamespace('y').get('a')).toThrow(NotFoundError)
    expect(() => lister.byNamespace('y').get('a')).toThrow('pods "y/a" not found')
  })

  it('looks at everything, with a warning, where there is no namespace index', () => {
    const plain = new Indexer<KubeObject>(metaNamespaceKeyFunc, {})
    plain.replace(indexer.list() as unknown as KubeObject[], '1')
    const [found, lines]: [KubeObject[], string[]] = [[], []]
    const logger = { debug() {}, info() {}, error() {}, warn: (line: string | Error) => void lines.push(String(line)) }
    const append = (object: KubeObject) => void found.push(object)
    listAllByNamespace(plain, 'x', undefined, append, { ...logger, child: () => logger as never })
    expect([names(found), lines.length]).toEqual([['a', 'b'], 1])
    listAll(plain, 'app', append)
    expect(found).toHaveLength(4)
  })
})
