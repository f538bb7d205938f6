import { BinnacleError } from '@binnacle/core'
import { expect, it } from 'vitest'
import { handler } from '../../test/sample.ts'
import { DeclarationError } from './declaration-error.ts'
import { Registry } from './registry.ts'

const registry = () => new Registry('hello', new Map())

it('keeps handlers in the order of declaration', () => {
  const subject = registry()
  for (const id of ['c', 'a', 'b']) subject.add(handler('create', { id }))
  expect(subject.changes.map(({ id }) => id)).toEqual(['c', 'a', 'b'])
})

it('refuses two functions under one id on one resource, and shows the line to write', () => {
  const subject = registry()
  subject.add(handler('create', {}, () => {}))
  const second = () => subject.add(handler('create', {}, () => {}))
  expect(second).toThrow(DeclarationError)
  expect(second).toThrow('Two handlers of kopfexamples.kopf.dev have the id "create"')
  try {
    second()
  } catch (error) {
    expect((error as BinnacleError).hint).toContain('each handler needs one of its own')
    expect((error as BinnacleError).fix).toBe("op.on.create('kopfexamples.kopf.dev', { id: 'another-create' }, …)")
  }
  expect(subject.changes).toHaveLength(1)
})

it('refuses two functions under one id also for different causes', () => {
  const subject = registry()
  subject.add(handler('create', { id: 'x' }, () => {}))
  expect(() => subject.add(handler('delete', { id: 'x' }, () => {}))).toThrow(DeclarationError)
})

it('accepts one nameless function for each cause', () => {
  const subject = registry()
  for (const reason of ['create', 'update', 'delete'] as const) subject.add(handler(reason, {}, () => {}))
  expect(subject.changes.map(({ id }) => id)).toEqual(['create', 'update', 'delete'])
})

it('accepts one function for several causes and several fields', () => {
  const subject = registry()
  const same = () => {}
  subject.add(handler('create', { id: 'x' }, same))
  subject.add(handler('update', { id: 'x' }, same))
  subject.add(handler('update', { id: 'x', field: 'spec.a' }, same))
  expect(subject.changes.map(({ id }) => id)).toEqual(['x', 'x', 'x/spec.a'])
})

it('accepts one id on two resources', () => {
  const subject = registry()
  subject.add(handler('create', { id: 'x' }, () => {}))
  subject.add(handler('create', { id: 'x' }, () => {}, 'pods'))
  expect(subject.changes).toHaveLength(2)
})

it('takes nothing more once it is sealed', () => {
  const subject = registry()
  subject.seal()
  const late = () => subject.add(handler('create', { id: 'late' }))
  expect(late).toThrow(BinnacleError)
  expect(late).toThrow('Handler "late" of kopfexamples.kopf.dev is declared after operator "hello" was started')
})
