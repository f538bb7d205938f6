import type { KubeObject } from '@binnacle/core'
import { expect, it } from 'vitest'
import { kex } from '../../test/sample.ts'
import { IndexOnly } from './index-only.ts'

function cache() {
  const kept = new Map<string, KubeObject>()
  const subject = new IndexOnly(({ metadata }) => kept.get(metadata.name))
  const arrive = (body: KubeObject) => {
    const slim = subject.transform(body)
    kept.set(body.metadata.name, slim)
    return slim
  }
  return { subject, arrive }
}

const a = kex({ name: 'a', uid: '1', resourceVersion: '5', labels: { app: 'web' } }, { spec: { size: 1 } })

it('keeps who an object is, and gives its body once, with the change', () => {
  const { subject, arrive } = cache()
  const kept = arrive(a)
  const { apiVersion, kind, metadata } = kept
  expect([apiVersion, kind]).toEqual([a.apiVersion, a.kind])
  expect({ ...metadata }).toEqual({ name: 'a', namespace: 'default', uid: '1', resourceVersion: '5' })
  expect(subject.whole({ type: 'add', object: kept, isInInitialList: true })).toMatchObject({ object: a })
  expect(subject.size).toBe(0)
})

it('keeps no body of what a list repeats', () => {
  const { subject, arrive } = cache()
  subject.whole({ type: 'add', object: arrive(a), isInInitialList: true })
  arrive(a)
  expect(subject.size).toBe(0)
})

it('keeps no body when one state comes twice before it is told', () => {
  const { subject } = cache()
  const first = subject.transform(a)
  subject.transform(a)
  subject.whole({ type: 'add', object: first, isInInitialList: false })
  expect(subject.size).toBe(0)
})
