import { expect, it } from 'vitest'
import { generatedName, seeded, uid } from './random.ts'

it('gives the same uids for the same seed, and well-formed ones', () => {
  const [first, second] = [seeded(42), seeded(42)]
  const uids = Array.from({ length: 100 }, () => uid(first))
  expect(Array.from({ length: 100 }, () => uid(second))).toEqual(uids)
  expect(new Set(uids).size).toBe(100)
  for (const one of uids) expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

it('cuts a long prefix so that the generated name fits', () => {
  const name = generatedName('x'.repeat(70), seeded(1))
  expect(name).toMatch(/^x{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/)
})
