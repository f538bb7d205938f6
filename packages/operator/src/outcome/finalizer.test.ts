import { expect, it } from 'vitest'
import { type FinalizerChange, finalizerChange } from './finalizer.ts'

const T = true
const F = false

it.each<[needed: boolean, held: boolean, deleting: boolean, done: boolean, FinalizerChange, why: string]>([
  [T, F, F, F, 'hold', 'a handler wants to see the deletion'],
  [T, F, F, T, 'hold', 'the same, whatever else is done'],
  [T, T, F, F, 'leave', 'it is held already'],
  [T, T, F, T, 'leave', 'it stays held as long as it lives'],
  [F, T, F, F, 'release', 'nobody wants to see the deletion any more'],
  [F, T, F, T, 'release', 'the same, when all is done'],
  [F, F, F, F, 'leave', 'nobody ever did'],
  [F, F, F, T, 'leave', 'nobody ever did'],
  [T, T, T, F, 'leave', 'the deletion is not handled yet'],
  [T, T, T, T, 'release', 'the deletion is handled'],
  [F, T, T, F, 'release', 'the deletion concerns nobody any more'],
  [F, T, T, T, 'release', 'the same'],
  [T, F, T, F, 'leave', 'too late to hold it'],
  [T, F, T, T, 'leave', 'it has been let go'],
  [F, F, T, F, 'leave', 'it is not ours'],
  [F, F, T, T, 'leave', 'it is not ours'],
])('needed %s, held %s, deleting %s, done %s: %s, because %s', (needed, held, deleting, done, expected) => {
  expect(finalizerChange({ needed, held, deleting, done })).toBe(expected)
})
