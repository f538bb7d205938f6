import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { json } from '../test/arbitrary-json.ts'
import { type Diff, diff, diffWithin } from './diff.ts'
import { getOwn, isPlainObject } from './hostile.ts'

/** Without members that are null: to a diff they are absent. */
function withoutNulls(value: unknown): unknown {
  if (!isPlainObject(value)) return value ?? undefined
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]))
}

function apply(document: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  const members = new Map(Object.entries(isPlainObject(document) ? document : {}))
  const member = apply(members.get(key), rest, value)
  if (member === undefined) members.delete(key)
  else members.set(key, member)
  return Object.fromEntries(members)
}

const applyAll = (old: unknown, items: Diff) =>
  items.reduce((document, item) => apply(document, item.path, item.new), old)

describe('a diff', () => {
  it('names what was added, changed and removed, by path', () => {
    const old = { spec: { size: 1, gone: 'x', same: [1] }, data: {} }
    const current = { spec: { size: 2, added: { deep: true }, same: [1] }, data: {} }
    expect(diff(old, current)).toEqual([
      { op: 'add', path: ['spec', 'added'], old: undefined, new: { deep: true } },
      { op: 'remove', path: ['spec', 'gone'], old: 'x', new: undefined },
      { op: 'change', path: ['spec', 'size'], old: 1, new: 2 },
    ])
  })

  it('compares lists whole', () => {
    expect(diff({ a: [1, { b: 1 }] }, { a: [1, { b: 2 }] })).toEqual([
      { op: 'change', path: ['a'], old: [1, { b: 1 }], new: [1, { b: 2 }] },
    ])
  })

  it('takes null for absent, on either side and at the root', () => {
    expect(diff({ a: null, b: { c: null } }, { b: {} })).toEqual([])
    expect(diff({ a: null }, { a: 1 })).toEqual([{ op: 'add', path: ['a'], old: undefined, new: 1 }])
    expect(diff({ a: 1 }, { a: null })).toEqual([{ op: 'remove', path: ['a'], old: 1, new: undefined }])
    expect(diff(null, undefined)).toEqual([])
    expect(diff(undefined, { a: 1 })).toEqual([{ op: 'add', path: [], old: undefined, new: { a: 1 } }])
  })

  it('is strict by type', () => {
    expect(diff({ a: 0 }, { a: false })).toHaveLength(1)
  })

  it('turns the old into the new when its items are applied', () => {
    fc.assert(
      fc.property(json(), json(), (old, current) => {
        expect(withoutNulls(applyAll(old, diff(old, current)))).toEqual(withoutNulls(current))
      }),
    )
  })

  it('is empty exactly for what is equal but for nulls', () => {
    fc.assert(fc.property(json(), (value) => diff(value, withoutNulls(value)).length === 0))
  })

  it('is in the order of paths, whatever the order of members', () => {
    const keys = fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'B', 'é', '0', '9', '_', '\u{1f600}') }))
    fc.assert(
      fc.property(keys, (names) => {
        const document = Object.fromEntries(names.map((name) => [name, 1]))
        const reversed = Object.fromEntries(names.toReversed().map((name) => [name, 1]))
        expect(diff({}, document)).toEqual(diff({}, reversed))
        expect(diff({}, document).map(({ path }) => path[0])).toEqual(names.toSorted())
      }),
    )
  })

  it('touches the field, what is in it, and what is around it, and nothing else', () => {
    const changes = diff({ spec: { a: { b: 1 }, ab: 1 } }, { spec: { a: { b: 2 }, ab: 1 } })
    expect(['spec', 'spec.a', 'spec.a.b', 'spec.a.b.c'].map(changes.touches)).toEqual([true, true, true, true])
    expect(['spec.ab', 'status', 'spec.a.c', 'a'].map((field) => changes.touches(field))).toEqual(Array(4).fill(false))
    expect(changes.touches(['spec', 'a'])).toBe(true)
    expect(diff(1, 2).touches('spec')).toBe(true)
    expect(diff(1, 1).touches([])).toBe(false)
  })

  it('can be sent to a worker thread and compared like any list', () => {
    const changes = diff({ a: 1 }, { a: 2 })
    expect(structuredClone(changes)).toStrictEqual([{ op: 'change', path: ['a'], old: 1, new: 2 }])
    expect(Object.keys(changes)).toEqual(['0'])
  })

  it('does not follow a member called __proto__ into a prototype', () => {
    const hostile = JSON.parse('{"__proto__": {"a": 1}}')
    expect(diff({}, hostile)).toEqual([
      { op: 'add', path: ['__proto__'], old: undefined, new: getOwn(hostile, '__proto__') },
    ])
  })
})

describe('a diff within a field', () => {
  it('has paths relative to the field', () => {
    const [old, current] = [
      { spec: { a: { b: 1 } }, x: 1 },
      { spec: { a: { b: 2 } }, x: 2 },
    ]
    expect(diffWithin(old, current, 'spec.a')).toEqual([{ op: 'change', path: ['b'], old: 1, new: 2 }])
    expect(diffWithin(old, current, ['spec', 'a', 'b'])).toEqual([{ op: 'change', path: [], old: 1, new: 2 }])
    expect(diffWithin(old, current, 'spec.none')).toEqual([])
  })
})
