import { describe, expect, it } from 'vitest'
import { kex } from '../../test/sample.ts'
import { adopt, ownerReference } from './hierarchies.ts'

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
