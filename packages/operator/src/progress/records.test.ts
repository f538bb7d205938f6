import { describe, expect, it } from 'vitest'
import { kex } from '../../test/sample.ts'
import { patchDraft } from '../outcome/patch.ts'
import { advance, type Progress, type Purpose, resume } from './progress.ts'
import { ProgressRecords } from './records.ts'
import type { StoragePatch } from './storage.ts'
import { annotationsProgress } from './store.ts'

const START = new Date('2026-01-01T00:00:00Z')
const after = (seconds: number) => new Date(START.getTime() + seconds * 1000)
const PURPOSE: Purpose = { reason: 'update', essence: 'A' }
const begun = resume(undefined, PURPOSE, START)
const done = advance(begun, { kind: 'success' }, START)
const waiting = (seconds: number) => advance(begun, { kind: 'again', delay: seconds, message: 'x' }, START)
const records = (stored: { readonly [id: string]: Progress } = {}, ids = ['a', 'b'], purpose = PURPOSE) =>
  new ProgressRecords(
    ids,
    (id) => stored[id],
    () => purpose,
    START,
  )

it('begins a record for each handler that has none', () => {
  expect(records().get('a')).toEqual(begun)
  expect(records().allFinished).toBe(false)
})

it('knows only the handlers that were selected', () => {
  expect(() => records().get('c')).toThrow('handler "c" was not selected')
})

it('is all finished when every one is, and when there is none', () => {
  expect(records({ a: done }).allFinished).toBe(false)
  expect(records({ a: done, b: done }).allFinished).toBe(true)
  expect(records({}, []).allFinished).toBe(true)
})

it('is due when the first unfinished handler is', () => {
  expect(records({ a: waiting(30), b: waiting(20) }).nextDue(after(5))).toBe(15)
  expect(records({ a: waiting(30), b: done }).nextDue(START)).toBe(30)
  expect(records({ a: waiting(30) }).nextDue(START)).toBe(0)
  expect(records({ a: done, b: done }).nextDue(START)).toBeUndefined()
})

it('supersedes what another cause has left', () => {
  expect(records({ a: done }, ['a'], { reason: 'delete', essence: 'A' }).isFinished('a')).toBe(false)
})

describe('what is written', () => {
  const storage = annotationsProgress({ prefix: 'p' })
  const write = (subject: ProgressRecords, body = kex(), others: readonly string[] = ['a', 'b', 'c']) => {
    const patch = patchDraft().patch as StoragePatch
    subject.store(storage, body, others, patch)
    return patch.metadata.annotations
  }

  it('is nothing for a handler that was not touched', () => {
    expect(write(records())).toEqual({})
  })

  it('is the record of each handler that has made an attempt', () => {
    const subject = records()
    subject.set('a', waiting(30))
    expect(write(subject)).toEqual({ 'p/progress.a': JSON.stringify(waiting(30)) })
  })

  it('is nothing where the object has it already', () => {
    const body = kex({ annotations: { 'p/progress.a': JSON.stringify(done) } })
    expect(write(records({ a: done }), body)).toEqual({})
  })

  it('takes away what handlers that were not selected have left behind, and nothing of anybody else', () => {
    const body = kex({ annotations: { 'p/progress.c': '{}', 'q/progress.c': '{}', 'p/other': '{}' } })
    expect(write(records(), body)).toEqual({ 'p/progress.c': null })
  })
})
