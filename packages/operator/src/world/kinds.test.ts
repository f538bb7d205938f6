import type { Client } from '@binnacle/client'
import { type AnyObject, EVERYTHING, type ResourceInfo, selector } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { handler, Kex, served } from '../../test/sample.ts'
import { eventHandler } from '../declare/handler.ts'
import { type IndexDefinition, index, indexDefinition } from '../declare/index-handler.ts'
import { Registry } from '../declare/registry.ts'
import { type Census, Kinds } from './kinds.ts'

const never = new AbortController().signal
const verbs = ['list', 'watch', 'patch']
const info: ResourceInfo = { ...served().info, shortNames: ['kex'] }
const pods: ResourceInfo = { ...info, group: '', kind: 'Pod', plural: 'pods', singular: 'pod', shortNames: ['po'] }

/** A server that has these resources and definitions. */
class Server {
  resources: readonly ResourceInfo[] = [info, pods]
  broken: readonly string[] = []
  /** Definitions that were asked for, and when discovery began. */
  readonly asked: string[] = []
  definitions: { readonly [name: string]: AnyObject } = {}

  get client(): Client {
    const server = this
    return {
      discovery: {
        refresh: async () => void server.asked.push('discovery'),
        resources: async () => server.resources,
        get broken() {
          return server.broken
        },
      },
      find: async (_: unknown, name: string) => {
        server.asked.push(name)
        return server.definitions[name]
      },
    } as unknown as Client
  }
}

function registry(handlers: readonly ReturnType<typeof handler>[], indices: readonly IndexDefinition[] = []) {
  const subject = new Registry('hello', new Map(indices.map((definition, n) => [`index${n}`, definition])))
  for (const one of handlers) subject.add(one)
  return subject
}

const take = (declared: Registry, server = new Server()) => new Kinds(declared, server.client).take(undefined, never)
const summary = ({ kinds }: Census) =>
  kinds.map(({ kind }) => [kind.info.plural, kind.info.version, kind.handlers.map(({ id }) => id), kind.indices.size])

describe('the kinds of a server', () => {
  it('gather what was declared on one kind under several names', async () => {
    const definition = indexDefinition(index('kex', () => 1)) as IndexDefinition
    const declared = registry(
      [
        handler('create', { id: 'a' }),
        handler('update', { id: 'b', field: 'status.x' }, () => {}, 'kopfexamples'),
        handler('create', { id: 'c' }, () => {}, 'pods'),
      ],
      [definition],
    )
    const census = await take(declared)
    expect(summary(census)).toEqual([
      ['kopfexamples', 'v1', ['a', 'b/status.x'], 1],
      ['pods', 'v1', ['c'], 0],
    ])
    expect(census.kinds[0]?.kind.tracked).toEqual([['status', 'x']])
    expect(census.awaited).toEqual([])
  })

  it('are awaited if nobody serves them, with who asked for them and what may have been meant', async () => {
    const definition = indexDefinition(index('gadgets', () => 1)) as IndexDefinition
    const declared = registry(
      [handler('create', { id: 'a' }, () => {}, 'podz'), handler('create', { id: 'b' }, () => {}, 'podz')],
      [definition],
    )
    const { kinds, awaited } = await take(declared)
    expect(kinds).toEqual([])
    expect(awaited).toMatchObject([
      { resource: 'podz', why: 'not served', users: ['handler "a"', 'handler "b"'] },
      { resource: 'gadgets', why: 'not served', users: ['index "index0"'] },
    ])
    expect(awaited[0]?.hint).toMatch(/Did you mean pods\?$/)
  })

  it('are awaited in the version that was named, and the others are told', async () => {
    const { awaited } = await take(registry([handler('create', {}, () => {}, 'kopf.dev/v2/kopfexamples')]))
    expect(awaited).toMatchObject([{ why: 'not served' }])
    const declared = { ...Kex, version: 'v2' }
    const [missing] = (await take(registry([handler('create', {}, () => {}, declared)]))).awaited
    expect(missing?.hint).toBe('The server has it in version v1: declare it in one of these.')
  })

  it('of the core group win over namesakes; namesakes elsewhere are ambiguous, and left alone', async () => {
    const server = new Server()
    const other = { ...info, group: 'other.dev' }
    server.resources = [{ ...pods, group: 'metrics.k8s.io' }, pods, info, other]
    const bare = await take(registry([handler('create', { id: 'p' }, () => {}, 'pods')]), server)
    expect(bare.kinds.map(({ kind }) => kind.info.group)).toEqual([''])
    const both = registry([handler('create', { id: 'k' }, () => {}, 'kopfexamples')])
    expect(await take(both, server)).toMatchObject({
      kinds: [],
      awaited: [
        {
          why: 'ambiguous',
          hint: 'It may be kopfexamples.kopf.dev, kopfexamples.other.dev: name the group too.',
        },
      ],
    })
    const named = registry([handler('create', { id: 'k' }, () => {}, selector({ kind: 'KopfExample' }))])
    expect((await take(named, server)).awaited).toMatchObject([{ resource: 'kind KopfExample', why: 'ambiguous' }])
  })

  it('without the verbs that a handler needs are not served to it', async () => {
    const server = new Server()
    server.resources = [
      { ...info, verbs: ['list', 'watch'] },
      { ...pods, verbs: ['create'] },
    ]
    const declared = registry([handler('create', { id: 'a' }), handler('create', { id: 'b' }, () => {}, 'pods')])
    declared.addEvent(eventHandler('kex', [{ id: 'seen' }, () => {}]))
    const census = await take(declared, server)
    expect(census.kinds.map(({ kind }) => [kind.info.plural, kind.handlers, kind.events.length])).toEqual([
      ['kopfexamples', [], 1],
    ])
    expect(census.awaited.map(({ hint }) => hint)).toEqual([
      'The server offers no patch for kopfexamples.kopf.dev.',
      'The server offers no list, watch, patch for pods.',
    ])
  })

  it('whose definition is being removed stay with the handlers that hold their objects', async () => {
    const server = new Server()
    server.resources = [{ ...info, verbs: ['delete', 'deletecollection', 'get', 'list', 'watch'] }]
    const census = await take(registry([handler('delete', { id: 'gone' })]), server)
    expect(census.awaited).toEqual([])
    expect(census.kinds.map(({ kind }) => kind.handlers.map(({ id }) => id))).toEqual([['gone']])
  })

  it('that a choice of several takes are each in one version, that which a handler names if one does', async () => {
    const server = new Server()
    const beta = { ...info, version: 'v1beta1', apiVersion: 'kopf.dev/v1beta1', preferred: false }
    const events = { ...pods, plural: 'events', kind: 'Event' }
    server.resources = [
      info,
      beta,
      pods,
      events,
      { ...events, group: 'events.k8s.io' },
      { ...pods, plural: 'x', verbs: [] },
    ]
    const all = registry([handler('create', { id: 'all' }, () => {}, EVERYTHING)])
    expect(summary(await take(all, server))).toEqual([
      ['kopfexamples', 'v1', ['all'], 0],
      ['pods', 'v1', ['all'], 0],
    ])
    all.add(handler('create', { id: 'beta' }, () => {}, 'kopf.dev/v1beta1/kopfexamples'))
    expect(summary(await take(all, server))).toEqual([
      ['kopfexamples', 'v1beta1', ['all', 'beta'], 0],
      ['pods', 'v1', ['all'], 0],
    ])
    all.add(handler('create', { id: 'one' }, () => {}, Kex))
    await expect(take(all, server)).rejects.toThrow('kopfexamples.kopf.dev is declared in two versions, v1beta1 and v1')
  })

  it('refuse two functions under one id on one kind, whichever names it was declared under', async () => {
    const declared = registry([
      handler('create', { id: 'same' }, () => {}),
      handler('create', { id: 'same' }, () => {}, 'kopfexamples'),
    ])
    await expect(take(declared)).rejects.toThrow('Two handlers of kopfexamples have the id "same"')
  })

  it('stay the same values from look to look, with what has changed about them', async () => {
    const server = new Server()
    const kinds = new Kinds(registry([handler('create', { id: 'a' }, () => {}, 'kex')]), server.client)
    const [before] = (await kinds.take(undefined, never)).kinds
    server.resources = [{ ...info, version: 'v2', apiVersion: 'kopf.dev/v2', subresources: [] }]
    const conditions = {
      openAPIV3Schema: { properties: { status: { properties: { conditions: { type: 'array' } } } } },
    }
    const version = { name: 'v2', served: true, schema: conditions, selectableFields: [{ jsonPath: '.spec.color' }] }
    server.definitions = { 'kopfexamples.kopf.dev': { metadata: {}, spec: { versions: [version] } } as never }
    const [after] = (await kinds.take(undefined, never)).kinds
    expect(after?.kind).toBe(before?.kind)
    expect(after).toMatchObject({
      selectable: ['spec.color'],
      kind: { conditions: true, info: { version: 'v2', subresources: [] }, resource: { apiVersion: 'kopf.dev/v2' } },
    })
  })

  it('do not disappear because the server cannot tell about their group', async () => {
    const server = new Server()
    const kinds = new Kinds(registry([handler('create')]), server.client)
    await kinds.take(undefined, never)
    server.resources = [pods]
    server.broken = ['kopf.dev/v1']
    expect(summary(await kinds.take(undefined, never))).toEqual([['kopfexamples', 'v1', ['act'], 0]])
    server.broken = []
    expect(summary(await kinds.take(undefined, never))).toEqual([])
  })

  it.each([
    ['pods', false],
    ['kex', true],
    ['gadgets', true],
    [selector({ category: 'all' }), true],
  ])('can come and go, or cannot: %s', async (of, open) => {
    const server = new Server()
    server.resources = [info, { ...pods, verbs }]
    expect((await take(registry([handler('create', {}, () => {}, of)]), server)).open).toBe(open)
  })

  it('have their definitions asked for once, and beside the discovery where names tell which', async () => {
    const server = new Server()
    const declared = registry([
      handler('create', { id: 'a' }),
      handler('update', { id: 'b' }, () => {}, 'kopfexamples'),
      handler('create', { id: 'c' }, () => {}, 'pods'),
      handler('create', { id: 'd' }, () => {}, 'deployments.apps'),
      handler('create', { id: 'e' }, () => {}, 'ingresses.networking.k8s.io'),
    ])
    await take(declared, server)
    expect(server.asked).toEqual(['kopfexamples.kopf.dev', 'discovery'])
    const bare = new Server()
    await take(registry([handler('create', { id: 'a' }, () => {}, 'kopfexamples')]), bare)
    expect(bare.asked).toEqual(['discovery', 'kopfexamples.kopf.dev'])
  })
})
