import { messageOf } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { SharedIndexInformer } from '../src/index.ts'
import { FakeServer, type Thing } from './fake-server.ts'
import { settle, virtualSurroundings } from './surroundings.ts'

/** Objects that somebody made to do harm. They harm nobody else. */

/** Deeper than any recursion can go. */
function deep(levels: number): unknown {
  return JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
}

/** The obvious way, which ends at the end of the stack. */
function depthOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0
}

async function informed(server: FakeServer, options: { readonly freeze?: boolean; readonly queue?: 'delta' } = {}) {
  const { clock, ...surroundings } = virtualSurroundings()
  const errors: string[] = []
  const heard: string[] = []
  surroundings.logger.error = (message) => void errors.push(String(message))
  const informer = new SharedIndexInformer(server, {
    ...surroundings,
    clock,
    ...options,
    indexers: { depth: (thing: Thing) => [String(depthOf(thing.spec))] },
    transform: (thing) => (JSON.stringify(thing).length > 0 ? thing : thing),
    onIndexError: (error) => void errors.push(messageOf(error)),
  })
  const hear = (thing: Thing) => void heard.push(thing.metadata.name)
  informer.addEventHandler({
    onAdd: hear,
    onUpdate: (_, thing) => hear(thing),
    onDelete: ({ key }) => void heard.push(`-${key}`),
  })
  const stop = new AbortController()
  const run = informer.run(stop.signal)
  await settle()
  const end = async () => {
    stop.abort()
    await run
  }
  return { informer, errors, heard, clock, end }
}

/** An object of that name, with whatever content. */
function put(server: FakeServer, name: string, spec: unknown): void {
  const thing = server.put(name, 1)
  Object.assign(thing, { spec })
}

describe('A7: an object of 20,000 levels', () => {
  it.each([
    ['in a list', {}],
    ['in a list, by the delta queue', { queue: 'delta' }],
    ['while objects are frozen', { freeze: true }],
  ] as const)('%s harms no other, though index function and transformation fail for it', async (_, options) => {
    const server = new FakeServer()
    put(server, 'before', { size: 1 })
    put(server, 'deep', deep(20_000))
    put(server, 'behind', { size: 1 })
    const { informer, errors, heard, end } = await informed(server, options)
    expect(informer.getStore().listKeys().sort()).toEqual(['default/before', 'default/behind', 'default/deep'])
    expect(informer.getIndexer().indexKeys('depth', '1')).toEqual(['default/before', 'default/behind'])
    expect(heard.sort()).toEqual(['before', 'behind', 'deep'])
    expect(errors.join()).toContain('call stack')
    await end()
  })

  it('in a watch harms no other, and can be changed and deleted', async () => {
    const server = new FakeServer()
    const { informer, heard, clock, end } = await informed(server)
    put(server, 'deep', deep(20_000))
    put(server, 'behind', { size: 1 })
    await settle()
    expect(informer.getStore().size).toBe(2)
    server.forgetHistory()
    server.cutAll()
    await clock.advance('1m')
    put(server, 'deep', { size: 1 })
    await settle()
    expect(informer.getIndexer().indexKeys('depth', '1')).toEqual(['default/behind', 'default/deep'])
    server.delete('deep')
    await settle()
    expect(heard).toEqual(['deep', 'behind', 'deep', '-default/deep'])
    await end()
  })
})

describe('A7: an object with 10,000 index values', () => {
  it('comes, moves and goes in bounded time, and leaves no value behind', async () => {
    const server = new FakeServer()
    const values = (from: number) => Array.from({ length: 10_000 }, (_, n) => `v${from + n}`)
    const { clock, ...surroundings } = virtualSurroundings()
    const informer = new SharedIndexInformer(server, {
      ...surroundings,
      clock,
      indexers: { value: (thing: Thing) => (thing.spec as unknown as { values: string[] }).values },
    })
    const stop = new AbortController()
    const run = informer.run(stop.signal)
    await settle()
    for (const from of [0, 5000, 20_000]) {
      put(server, 'wide', { values: values(from) })
      await settle()
      expect(informer.getIndexer().listIndexFuncValues('value')).toHaveLength(10_000)
    }
    server.delete('wide')
    await settle()
    expect(informer.getIndexer().listIndexFuncValues('value')).toEqual([])
    stop.abort()
    await run
  })
})
