import fc from 'fast-check'
import { expect, it } from 'vitest'
import { kex } from '../../test/sample.ts'
import { annotationsDiffBase } from './last-handled.ts'
import type { AnnotationChanges } from './store.ts'

const KEY = 'hello.binnacle.dev/last-handled-configuration'
const storage = annotationsDiffBase('hello.binnacle.dev')
const stored = (body = kex(), essence = {}) => {
  const changes: AnnotationChanges = {}
  storage.store(body, essence, changes)
  return changes
}

it('finds the essence that it has stored', () => {
  const essence = fc.dictionary(fc.constantFrom('spec', 'data'), fc.jsonValue(), { noNullPrototype: true })
  fc.assert(
    fc.property(essence, (given) => {
      const plain = JSON.parse(JSON.stringify(given))
      const annotations = stored(kex(), plain) as { [key: string]: string }
      expect(storage.fetch(kex({ annotations }))).toEqual(plain)
    }),
  )
})

it('writes nothing where the same is stored already, whatever the order of its members', () => {
  const body = kex({ annotations: { [KEY]: '{"spec":{"b":2,"a":1}}' } })
  expect(stored(body, { spec: { a: 1, b: 2 } })).toEqual({})
  expect(stored(body, { spec: { a: 1, b: 3 } })).toEqual({ [KEY]: '{"spec":{"a":1,"b":3}}' })
})

it('stores an empty essence too: it was handled', () => {
  expect(stored(kex(), {})).toEqual({ [KEY]: '{}' })
  expect(storage.fetch(kex({ annotations: { [KEY]: '{}' } }))).toEqual({})
})

it.each([['{'], ['[]'], ['null'], ['"x"'], ['7'], ['']])('takes %j for no state at all', (text) => {
  expect(storage.fetch(kex({ annotations: { [KEY]: text } }))).toBeUndefined()
})

it('repairs what somebody broke', () => {
  expect(stored(kex({ annotations: { [KEY]: '{' } }), { spec: {} })).toEqual({ [KEY]: '{"spec":{}}' })
})
