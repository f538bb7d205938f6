import { expect, it } from 'vitest'
import { kex } from '../../test/sample.ts'
import { inconsistentFor } from './consistent.ts'

const awaited = { version: '10', deadline: 105 }

it.each([
  ['nothing was written', undefined, '1', 100, 0],
  ['the cache has our write', awaited, '10', 100, 0],
  ['the cache has something newer', awaited, '11', 100, 0],
  ['newer is not by letters', { version: '9', deadline: 105 }, '10', 100, 0],
  ['the cache is behind: wait, but not for ever', awaited, '9', 100, 5],
  ['the time is over', awaited, '9', 105, 0],
  ['and long over', awaited, '9', 1000, 0],
])('%s', (_, write, version, now, seconds) => {
  expect(inconsistentFor(write, kex({ resourceVersion: version }), now)).toBe(seconds)
})

it('waits for the very version where versions have no order', () => {
  const opaque = { version: 'abc', deadline: 105 }
  expect(inconsistentFor(opaque, kex({ resourceVersion: 'abc' }), 100)).toBe(0)
  expect(inconsistentFor(opaque, kex({ resourceVersion: 'xyz' }), 100)).toBe(5)
})
