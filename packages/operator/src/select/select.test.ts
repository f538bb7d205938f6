import { diff } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { handler, kex } from '../../test/sample.ts'
import type { Cause } from '../cause/detect.ts'
import type { Subject } from './match.ts'
import { inScope, isDeletion, mustBeHeld, selectHandlers } from './select.ts'

const old = { spec: { a: 1 } }
const current = { spec: { a: 2 } }
const subject: Subject = { body: kex({ labels: { app: 'web' } }, current), change: { old, current }, view: () => ({}) }
const CAUSES: readonly Cause[] = [
  { reason: 'gone' },
  { reason: 'free' },
  { reason: 'delete' },
  { reason: 'create' },
  { reason: 'update', diff: diff(old, current), outdated: [] },
  { reason: 'resume' },
  { reason: 'noop' },
]
const reasonsThat = (holds: (cause: Cause) => boolean) => CAUSES.filter(holds).map(({ reason }) => reason)

describe('handlers are selected by cause', () => {
  it.each([
    ['create', ['create']],
    ['update', ['update']],
    ['delete', ['gone', 'free', 'delete']],
    ['resume', []],
  ] as const)('%s handlers for %s', (reason, causes) => {
    const selected = (cause: Cause) => selectHandlers([handler(reason)], cause, subject).length === 1
    expect(reasonsThat(selected)).toEqual(causes)
  })

  it.each([
    [{}, ['update', 'resume']],
    [{ deleted: true }, ['delete', 'update', 'resume']],
  ])('those that resume, while the object is as it was found at the start (%j)', (options, causes) => {
    const selected = (cause: Cause) => selectHandlers([handler('resume', options)], cause, subject, true).length === 1
    expect(reasonsThat(selected)).toEqual(causes)
  })

  it('those of a field for every change of an object that is there', () => {
    const moved = handler('field', { field: 'spec.a' })
    const selected = (cause: Cause) => selectHandlers([moved], cause, subject).length === 1
    expect(reasonsThat(selected)).toEqual(['delete', 'create', 'update'])
  })

  it('and every form of a deletion is one', () => {
    expect(reasonsThat(isDeletion)).toEqual(['gone', 'free', 'delete'])
  })
})

describe('handlers are selected by filters', () => {
  const ids = (cause: Cause['reason'], ...handlers: ReturnType<typeof handler>[]) =>
    selectHandlers(handlers, CAUSES.find(({ reason }) => reason === cause) as Cause, subject).map(({ id }) => id)

  it('in the order of declaration', () => {
    expect(
      ids('create', handler('create', { id: 'z' }), handler('update', { id: 'u' }), handler('create', { id: 'a' })),
    ).toEqual(['z', 'a'])
  })

  it('those of state by the state, those of change by the change', () => {
    expect(ids('create', handler('create', { id: 'x', field: 'spec.a', value: 1 }))).toEqual([])
    expect(ids('update', handler('update', { id: 'x', field: 'spec.a', value: 1 }))).toEqual(['x/spec.a'])
    expect(ids('delete', handler('delete', { id: 'x', field: 'spec.a', value: 1 }))).toEqual([])
  })

  it('and one function under one id only once', () => {
    const same = () => {}
    expect(
      ids('update', handler('update', { id: 'x' }, same), handler('update', { id: 'x', labels: { app: 'web' } }, same)),
    ).toEqual(['x'])
    expect(ids('update', handler('update', { id: 'x' }, same), handler('update', { id: 'y' }, same))).toEqual([
      'x',
      'y',
    ])
  })
})

describe('an object is in scope', () => {
  it('if any handler could ever care for it', () => {
    expect(inScope([], subject)).toBe(false)
    expect(inScope([handler('create', { labels: { app: 'db' } })], subject)).toBe(false)
    expect(inScope([handler('create', { labels: { app: 'db' } }), handler('delete')], subject)).toBe(true)
  })

  it('whatever has happened to it: the reason of the handler does not matter', () => {
    for (const reason of ['create', 'update', 'delete'] as const) expect(inScope([handler(reason)], subject)).toBe(true)
  })

  it('by a field alone for update handlers, and only with the field for others', () => {
    expect(inScope([handler('update', { field: 'spec.never' })], subject)).toBe(true)
    expect(inScope([handler('create', { field: 'spec.never' })], subject)).toBe(false)
  })
})

describe('an object must be held', () => {
  it('for a delete handler that matches and is not optional, and for no other', () => {
    expect(mustBeHeld([handler('create'), handler('update')], subject)).toBe(false)
    expect(mustBeHeld([handler('delete')], subject)).toBe(true)
    expect(mustBeHeld([handler('delete', { optional: true })], subject)).toBe(false)
    expect(mustBeHeld([handler('delete', { labels: { app: 'db' } })], subject)).toBe(false)
    expect(mustBeHeld([handler('delete', { optional: true }), handler('delete', { id: 'x' })], subject)).toBe(true)
  })
})
