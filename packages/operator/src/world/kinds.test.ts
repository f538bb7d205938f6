import type { Client } from '@binnacle/client'
import type { ResourceInfo, ResourceLike } from '@binnacle/core'
import { expect, it } from 'vitest'
import { handler, Kex, served } from '../../test/sample.ts'
import { type IndexDefinition, index, indexDefinition } from '../declare/index-handler.ts'
import { Registry } from '../declare/registry.ts'
import { servedKinds } from './kinds.ts'

const never = new AbortController().signal
const { info } = served()
const pods: ResourceInfo = { ...info, group: '', kind: 'Pod', plural: 'pods', singular: 'pod' }

/** A server that knows our kind under three names, and pods. */
const client = {
  discovery: {
    async resolve(resource: ResourceLike) {
      if (resource === Kex || resource === 'kopfexamples' || resource === 'kex') return info
      return resource === 'pods' ? pods : undefined
    },
  },
} as unknown as Client

function registry(handlers: readonly ReturnType<typeof handler>[], indices: readonly IndexDefinition[] = []) {
  const subject = new Registry('hello', new Map(indices.map((definition, n) => [`index${n}`, definition])))
  for (const one of handlers) subject.add(one)
  return subject
}

it('gathers what was declared on one kind under several names', async () => {
  const definition = indexDefinition(index('kex', () => 1)) as IndexDefinition
  const declared = registry(
    [
      handler('create', { id: 'a' }),
      handler('update', { id: 'b', field: 'status.x' }, () => {}, 'kopfexamples'),
      handler('create', { id: 'c' }, () => {}, 'pods'),
    ],
    [definition],
  )
  const kinds = await servedKinds(declared, client, never)
  expect(
    kinds.map(({ info: { plural }, handlers, indices, tracked }) => [
      plural,
      handlers.map(({ id }) => id),
      indices.size,
      tracked,
    ]),
  ).toEqual([
    ['kopfexamples', ['a', 'b/status.x'], 1, [['status', 'x']]],
    ['pods', ['c'], 0, []],
  ])
})

it('refuses all at once what is not served, with who asked for it', async () => {
  const definition = indexDefinition(index('gadgets', () => 1)) as IndexDefinition
  const declared = registry(
    [handler('create', { id: 'a' }, () => {}, 'widgets'), handler('create', { id: 'b' }, () => {}, 'widgets')],
    [definition],
  )
  await expect(servedKinds(declared, client, never)).rejects.toThrow(
    'The API server does not serve widgets (handlers "a", "b"), gadgets (an index)',
  )
})

it('refuses two functions under one id on one kind, whichever names it was declared under', async () => {
  const declared = registry([
    handler('create', { id: 'same' }, () => {}),
    handler('create', { id: 'same' }, () => {}, 'kopfexamples'),
  ])
  await expect(servedKinds(declared, client, never)).rejects.toThrow('Two handlers of kopfexamples have the id "same"')
})
