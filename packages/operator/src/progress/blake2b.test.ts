import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { blake2b } from './blake2b.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

it('is the hash that Node has, where Node has it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (input) => {
      expect(hex(blake2b(input, 64))).toBe(createHash('blake2b512').update(input).digest('hex'))
    }),
    { numRuns: 30 },
  )
})

it.each([
  ['', '1271cf25'],
  ['abc', '63906248'],
  ['some-handler-with-a-name-that-is-longer-than-kubernetes-allows/spec.field', '2791758a'],
])('of four bytes, as Kopf uses it: %j', (input, expected) => {
  expect(hex(blake2b(Buffer.from(input), 4))).toBe(expected)
})
