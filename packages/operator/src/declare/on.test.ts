import { expect, it } from 'vitest'
import { Kex } from '../../test/sample.ts'
import type { AnyEnv } from './env.ts'
import { declarations } from './on.ts'
import { Registry } from './registry.ts'

it('writes what is declared into the registry, cause by cause', () => {
  const registry = new Registry('hello', new Map())
  const on = declarations<AnyEnv>(registry)
  on.create(Kex, () => {})
  on.update('pods', { field: 'spec.nodeName' }, function moved() {})
  on.delete(Kex, { id: 'gone', optional: true }, () => {})
  expect(registry.changes.map(({ id, reason, optional }) => [id, reason, optional])).toEqual([
    ['create', 'create', false],
    ['moved/spec.nodeName', 'update', false],
    ['gone', 'delete', true],
  ])
})

it('tells the id under which a handler is known', () => {
  const on = declarations<AnyEnv>(new Registry('hello', new Map()))
  expect(on.create(Kex, { field: 'spec.a' }, function made() {})).toEqual({ id: 'made/spec.a' })
})
