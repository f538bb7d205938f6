import type { ResourceInfo } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { handler, served } from '../../test/sample.ts'
import { daemonHandler } from '../declare/daemon.ts'
import { ABSENT, oneOf, PRESENT } from '../declare/filters.ts'
import { type DeclaredOptions, eventHandler } from '../declare/handler.ts'
import { type IndexDefinition, index, indexDefinition } from '../declare/index-handler.ts'
import type { ServedKind } from '../declare/served-kind.ts'
import { serverFilter } from './push-down.ts'

const create = (options: DeclaredOptions) => handler('create', options)
const kind = (parts: Partial<ServedKind>): ServedKind => ({ ...served(), ...parts })
const filterOf = (...handlers: ReturnType<typeof handler>[]) => serverFilter(kind({ handlers }), ['spec.color'])
const indexed = (options: object) =>
  new Set([indexDefinition(index('kex', options as never, () => 1)) as IndexDefinition])

describe('labels', () => {
  it.each<[string, DeclaredOptions['labels'], string]>([
    ['a value', { app: 'web' }, 'app in (web)'],
    ['an empty value', { app: '' }, 'app in ()'],
    ['some values', { app: oneOf('b', 'a') }, 'app in (a,b)'],
    ['presence', { app: PRESENT }, 'app'],
    ['absence', { 'example.com/app': ABSENT }, '!example.com/app'],
    ['several', { app: 'web', tier: PRESENT }, 'app in (web),tier'],
    ['what the server can apply beside what it cannot', { app: 'web', tier: () => true }, 'app in (web)'],
  ])('%s', (_, labels, selector) => {
    expect(filterOf(create({ labels: labels ?? {} }))).toEqual({ labels: selector })
  })

  it.each<[string, DeclaredOptions['labels']]>([
    ['a function', { app: () => true }],
    ['a value that no label has', { app: 'a b' }],
    ['a value that is no text', { app: 5 }],
    ['a key that no label has', { 'a b': 'x' }],
  ])('%s says nothing to a server', (_, labels) => {
    expect(filterOf(create({ labels: labels ?? {} }))).toBeUndefined()
  })

  it.each<[string, DeclaredOptions['labels'], DeclaredOptions['labels'], string | undefined]>([
    ['different values', { app: 'a' }, { app: 'b' }, 'app in (a,b)'],
    ['a value and presence', { app: 'a' }, { app: PRESENT }, 'app'],
    ['presence and absence', { app: PRESENT }, { app: ABSENT }, undefined],
    ['one label and another', { app: 'a' }, { tier: 'b' }, undefined],
    ['one label and the same with another', { app: 'a' }, { app: 'a', tier: 'b' }, 'app in (a)'],
    ['a label and nothing', { app: 'a' }, {}, undefined],
  ])('of two handlers: what both can live with: %s', (_, one, other, labels) => {
    const filter = filterOf(create({ id: '1', labels: one ?? {} }), create({ id: '2', labels: other ?? {} }))
    expect(filter?.labels).toBe(labels)
  })

  it('count only if the indices of the kind can live with them, too', () => {
    const handlers = [create({ labels: { app: 'a' } })]
    expect(serverFilter(kind({ handlers, indices: indexed({ labels: { app: 'b' } }) }), [])).toEqual({
      labels: 'app in (a,b)',
    })
    expect(serverFilter(kind({ handlers, indices: indexed({}) }), [])).toBeUndefined()
  })
})

describe('an object that leaves the watch looks deleted', () => {
  const labels = { app: 'web' }
  it.each(['create', 'update', 'field'] as const)('which means nothing to handlers of %s', (verb) => {
    expect(filterOf(handler(verb, { labels, field: 'spec.x' }))).toEqual({ labels: 'app in (web)' })
  })

  it.each<[string, Partial<ServedKind>]>([
    ['delete', { handlers: [handler('delete', { labels })] }],
    ['delete, although it is optional', { handlers: [handler('delete', { labels, optional: true })] }],
    ['resume', { handlers: [handler('resume', { labels })] }],
    ['event', { events: [eventHandler('kex', [{ labels }, () => {}])] }],
    ['daemon', { background: [daemonHandler('kex', [{ labels }, () => {}])] }],
  ])('so nothing that can change is left to the server where there are handlers of %s', (_, parts) => {
    expect(serverFilter(kind(parts), [])).toBeUndefined()
  })

  it('but what can never change is', () => {
    const options = { field: 'metadata.name', value: 'one' }
    const parts = {
      handlers: [handler('delete', options)],
      events: [eventHandler('kex', [options, () => {}])],
      background: [daemonHandler('kex', [options, () => {}])],
    }
    expect(serverFilter(kind(parts), [])).toEqual({ fields: 'metadata.name=one' })
  })
})

describe('fields', () => {
  const red = { field: 'spec.color', value: 'red' }
  it('that the definition declares are left to the server, if all want one value', () => {
    expect(filterOf(create(red))).toEqual({ fields: 'spec.color=red' })
    expect(filterOf(create({ ...red, value: oneOf('red') }))).toEqual({ fields: 'spec.color=red' })
    expect(filterOf(create({ ...red, value: 3 }))).toEqual({ fields: 'spec.color=3' })
    expect(filterOf(create({ ...red, id: '1' }), create({ ...red, id: '2', value: 'blue' }))).toBeUndefined()
    expect(filterOf(create({ ...red, value: oneOf('red', 'blue') }))).toBeUndefined()
    expect(filterOf(create({ ...red, value: PRESENT }))).toBeUndefined()
    expect(filterOf(create({ ...red, value: 'a,b=c' }))).toBeUndefined()
    expect(filterOf(create({ field: 'spec.other', value: 'red' }))).toBeUndefined()
  })

  it('are not, where a handler is also about objects that had the value before', () => {
    expect(filterOf(handler('update', red))).toBeUndefined()
    expect(filterOf(create({ ...red, id: '1' }), handler('field', { ...red, id: '2' }))).toBeUndefined()
  })

  it('of built-in kinds are those that every server knows', () => {
    const info = { ...served().info, group: '', plural: 'pods', namespaced: true } as ResourceInfo
    const pods = (options: DeclaredOptions) => serverFilter(kind({ info, handlers: [create(options)] }), [])
    expect(pods({ field: 'spec.nodeName', value: 'n1' })).toEqual({ fields: 'spec.nodeName=n1' })
    expect(pods({ field: 'spec.hostname', value: 'n1' })).toBeUndefined()
    expect(pods({ field: 'metadata.namespace', value: 'x' })).toEqual({ fields: 'metadata.namespace=x' })
  })
})

it('nothing is left out where nothing is declared', () => {
  expect(serverFilter(kind({}), [])).toBeUndefined()
})
