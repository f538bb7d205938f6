import { diff } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { kex } from '../../test/sample.ts'
import type { Cause } from '../cause/detect.ts'
import { annotationsDiffBase } from '../progress/last-handled.ts'
import { advance, type Progress, resume } from '../progress/progress.ts'
import { ProgressRecords } from '../progress/records.ts'
import type { DiffBaseStorage } from '../progress/storage.ts'
import { annotationsProgress } from '../progress/store.ts'
import { intentionOf, type Outcome } from './outcome.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const owner = { name: 'p', prefix: 'p', sizeLimits: { compress: 1000, digest: 1000 } }
const diffBase = annotationsDiffBase().bind?.(owner) as DiffBaseStorage
const storages = { progress: annotationsProgress({ prefix: 'p' }), diffBase }
const BASE = 'p/last-handled-configuration'
const begun = (reason: 'create' | 'update' | 'delete') => resume(undefined, { reason, essence: 'A' }, NOW)
const done = (reason: 'create' | 'update' | 'delete' = 'create') => advance(begun(reason), { kind: 'success' }, NOW)
const failing = advance(begun('create'), { kind: 'again', delay: 60, message: 'x' }, NOW)
const essence = { spec: { a: 1 } }

function outcome(
  cause: Cause['reason'],
  records: { readonly [id: string]: Progress },
  more: Partial<Outcome> = {},
): Outcome {
  const reason = cause === 'create' || cause === 'delete' ? cause : 'update'
  const subject = new ProgressRecords(
    Object.keys(records),
    (id) => records[id],
    () => ({ reason, essence: 'A' }),
    NOW,
  )
  return {
    body: kex({}, essence),
    cause: (cause === 'update' ? { reason: cause, diff: diff({}, essence) } : { reason: cause }) as Cause,
    essence,
    change: { merge: {}, edits: [] },
    records: subject,
    ids: ['a', 'b'],
    needed: false,
    held: false,
    deleting: false,
    condition: undefined,
    now: NOW,
    blocked: false,
    ...more,
  }
}
const annotations = (given: Outcome) =>
  (intentionOf(given, storages).change.merge['metadata'] as { annotations?: object } | undefined)?.annotations

describe('once all handlers have finished', () => {
  it('the state that they have handled is stored, and their progress goes', () => {
    const body = kex({ annotations: { 'p/progress.a': 'x', 'p/progress.b': 'y' } }, essence)
    expect(annotations(outcome('create', { a: done(), b: done() }, { body }))).toEqual({
      [BASE]: JSON.stringify(essence),
      'p/progress.a': null,
      'p/progress.b': null,
    })
  })

  it('the state is stored also where no handler was concerned', () => {
    expect(annotations(outcome('update', {}))).toEqual({ [BASE]: JSON.stringify(essence) })
  })

  it('nothing is written where all is stored already', () => {
    const body = kex({ annotations: { [BASE]: JSON.stringify(essence) } }, essence)
    expect(intentionOf(outcome('noop', {}, { body }), storages)).toEqual({
      change: { merge: {}, edits: [] },
      finalizer: 'leave',
    })
  })
})

describe('as long as one has not', () => {
  it('the state is not stored, and progress is', () => {
    expect(annotations(outcome('create', { a: done(), b: failing }))).toEqual({
      'p/progress.a': JSON.stringify(done()),
      'p/progress.b': JSON.stringify(failing),
    })
  })
})

describe('when nothing has happened', () => {
  it.each([['noop'], ['resume']] as const)('what is left of former progress goes (%s)', (cause) => {
    const body = kex({ annotations: { 'p/progress.a': 'x' } }, essence)
    expect(annotations(outcome(cause, {}, { body }))).toEqual({ 'p/progress.a': null })
  })
})

describe('a deletion', () => {
  const deletion = { deleting: true, held: true, needed: true }

  it('that is handled lets the object go, and keeps its progress for as long as somebody else holds it', () => {
    const intention = intentionOf(outcome('delete', { a: done('delete') }, deletion), storages)
    expect(intention.finalizer).toBe('release')
    expect(intention.change.merge).toEqual({
      metadata: { annotations: { 'p/progress.a': JSON.stringify(done('delete')) } },
    })
  })

  it('that is not handled yet does not', () => {
    expect(intentionOf(outcome('delete', { a: begun('delete') }, deletion), storages).finalizer).toBe('leave')
  })
})

it('goes in one change with what the handlers wrote, which stays as it was', () => {
  const change = { merge: { metadata: { annotations: { mine: '1' } }, status: { x: 1 } }, edits: [] }
  const { change: sum } = intentionOf(outcome('create', { a: done() }, { change }), storages)
  expect(sum.merge).toEqual({
    metadata: { annotations: { mine: '1', [BASE]: JSON.stringify(essence) } },
    status: { x: 1 },
  })
  expect(change.merge.metadata.annotations).toEqual({ mine: '1' })
})

describe('a daemon that is still at work', () => {
  it('keeps a deletion waiting whose handlers have finished', () => {
    const deletion = { held: true, deleting: true, needed: true }
    const given = outcome('delete', { a: done('delete') }, deletion)
    expect(intentionOf({ ...given, blocked: true }, storages).finalizer).toBe('leave')
    expect(intentionOf(given, storages).finalizer).toBe('release')
  })
})
