import { type KubeObject, VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import type { Change } from '../informer/change.ts'
import { metaNamespaceKeyFunc } from '../keys.ts'
import { Indexer } from './indexer.ts'
import { MutationCache, type MutationCacheOptions } from './mutation-cache.ts'

interface Thing extends KubeObject {
  readonly node: string
}
const thing = (version: number, node = 'n1', uid = 'u1'): Thing => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a', namespace: 'x', uid, resourceVersion: String(version) },
  node,
})

function cache(options: MutationCacheOptions = {}) {
  const clock = new VirtualClock()
  const indexer = new Indexer<Thing>(metaNamespaceKeyFunc, { node: ({ node }) => [node] })
  const mutations = new MutationCache<Thing>(indexer, { clock, ...options })
  /** As an informer would: first the cache, then the word of it. */
  const see = (object: Thing) => {
    const old = indexer.getByKey('x/a')
    indexer.update(object)
    const change: Change<Thing> = old
      ? { type: 'update', key: 'x/a', old, object }
      : { type: 'add', key: 'x/a', object, isInInitialList: false }
    mutations.observe(change)
  }
  const lose = (object: Thing) => {
    indexer.delete(object)
    mutations.observe({ type: 'delete', key: 'x/a', object, finalStateUnknown: false })
  }
  const version = () => mutations.getByKey('x/a')?.metadata.resourceVersion
  return { mutations, clock, see, lose, version }
}

describe('a MutationCache', () => {
  it('MC1: shows a write until the cache has it or something newer', () => {
    const { mutations, see, version } = cache()
    see(thing(9))
    mutations.mutation(thing(100))
    see(thing(10))
    expect([version(), mutations.size]).toEqual(['100', 1])
    see(thing(100))
    expect([version(), mutations.size]).toEqual(['100', 0])
    mutations.mutation(thing(101))
    see(thing(102))
    expect([version(), mutations.size]).toEqual(['102', 0])
  })

  it.each([
    ['the same object, even at an older version', thing(5), undefined],
    ['an earlier namesake, at an older version', thing(5, 'n1', 'u0'), '10'],
    ['another object at a newer version', thing(11, 'n1', 'u2'), undefined],
  ])('MC2: a deletion of %s', (_, deleted, expected) => {
    const { mutations, lose, version } = cache({ includeAdds: true })
    mutations.mutation(thing(10))
    lose(deleted)
    expect(version()).toBe(expected)
  })

  it('MC3: an answer that comes after update and deletion stays hidden', () => {
    const { mutations, see, lose, version } = cache({ includeAdds: true })
    see(thing(1))
    see(thing(2))
    lose(thing(3))
    mutations.mutation(thing(2))
    expect([version(), mutations.size]).toEqual([undefined, 0])
  })

  it('MC4: an answer that comes after a recreation is ignored', () => {
    const { mutations, see, lose, version } = cache({ includeAdds: true })
    see(thing(1))
    lose(thing(3))
    see(thing(4, 'n1', 'u2'))
    mutations.mutation(thing(2))
    expect([version(), mutations.size]).toEqual(['4', 0])
  })

  it('MC5: what only we know is found by index until it is deleted, if that is wanted', () => {
    const { mutations, lose } = cache({ includeAdds: true })
    mutations.mutation(thing(1))
    expect(mutations.byIndex('node', 'n1')).toHaveLength(1)
    lose(thing(2))
    expect(mutations.byIndex('node', 'n1')).toEqual([])
    const without = cache()
    without.mutations.mutation(thing(1))
    expect([without.version(), without.mutations.byIndex('node', 'n1')]).toEqual([undefined, []])
  })

  it('finds a written object by its new index value, and not by its old one', () => {
    const { mutations, see } = cache()
    see(thing(1, 'n1'))
    mutations.mutation(thing(2, 'n2'))
    expect(mutations.byIndex('node', 'n1')).toEqual([])
    expect(mutations.byIndex('node', 'n2')).toEqual([thing(2, 'n2')])
  })

  it('remembers for a time, and so many', async () => {
    const { mutations, clock, version } = cache({ includeAdds: true, ttl: '1m', capacity: 2 })
    mutations.mutation(thing(1))
    await clock.advance('61s')
    expect(version()).toBeUndefined()
    for (const name of ['b', 'c', 'd']) {
      mutations.mutation({ ...thing(2), metadata: { ...thing(2).metadata, name } })
    }
    expect(mutations.size).toBe(2)
    expect(mutations.getByKey('x/b')).toBeUndefined()
    mutations.mutation(thing(3))
    mutations.mutation(thing(2))
    expect(version()).toBe('3')
  })
})
