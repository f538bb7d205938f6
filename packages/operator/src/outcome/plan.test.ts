import { type AnyObject, applyMergePatch } from '@binnacle/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { patched, TestFailed } from '../../test/json-patch.ts'
import { kex } from '../../test/sample.ts'
import type { FinalizerChange } from './finalizer.ts'
import { type Intention, plan } from './plan.ts'

const OURS = 'hello.binnacle.dev/finalizer'
const planned = (body: AnyObject, intention: Partial<Intention>, statusSubresource = true) =>
  plan(
    body,
    { change: { merge: {}, edits: [] }, finalizer: 'leave', ...intention },
    { finalizerName: OURS, statusSubresource },
  )
const merging = (merge: object) => ({ change: { merge: merge as never, edits: [] } })
const done = (body: AnyObject, { status, object }: ReturnType<typeof planned>) => patched(patched(body, status), object)

describe('requests', () => {
  it('are none where nothing changes', () => {
    const body = kex({ labels: { a: '1' }, finalizers: [OURS] }, { status: { x: 1 } })
    expect(planned(body, {})).toEqual({ status: [], object: [] })
    expect(planned(body, merging({ status: { x: 1 }, metadata: { labels: { a: '1' } } }))).toEqual({
      status: [],
      object: [],
    })
    expect(planned(body, merging({ spec: { gone: null } })).status).toEqual([])
    expect(planned(body, { change: { merge: {}, edits: [() => {}] } })).toEqual({ status: [], object: [] })
  })

  it('part the status from the rest where the kind serves it apart', () => {
    const { status, object } = planned(kex({}, { spec: {}, status: {} }), merging({ status: { a: 1 }, spec: { b: 2 } }))
    expect(status.map(({ path }) => path)).toEqual(['/metadata/uid', '/status/a'])
    expect(object.map(({ path }) => path)).toEqual(['/metadata/uid', '/spec/b'])
  })

  it('are one where it does not', () => {
    const { status, object } = planned(
      kex({}, { spec: {}, status: {} }),
      merging({ status: { a: 1 }, spec: { b: 2 } }),
      false,
    )
    expect(status).toEqual([])
    expect(object.map(({ path }) => path)).toEqual(['/metadata/uid', '/spec/b', '/status/a'])
  })

  it('do not take a field that begins with the word for the status', () => {
    expect(planned(kex(), merging({ statusText: 'x' })).status).toEqual([])
  })
})

describe('the finalizer', () => {
  it.each<[string, readonly string[] | undefined, FinalizerChange, readonly string[] | undefined]>([
    ['is put on', undefined, 'hold', [OURS]],
    ['is put after those of others', ['x'], 'hold', ['x', OURS]],
    ['is not put on twice', ['x', OURS, 'y'], 'hold', ['x', OURS, 'y']],
    ['is taken off', [OURS], 'release', undefined],
    ['is taken off alone', ['x', OURS, 'y'], 'release', ['x', 'y']],
    ['is not taken off where it is not', ['x'], 'release', ['x']],
    ['is left alone', ['x', OURS], 'leave', ['x', OURS]],
  ])('%s', (_, before, finalizer, after) => {
    const body = kex(before ? { finalizers: before } : {})
    expect(done(body, planned(body, { finalizer })).metadata.finalizers).toEqual(after)
  })

  it('is not put on an object that is being deleted: the server would refuse the whole request', () => {
    const body = kex({ finalizers: ['x'], deletionTimestamp: '2026-01-01T00:00:00Z' })
    expect(planned(body, { finalizer: 'hold' }).object).toEqual([])
  })

  it('goes together with what a handler does to the finalizers itself', () => {
    const body = kex({ finalizers: ['x'] })
    const intention = {
      finalizer: 'hold' as const,
      change: { merge: { metadata: { finalizers: ['x', 'mine'] } }, edits: [] },
    }
    expect(done(body, planned(body, intention)).metadata.finalizers).toEqual(['x', 'mine', OURS])
  })
})

describe('a request is refused whole', () => {
  const body = kex({ finalizers: ['x'] }, { spec: { list: [1] } })
  const edits = [(draft: object) => void (draft as AnyObject)['spec'].list.push(2)]

  it('if the object is another one of the same name', () => {
    const { object } = planned(body, merging({ spec: { a: 1 } }))
    expect(() => patched({ ...body, metadata: { ...body.metadata, uid: 'uid-b' } }, object)).toThrow(TestFailed)
  })

  it('if the finalizers are not what they were when ours is changed', () => {
    for (const finalizer of ['hold', 'release'] as const) {
      const held = finalizer === 'hold' ? body : kex({ finalizers: ['x', OURS] })
      const { object } = planned(held, { finalizer })
      expect(() => patched(kex({ finalizers: ['x', OURS, 'y'] }), object)).toThrow(TestFailed)
      expect(() => patched(kex(), object)).toThrow(TestFailed)
    }
  })

  it('if the version is not what it was when a function edited it', () => {
    const { object } = planned(body, { change: { merge: {}, edits } })
    expect(() => patched(kex({ ...body.metadata, resourceVersion: '2' }, { spec: { list: [1] } }), object)).toThrow(
      TestFailed,
    )
  })

  it('but not for another version when nothing depends on what was there', () => {
    const { object } = planned(body, merging({ spec: { a: 1 } }))
    const newer = kex({ ...body.metadata, resourceVersion: '2' }, { spec: { list: [1, 2], b: 1 } })
    expect(patched(newer, object)['spec']).toEqual({ list: [1, 2], b: 1, a: 1 })
  })

  it('if a stanza that was absent has come to be: what is in it would be lost', () => {
    const { object } = planned(kex(), merging({ metadata: { annotations: { mine: '1' } } }))
    expect(() => patched(kex({ annotations: { theirs: '1' } }), object)).toThrow(TestFailed)
  })
})

describe('with any body and any intention', () => {
  const key = fc.constantFrom('a', 'b', 'c/d', 'e~f')
  const stanza = fc.dictionary(
    key,
    fc.oneof(
      fc.integer(),
      fc.array(fc.integer(), { maxLength: 2 }),
      fc.dictionary(key, fc.integer(), { noNullPrototype: true }),
    ),
    {
      noNullPrototype: true,
      maxKeys: 3,
    },
  )
  const map = fc.dictionary(key, fc.string({ maxLength: 3 }), { noNullPrototype: true })
  const body = fc
    .record(
      { labels: map, annotations: map, finalizers: fc.subarray(['x', OURS, 'y'], { minLength: 1 }) },
      { requiredKeys: [] },
    )
    .chain((meta) =>
      fc
        .record({ spec: stanza, status: stanza, data: stanza }, { requiredKeys: [] })
        .map((stanzas) => kex(meta as never, stanzas)),
    )
  const change = fc.dictionary(
    key,
    fc.oneof(fc.constant(null), fc.integer(), fc.dictionary(key, fc.option(fc.integer()), { noNullPrototype: true })),
    {
      noNullPrototype: true,
      minKeys: 1,
      maxKeys: 3,
    },
  )
  const merge = fc
    .record(
      {
        spec: change,
        status: change,
        data: fc.constant(null),
        labels: fc.dictionary(key, fc.option(fc.string()), { noNullPrototype: true, minKeys: 1 }),
      },
      { requiredKeys: [] },
    )
    .map(({ labels, ...rest }) => ({ ...rest, ...(labels && { metadata: { labels } }) }))
  const finalizer = fc.constantFrom<FinalizerChange>('hold', 'release', 'leave')
  const edit = fc.option(fc.integer({ min: 0, max: 9 }))

  it('what arrives is what was intended, on a server that serves the status apart or not', () => {
    fc.assert(
      fc.property(body, merge, finalizer, edit, fc.boolean(), (before, merged, held, number, apart) => {
        const extra = (draft: object) => void Object.assign(draft, { extra: { number } })
        const edits = number === null ? [] : [extra]
        const after = done(
          before,
          planned(before, { change: { merge: merged as never, edits }, finalizer: held }, apart),
        )
        const others = (before.metadata.finalizers ?? []).filter((name) => name !== OURS)
        const kept = before.metadata.finalizers?.includes(OURS) ? before.metadata.finalizers : [...others, OURS]
        const finalizers = held === 'hold' ? kept : held === 'release' ? others : before.metadata.finalizers
        const target = applyMergePatch(before, {
          ...merged,
          ...(number !== null && { extra: { number } }),
        }) as AnyObject
        const { finalizers: _, ...metadata } = target.metadata
        expect(after).toEqual({ ...target, metadata: finalizers?.length ? { ...metadata, finalizers } : metadata })
      }),
      { numRuns: 300 },
    )
  })

  it('planning again for what has arrived asks for nothing more', () => {
    fc.assert(
      fc.property(body, merge, finalizer, fc.boolean(), (before, merged, held, apart) => {
        const intention = { ...merging(merged), finalizer: held }
        const after = done(before, planned(before, intention, apart))
        expect(planned(after, intention, apart)).toEqual({ status: [], object: [] })
      }),
    )
  })
})
