import { describe, expect, it } from 'vitest'
import { kex } from '../../test/sample.ts'
import {
  adjustNamespace,
  adopt,
  appendOwnerReference,
  harmonizeNaming,
  label,
  objectReference,
  ownerReference,
  removeOwnerReference,
} from './hierarchies.ts'

const owner = kex({ name: 'parent', namespace: 'shop', uid: '1', labels: { app: 'web' } })
const reference = {
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  name: 'parent',
  uid: '1',
  controller: true,
  blockOwnerDeletion: true,
}
type Child = { metadata?: object; spec?: object }

describe('an adopted object', () => {
  it('has owner reference, generated name, namespace and labels of its owner', () => {
    const child: Child = { spec: { a: 1 } }
    expect(adopt(child, owner)).toEqual({
      spec: { a: 1 },
      metadata: { generateName: 'parent-', namespace: 'shop', labels: { app: 'web' }, ownerReferences: [reference] },
    })
    expect(child).toEqual({ spec: { a: 1 } })
  })

  it('keeps what it has', () => {
    const child: Child = { metadata: { name: 'mine', namespace: 'other', labels: { app: 'db', x: '1' } } }
    expect(adopt(child, owner).metadata).toMatchObject({
      name: 'mine',
      namespace: 'other',
      labels: { app: 'db', x: '1' },
    })
  })

  it('loses it where it is forced', () => {
    const child: Child = { metadata: { namespace: 'other', labels: { app: 'db', x: '1' } } }
    expect(adopt(child, owner, { forced: true, strict: true }).metadata).toMatchObject({
      name: 'parent',
      namespace: 'shop',
      labels: { app: 'web', x: '1' },
    })
  })

  it('refers to its owner once, beside other owners', () => {
    const other = { ...reference, uid: '2' }
    const once = adopt({ metadata: { ownerReferences: [other] } } as Child, owner)
    expect(adopt(once, owner).metadata).toMatchObject({ ownerReferences: [other, reference] })
  })

  it('may be one of a list', () => {
    expect(adopt([{ spec: {} }, { spec: {} }] as Child[], owner).map(({ metadata }) => metadata)).toHaveLength(2)
  })

  it('has no namespace if its owner has none', () => {
    const { namespace: _, ...metadata } = owner.metadata
    expect(adopt({} as Child, { ...owner, metadata } as never).metadata).not.toHaveProperty('namespace')
  })
})

it('a reference says whether it controls and blocks', () => {
  expect(ownerReference(owner)).toEqual(reference)
  expect(ownerReference(owner, { controller: false, blockOwnerDeletion: false })).toMatchObject({
    controller: false,
    blockOwnerDeletion: false,
  })
})

describe('helpers by themselves', () => {
  it('append and remove an owner by its uid, and leave no empty list', () => {
    const owned = appendOwnerReference({} as Child, owner, { controller: false })
    expect(owned.metadata).toEqual({ ownerReferences: [{ ...reference, controller: false }] })
    expect(removeOwnerReference(owned, owner).metadata).toEqual({})
    const two = appendOwnerReference(owned, kex({ uid: '2' }))
    expect(removeOwnerReference(two, owner).metadata).toMatchObject({ ownerReferences: [{ uid: '2' }] })
    expect(owned.metadata).toMatchObject({ ownerReferences: [{ uid: '1' }] })
  })

  it('name only what has no name, unless forced; a name takes the place of a generated one', () => {
    expect(harmonizeNaming({} as Child, 'x').metadata).toEqual({ generateName: 'x-' })
    expect(harmonizeNaming({} as Child, 'x', { strict: true }).metadata).toEqual({ name: 'x' })
    const generated: Child = { metadata: { generateName: 'mine-' } }
    expect(harmonizeNaming(generated, 'x', { strict: true }).metadata).toEqual({ generateName: 'mine-' })
    expect(harmonizeNaming(generated, 'x', { strict: true, forced: true }).metadata).toEqual({ name: 'x' })
    const named: Child = { metadata: { name: 'mine' } }
    expect(harmonizeNaming(named, 'x', { forced: true }).metadata).toEqual({ generateName: 'x-' })
  })

  it('put into a namespace what is in none, unless forced', () => {
    expect(adjustNamespace({} as Child, 'shop').metadata).toEqual({ namespace: 'shop' })
    const elsewhere: Child = { metadata: { namespace: 'other' } }
    expect(adjustNamespace(elsewhere, 'shop').metadata).toEqual({ namespace: 'other' })
    expect(adjustNamespace(elsewhere, 'shop', { forced: true }).metadata).toEqual({ namespace: 'shop' })
    expect(adjustNamespace(elsewhere, undefined, { forced: true }).metadata).toEqual({})
  })

  it('label nested places that are there, and invent none', () => {
    const deployment: Child = { spec: { template: { metadata: { labels: { app: 'db' } }, spec: {} } } }
    const nested = ['spec.template', 'spec.jobTemplate.spec.template']
    expect(label(deployment, { app: 'web', tier: 'x' }, { nested })).toEqual({
      metadata: { labels: { app: 'web', tier: 'x' } },
      spec: { template: { metadata: { labels: { app: 'db', tier: 'x' } }, spec: {} } },
    })
    const forced = label(deployment, { app: 'web' }, { nested: 'spec.template', forced: true })
    expect(forced.spec).toEqual({ template: { metadata: { labels: { app: 'web' } }, spec: {} } })
    expect(deployment).toEqual({ spec: { template: { metadata: { labels: { app: 'db' } }, spec: {} } } })
  })

  it('refuse a nested place without a name', () => {
    expect(() => label({}, { a: 'b' }, { nested: 'spec..x' })).toThrow('is no place where labels could be')
  })

  it('reach into lists of lists', () => {
    const lists = label([[{} as Child], {} as Child] as const, { a: 'b' })
    expect(lists).toEqual([[{ metadata: { labels: { a: 'b' } } }], { metadata: { labels: { a: 'b' } } }])
  })

  it('do not take an object out of its namespace for an owner of the whole cluster', () => {
    const { namespace: _, ...metadata } = owner.metadata
    const child: Child = { metadata: { namespace: 'shop' } }
    expect(adopt(child, { ...owner, metadata } as never, { forced: true }).metadata).toMatchObject({
      namespace: 'shop',
    })
  })

  it('make nothing but a plain label out of a name that could be a prototype', () => {
    const labels = JSON.parse('{"__proto__":"x"}')
    expect(Object.getPrototypeOf(label({} as Child, labels).metadata)).toBe(Object.prototype)
  })
})

it('a reference to an object has its namespace only if there is one', () => {
  expect(objectReference(owner)).toEqual({
    apiVersion: 'kopf.dev/v1',
    kind: 'KopfExample',
    name: 'parent',
    uid: '1',
    namespace: 'shop',
  })
})
