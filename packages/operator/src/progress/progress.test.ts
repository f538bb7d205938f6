import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  advance,
  dueIn,
  exhausted,
  exhaustedAfter,
  isFinished,
  type Progress,
  type Purpose,
  resume,
} from './progress.ts'

const START = new Date('2026-01-01T00:00:00Z')
const after = (seconds: number) => new Date(START.getTime() + seconds * 1000)
const UPDATE: Purpose = { reason: 'update', essence: 'A' }
const fresh = resume(undefined, UPDATE, START)
const again = (delay: number) => ({ kind: 'again', delay, message: 'later' }) as const

describe('an attempt', () => {
  it('begins with a record that says when', () => {
    expect(fresh).toEqual({
      started: START.toISOString(),
      purpose: 'update',
      retries: 0,
      success: false,
      failure: false,
      essence: 'A',
    })
  })

  it('that succeeds ends the record', () => {
    const record = advance(fresh, { kind: 'success' }, after(3))
    expect(record).toMatchObject({ retries: 1, success: true, failure: false, stopped: after(3).toISOString() })
    expect(isFinished(record)).toBe(true)
  })

  it('that fails for good ends it too, with the reason', () => {
    const record = advance(fresh, { kind: 'failure', message: 'no such host' }, after(3))
    expect(record).toMatchObject({ retries: 1, success: false, failure: true, message: 'no such host' })
    expect(isFinished(record)).toBe(true)
  })

  it('that fails for now is due again after the delay, and keeps the time of the first one', () => {
    const record = advance(fresh, again(60), after(3))
    expect(record).toMatchObject({
      retries: 1,
      started: START.toISOString(),
      delayed: after(63).toISOString(),
      message: 'later',
    })
    expect(isFinished(record)).toBe(false)
    expect(dueIn(record, after(3))).toBe(60)
    expect(dueIn(record, after(62))).toBe(1)
    expect(dueIn(record, after(100))).toBe(0)
  })

  it('that succeeds after failures leaves no message and no delay behind', () => {
    const record = advance(advance(fresh, again(60), after(3)), { kind: 'success' }, after(64))
    expect(record).not.toHaveProperty('message')
    expect(record).not.toHaveProperty('delayed')
    expect(record.retries).toBe(2)
  })

  it('is due now unless a delay says otherwise', () => {
    expect(dueIn(fresh, START)).toBe(0)
  })
})

describe('limits', () => {
  it('of attempts: before one, and looking ahead after one', () => {
    const limits = { retries: 2, timeout: undefined }
    const once = advance(fresh, again(1), START)
    expect(exhausted(fresh, limits, START)).toBeUndefined()
    expect(exhausted(once, limits, START)).toBeUndefined()
    expect(exhausted(advance(once, again(1), START), limits, START)).toBe('retries')
    expect(exhaustedAfter(fresh, limits, 1, START)).toBeUndefined()
    expect(exhaustedAfter(once, limits, 1, START)).toBe('retries')
  })

  it('of time since the first attempt: before one, and looking ahead over the delay', () => {
    const limits = { retries: undefined, timeout: 10 }
    expect(exhausted(fresh, limits, after(9.9))).toBeUndefined()
    expect(exhausted(fresh, limits, after(10))).toBe('timeout')
    expect(exhaustedAfter(fresh, limits, 4, after(5))).toBeUndefined()
    expect(exhaustedAfter(fresh, limits, 5, after(5))).toBe('timeout')
  })

  it('that are not set limit nothing', () => {
    const limits = { retries: undefined, timeout: undefined }
    const old = { ...fresh, retries: 1_000_000 }
    expect(exhausted(old, limits, after(1e9))).toBeUndefined()
    expect(exhaustedAfter(old, limits, 1e9, after(1e9))).toBeUndefined()
  })
})

describe('a record that is found again', () => {
  const done = advance(fresh, { kind: 'success' }, after(1))
  const failed = advance(fresh, { kind: 'failure', message: 'x' }, after(1))
  const waiting = advance(fresh, again(60), after(1))

  it('of the same cause and state is gone on from', () => {
    for (const record of [fresh, done, failed, waiting]) expect(resume(record, UPDATE, after(9))).toBe(record)
  })

  it('of another cause is superseded', () => {
    for (const record of [done, failed, waiting]) {
      expect(resume(record, { reason: 'delete', essence: 'A' }, after(9))).toEqual({
        ...fresh,
        purpose: 'delete',
        started: after(9).toISOString(),
      })
    }
  })

  it('that is finished for an older state begins anew, so that the newer one is not lost', () => {
    for (const record of [done, failed]) {
      const next = resume(record, { reason: 'update', essence: 'B' }, after(9))
      expect(next).toMatchObject({
        retries: 0,
        success: false,
        failure: false,
        essence: 'B',
        started: after(9).toISOString(),
      })
    }
  })

  it('that is not finished keeps its attempts and its delay for the newer state', () => {
    expect(resume(waiting, { reason: 'update', essence: 'B' }, after(9))).toEqual({ ...waiting, essence: 'B' })
  })

  it('that is finished for a deletion stays finished whatever becomes of the object', () => {
    const deleted = advance(resume(undefined, { reason: 'delete', essence: 'A' }, START), { kind: 'success' }, after(1))
    expect(resume(deleted, { reason: 'delete', essence: 'B' }, after(9))).toBe(deleted)
  })
})

it('never counts a handler as finished for a state that it has not seen', () => {
  type Step = { readonly essence: string } | { readonly verdict: Parameters<typeof advance>[1] }
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.constantFrom('A', 'B', 'C').map((essence) => ({ essence })),
    fc
      .constantFrom({ kind: 'success' } as const, { kind: 'failure', message: 'x' } as const, again(1))
      .map((verdict) => ({ verdict })),
  )
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let essence = 'A'
      let stored: Progress | undefined
      let seen: string | undefined
      for (const one of steps) {
        if ('essence' in one) {
          essence = one.essence
          continue
        }
        const record = resume(stored, { reason: 'update', essence }, START)
        if (isFinished(record)) {
          expect(seen).toBe(essence)
          continue
        }
        seen = essence
        stored = advance(record, one.verdict, START)
      }
    }),
  )
})
