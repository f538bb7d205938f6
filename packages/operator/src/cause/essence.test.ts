import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kex } from '../../test/sample.ts'
import { identityOf } from '../declare/identity.ts'
import { patchDraft } from '../outcome/patch.ts'
import { annotationsDiffBase } from '../progress/last-handled.ts'
import type { Progress } from '../progress/progress.ts'
import type { StoragePatch } from '../progress/storage.ts'
import { annotationsProgress } from '../progress/store.ts'
import { essenceOf } from './essence.ts'

const essence = (...[meta, stanzas]: Parameters<typeof kex>) => essenceOf(kex(meta, stanzas), [])

describe('the essence of an object', () => {
  it('is what a user writes: the stanzas, labels and annotations', () => {
    const meta = { labels: { app: 'web' }, annotations: { note: 'x' } }
    expect(essence(meta, { spec: { a: 1 }, data: { b: 2 } })).toEqual({
      spec: { a: 1 },
      data: { b: 2 },
      metadata: meta,
    })
  })

  it('has no status', () => {
    expect(essence({}, { spec: {}, status: { ready: true } })).toEqual({ spec: {} })
  })

  it('has nothing of what the server keeps in the metadata', () => {
    const meta = {
      generation: 3,
      resourceVersion: '7',
      creationTimestamp: 'x',
      finalizers: ['y'],
      deletionTimestamp: 'z',
    }
    expect(essence(meta)).toEqual({})
  })

  it('has not the copy that kubectl keeps', () => {
    expect(essence({ annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } })).toEqual({})
  })

  it.each([
    ['hello.binnacle.dev/progress.create'],
    ['other.binnacle.dev/last-handled-configuration'],
    ['a.b.binnacle.dev/x'],
    ['binnacle.dev/x'],
    ['kopf.zalando.org/last-handled-configuration'],
    ['my.kopf.zalando.org/x'],
    ['kopf.dev/x'],
  ])('has not the mark %s', (annotation) => {
    expect(essence({ annotations: { [annotation]: '1' } })).toEqual({})
  })

  it.each([
    ['notbinnacle.dev/x'],
    ['binnacle.dev.example.com/x'],
    ['example.com/binnacle.dev'],
    ['note'],
    ['hello.binnacle.devs/x'],
    ['example.com/progress.percent'],
  ])('has the annotation %s, which is nobody’s mark', (annotation) => {
    expect(essence({ annotations: { [annotation]: '1' } })).toEqual({
      metadata: { annotations: { [annotation]: '1' } },
    })
  })

  it('takes empty labels and annotations for none', () => {
    expect(essence({ labels: {}, annotations: {} })).toEqual({})
  })

  it('has no mark of an operator of Kopf that uses a prefix of its own', () => {
    const annotations = {
      'web.example.com/kopf-managed': 'yes',
      'web.example.com/create': '{}',
      'other.example.com/x': '1',
    }
    expect(essence({ annotations })).toEqual({ metadata: { annotations: { 'other.example.com/x': '1' } } })
  })

  it('shares nothing that it changed with the body', () => {
    const body = kex({}, { spec: { a: { b: 1 } }, status: { x: { y: 1 } } })
    const before = structuredClone(body)
    essenceOf(body, [
      ['status', 'x', 'y'],
      ['spec', 'a', 'b'],
      ['metadata', 'name'],
    ])
    expect(body).toEqual(before)
  })
})

describe('fields that handlers name', () => {
  const tracked = (keys: string[], stanzas: object) => essenceOf(kex({}, stanzas as never), [keys])

  it('belong to the essence although they are in the status, and nothing else of it', () => {
    expect(tracked(['status', 'phase'], { status: { phase: 'Ready', other: 1 } })).toEqual({
      status: { phase: 'Ready' },
    })
  })

  it('make no empty stanza where they are absent', () => {
    expect(tracked(['status', 'phase'], { status: { other: 1 } })).toEqual({})
    expect(tracked(['status', 'a', 'b'], { status: { a: 'text' } })).toEqual({})
  })

  it('are of no account where they are content anyway', () => {
    expect(tracked(['spec', 'a'], { spec: { a: 1, b: 2 } })).toEqual({ spec: { a: 1, b: 2 } })
  })

  it('gather, one beside the other', () => {
    const body = kex({}, { status: { a: { b: 1, c: 2, d: 3 } } })
    expect(
      essenceOf(body, [
        ['status', 'a', 'b'],
        ['status', 'a', 'c'],
      ]),
    ).toEqual({ status: { a: { b: 1, c: 2 } } })
  })
})

it('marks of any operator never change the essence', () => {
  const part = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,5}[a-z0-9])?$/)
  const operatorName = fc.oneof(
    part,
    fc.array(part, { minLength: 2, maxLength: 3 }).map((parts) => parts.join('.')),
  )
  const handlerId = fc.oneof(fc.stringMatching(/^[a-z]{1,8}$/), fc.string({ minLength: 1, maxLength: 90 }))
  const annotations = fc.dictionary(fc.constantFrom('note', 'example.com/x'), fc.string(), { noNullPrototype: true })
  fc.assert(
    fc.property(operatorName, handlerId, annotations, fc.boolean(), (name, id, mine, failed) => {
      const body = kex({ annotations: mine }, { spec: { a: 1 } })
      const plain = essenceOf(body, [])
      const patch = patchDraft().patch as StoragePatch
      const { prefix } = identityOf(name)
      const record: Progress = {
        started: '2026-01-01T00:00:00.000Z',
        purpose: 'create',
        retries: 1,
        success: !failed,
        failure: failed,
        essence: 'x',
      }
      annotationsProgress({ prefix }).store(id, record, body, patch)
      const owner = { name, prefix, sizeLimits: { compress: 9999, digest: 9999 } }
      annotationsDiffBase().bind?.(owner).store(body, patch, plain)
      const changes = patch.metadata.annotations
      const marked = kex({ annotations: { ...mine, ...changes } as never }, { spec: { a: 1 } })
      expect(essenceOf(marked, [])).toEqual(plain)
    }),
  )
})
