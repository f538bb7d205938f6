import fc from 'fast-check'
import { expect, it } from 'vitest'
import { kex } from '../../test/sample.ts'
import { patchDraft } from '../outcome/patch.ts'
import { annotationsDiffBase } from './last-handled.ts'
import type { DiffBaseStorage, StoragePatch } from './storage.ts'

const KEY = 'hello.binnacle.dev/last-handled-configuration'
const owner = { name: 'hello', prefix: 'hello.binnacle.dev', sizeLimits: { compress: 2000, digest: 5000 } }
const storage = annotationsDiffBase().bind?.(owner) as DiffBaseStorage
const stored = (body = kex(), essence = {}) => {
  const patch = patchDraft().patch as StoragePatch
  storage.store(body, patch, essence)
  return patch.metadata.annotations
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

it('keeps a large state compressed, and finds it again', () => {
  const essence = { spec: { text: 'x'.repeat(4000) } }
  const { [KEY]: text } = stored(kex(), essence) as { [key: string]: string }
  expect(text).toMatch(/^deflated:/)
  expect(String(text).length).toBeLessThan(2000)
  const body = kex({ annotations: { [KEY]: String(text) } })
  expect(storage.fetch(body)).toEqual(essence)
  expect(stored(body, essence)).toEqual({})
})

it('keeps the digest of a state that is too large even so, and still knows it', () => {
  const noise = Array.from({ length: 9000 }, (_, i) => Math.sin(i).toString(36)).join('')
  const { [KEY]: text } = stored(kex(), { spec: { noise } }) as { [key: string]: string }
  expect(text).toMatch(/^digest:.{22}$/)
  const body = kex({ annotations: { [KEY]: String(text) } })
  expect(stored(body, { spec: { noise } })).toEqual({})
  expect(stored(body, { spec: { noise: `${noise}.` } })[KEY]).toMatch(/^digest:/)
})

it.each([['deflated:'], ['deflated:AAAA'], ['deflated:!!'], ['{"~digest":"x"}']])(
  'takes %j for no state at all',
  (text) => {
    expect(storage.fetch(kex({ annotations: { [KEY]: text } }))).toBeUndefined()
  },
)

it('ignores the fields that it was told to', () => {
  const ignoring = annotationsDiffBase({ ignoredFields: ['spec.noise', 'data.x'] }).bind?.(owner)
  const body = kex({}, { spec: { noise: 1, kept: 2 }, data: { x: 1 } })
  expect(ignoring?.build?.(body, [])).toEqual({ spec: { kept: 2 } })
})

it('does not take its own marks for content, whatever its prefix', () => {
  const own = annotationsDiffBase({ prefix: 'example.com' }).bind?.(owner)
  const body = kex({ annotations: { 'example.com/last-handled-configuration': '{}', other: 'x' } }, { spec: {} })
  expect(own?.build?.(body, [])).toEqual({ spec: {}, metadata: { annotations: { other: 'x' } } })
})
