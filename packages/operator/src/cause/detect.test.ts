import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { detect, type Observed } from './detect.ts'

const SAME = { spec: { a: 1 } }
const quiet: Observed = {
  exists: true,
  deleting: false,
  held: false,
  initial: false,
  known: true,
  old: SAME,
  current: SAME,
  outdated: [],
}

describe('what has happened, in the order in which it is asked', () => {
  it.each<[string, Partial<Observed>, string]>([
    [
      'gone: it is not there, whatever else is true',
      { exists: false, deleting: true, held: true, old: undefined },
      'gone',
    ],
    ['free: it is being deleted, and we do not hold it', { deleting: true, old: undefined, initial: true }, 'free'],
    ['delete: it is being deleted, and we hold it', { deleting: true, held: true, old: undefined }, 'delete'],
    ['create: nothing was ever handled', { known: false, old: undefined }, 'create'],
    [
      'create: also at the start, so that creation never mixes with resuming',
      { known: false, old: undefined, initial: true },
      'create',
    ],
    ['resume: nothing has changed since, and it was there at the start', { initial: true }, 'resume'],
    ['noop: nothing has changed', {}, 'noop'],
    ['update: something else was handled, too large to be kept', { old: undefined }, 'update'],
    ['noop: holding it is no change', { held: true }, 'noop'],
    ['update: it has changed', { current: { spec: { a: 2 } } }, 'update'],
    [
      'update: it has changed, also while the operator was away',
      { current: { spec: { a: 2 } }, initial: true },
      'update',
    ],
    ['noop: null instead of nothing is no change', { current: { spec: { a: 1, b: null } } }, 'noop'],
    ['update: it is as it was, but a handler has acted on what was in between', { outdated: ['h'] }, 'update'],
    ['update: an empty essence was handled, and it is not empty any more', { old: {} }, 'update'],
  ])('%s', (_, observed, reason) => {
    expect(detect({ ...quiet, ...observed }).reason).toBe(reason)
  })
})

it('an update carries what has changed', () => {
  const cause = detect({ ...quiet, current: { spec: { a: 2 } } })
  expect(cause.reason === 'update' && [...cause.diff]).toEqual([{ op: 'change', path: ['spec', 'a'], old: 1, new: 2 }])
})

it('asking twice gives the same answer, and changes nothing', () => {
  const essence = fc.option(fc.record({ spec: fc.json().map((text) => JSON.parse(text)) }), { nil: undefined })
  const observed = fc.record({
    exists: fc.boolean(),
    deleting: fc.boolean(),
    held: fc.boolean(),
    initial: fc.boolean(),
    known: fc.boolean(),
    old: essence,
    current: essence.map((value) => value ?? {}),
    outdated: fc.array(fc.string()),
  })
  fc.assert(
    fc.property(observed, (given) => {
      const before = JSON.stringify(given)
      expect(JSON.stringify(detect(given))).toBe(JSON.stringify(detect(structuredClone(given))))
      expect(JSON.stringify(given)).toBe(before)
    }),
  )
})
