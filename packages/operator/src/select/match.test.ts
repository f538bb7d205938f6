import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { handler, kex } from '../../test/sample.ts'
import { ABSENT, all, any, none, not, oneOf, PRESENT } from '../declare/filters.ts'
import type { DeclaredOptions } from '../declare/handler.ts'
import { changeMismatch, type Subject, scopeMismatch, stateMismatch } from './match.ts'

const VIEW = { name: 'a', spec: { field: 'x' } }

/** The subject of a state: one body, no change. */
const state = (stanzas: object = {}, labels?: object, annotations?: object): Subject => ({
  body: kex({ ...(labels && { labels }), ...(annotations && { annotations }) } as never, stanzas as never),
  view: () => VIEW,
})
/** The subject of a change. */
const change = (old: unknown, current: object): Subject => ({ ...state(current), change: { old, current } })

const inState = (options: DeclaredOptions, subject: Subject) =>
  !stateMismatch(handler('create', options).filters, subject)
const inChange = (options: DeclaredOptions, subject: Subject) =>
  !changeMismatch(handler('update', options).filters, subject)
const inScope = (options: DeclaredOptions, subject: Subject) =>
  !scopeMismatch(handler('update', options).filters, subject)

describe('labels and annotations', () => {
  const maps = [undefined, {}, { x: '' }, { x: 'a' }, { x: 'b', y: 'a' }] as const
  it.each<[string, unknown, readonly boolean[]]>([
    ['a value must be there and equal', 'a', [false, false, false, true, false]],
    ['an empty string is a value like others', '', [false, false, true, false, false]],
    ['PRESENT accepts any value, the empty one too', PRESENT, [false, false, true, true, true]],
    ['ABSENT accepts none, not even the empty one', ABSENT, [true, true, false, false, false]],
    ['a set accepts its members', oneOf('a', 'b'), [false, false, false, true, true]],
    ['a set of nothing accepts nothing', oneOf(), [false, false, false, false, false]],
    [
      'a callback gets undefined for what is absent',
      (value: unknown) => value === undefined,
      [true, true, false, false, false],
    ],
    ['a callback gets the value', (value: unknown) => value === 'b', [false, false, false, false, true]],
    [
      'a callback gets the view',
      (_: unknown, { name }: { name: string }) => name === 'a',
      [true, true, true, true, true],
    ],
  ])('%s', (_, criterion, expected) => {
    expect(maps.map((labels) => inState({ labels: { x: criterion } }, state({}, labels)))).toEqual(expected)
    expect(maps.map((map) => inState({ annotations: { x: criterion } }, state({}, undefined, map)))).toEqual(expected)
    expect(maps.map((labels) => inChange({ labels: { x: criterion } }, state({}, labels)))).toEqual(expected)
  })

  it('must all hold', () => {
    const options = { labels: { a: '1', b: PRESENT }, annotations: { c: ABSENT } }
    expect(inState(options, state({}, { a: '1', b: '' }))).toBe(true)
    expect(inState(options, state({}, { a: '1' }))).toBe(false)
    expect(inState(options, state({}, { a: '2', b: '' }))).toBe(false)
    expect(inState(options, state({}, { a: '1', b: '' }, { c: '' }))).toBe(false)
  })

  it.each([['constructor'], ['toString'], ['__proto__'], ['hasOwnProperty']])('do not find %s in every map', (key) => {
    const labels = Object.fromEntries([[key, PRESENT]])
    expect(inState({ labels }, state({}, {}))).toBe(false)
  })
})

describe('a field of a state', () => {
  const field = 'spec.a'
  const of = (value: unknown) => state({ spec: { a: value } })
  it.each<[string, DeclaredOptions, Subject, boolean]>([
    ['without a value it must be there', { field }, of(1), true],
    ['and is not', { field }, state({ spec: {} }), false],
    ['nor without the stanza', { field }, state(), false],
    ['an empty string is there', { field }, of(''), true],
    ['false is there', { field }, of(false), true],
    ['an explicit null is there', { field }, of(null), true],
    ['an explicit null is not ABSENT', { field, value: ABSENT }, of(null), false],
    ['a null can be asked for', { field, value: null }, of(null), true],
    ['and is not what is absent', { field, value: null }, state(), false],
    ['a value must be equal', { field, value: 'x' }, of('x'), true],
    ['and is not', { field, value: 'x' }, of('y'), false],
    ['0 is not false', { field, value: 0 }, of(false), false],
    ['false is not 0', { field, value: false }, of(0), false],
    ['1 is not true', { field, value: 1 }, of(true), false],
    ["1 is not '1'", { field, value: 1 }, of('1'), false],
    ['objects are compared by content', { field, value: { b: [1, { c: 2 }] } }, of({ b: [1, { c: 2 }] }), true],
    ['whatever the order of their members', { field, value: { b: 1, c: 2 } }, of({ c: 2, b: 1 }), true],
    ['and wholly', { field, value: { b: 1 } }, of({ b: 1, c: 2 }), false],
    ['lists are compared in order', { field, value: [1, 2] }, of([2, 1]), false],
    ['ABSENT accepts a missing field', { field, value: ABSENT }, state({ spec: {} }), true],
    ['ABSENT accepts a missing stanza', { field, value: ABSENT }, state(), true],
    ['a path through a string is absent', { field: 'spec.a.b', value: ABSENT }, of('text'), true],
    ['a path through a list is absent', { field: 'spec.a.0', value: ABSENT }, of(['x']), true],
    ['a path through null is absent', { field: 'spec.a.b' }, of(null), false],
    ['a path through a number is absent', { field: 'spec.a.toFixed' }, of(1), false],
    ['a path into a prototype is absent', { field: 'spec.constructor' }, of(1), false],
    ['a set compares strictly too', { field, value: oneOf(0, 'x') }, of(false), false],
    ['a set compares by content too', { field, value: oneOf([1]) }, of([1]), true],
    ['a callback decides', { field, value: (value: unknown) => Number(value) > 3 }, of(4), true],
    ['a callback gets undefined for what is absent', { field, value: (v: unknown) => v === undefined }, state(), true],
    ['a truthy answer of a callback is a yes', { field, value: (() => 'yes') as never }, of(1), true],
    [
      'keys with dots are reached one by one',
      { field: ['metadata', 'labels', 'a.b/c'] },
      state({}, { 'a.b/c': '' }),
      true,
    ],
    ['a status field is looked at in the body', { field: 'status.x', value: 1 }, state({ status: { x: 1 } }), true],
  ])('%s', (_, options, subject, expected) => {
    expect(inState(options, subject)).toBe(expected)
  })
})

describe('a field of a change', () => {
  const field = 'spec.a'
  const to = (before: unknown, after: unknown) => change({ spec: { a: before } }, { spec: { a: after } })
  const added = change({ spec: {} }, { spec: { a: 'x' } })
  const removed = change({ spec: { a: 'x' } }, { spec: {} })
  it.each<[string, DeclaredOptions, Subject, boolean]>([
    ['it must have changed', { field }, to('x', 'y'), true],
    ['and has not', { field }, change({ spec: { a: 'x', b: 1 } }, { spec: { a: 'x', b: 2 } }), false],
    [
      'even if it matches',
      { field, value: 'x' },
      change({ spec: { a: 'x', b: 1 } }, { spec: { a: 'x', b: 2 } }),
      false,
    ],
    ['being added is a change', { field }, added, true],
    ['being removed is a change', { field }, removed, true],
    ['something inside of it is a change', { field: 'spec' }, to('x', 'y'), true],
    ['the whole stanza being added is a change', { field }, change({}, { spec: { a: 1 } }), true],
    ['a null instead of nothing is no change', { field }, change({ spec: {} }, { spec: { a: null } }), false],
    ['the value may hold after it', { field, value: 'y' }, to('x', 'y'), true],
    ['or before it', { field, value: 'x' }, to('x', 'y'), true],
    ['or on neither side', { field, value: 'z' }, to('x', 'y'), false],
    ['PRESENT holds when it is added', { field, value: PRESENT }, added, true],
    ['and when it is removed', { field, value: PRESENT }, removed, true],
    ['ABSENT holds on the side where it is not', { field, value: ABSENT }, added, true],
    ['and on none if it is on both', { field, value: ABSENT }, to('x', 'y'), false],
    ['old and new each on their side', { field, old: 'x', new: 'y' }, to('x', 'y'), true],
    ['and not the other way round', { field, old: 'y', new: 'x' }, to('x', 'y'), false],
    ['new alone', { field, new: 'y' }, to('x', 'y'), true],
    ['new alone, when it is added', { field, new: 'x' }, added, true],
    ['new alone does not look at the old value', { field, new: 'x' }, to('x', 'y'), false],
    ['old alone', { field, old: 'x' }, to('x', 'y'), true],
    ['old alone, when it is removed', { field, old: 'x' }, removed, true],
    ['added: absent, then present', { field, old: ABSENT, new: PRESENT }, added, true],
    ['edited is not added', { field, old: ABSENT, new: PRESENT }, to('x', 'y'), false],
    ['removed: present, then absent', { field, old: PRESENT, new: ABSENT }, removed, true],
    ['old and new where nothing changed', { field, old: 'x', new: 'x' }, to('x', 'x'), false],
    [
      'callbacks get undefined for a side where it is absent',
      { field, old: (v: unknown) => v === undefined },
      added,
      true,
    ],
    ['0 to false is a change, strictly', { field, old: 0, new: false }, to(0, false), true],
  ])('%s', (_, options, subject, expected) => {
    expect(inChange(options, subject)).toBe(expected)
  })
})

describe('the scope of an update handler', () => {
  it('is every object if the field has no criterion, whether or not it is there', () => {
    for (const options of [{ field: 'spec.never' }, { field: 'spec.a', new: 'x' }, { field: 'spec.a', old: PRESENT }]) {
      expect(inScope(options, state())).toBe(true)
      expect(inScope(options, state({ spec: { a: 'y' } }))).toBe(true)
    }
  })

  it('is the objects that satisfy the value', () => {
    expect(inScope({ field: 'spec.a', value: 'x' }, state({ spec: { a: 'x' } }))).toBe(true)
    expect(inScope({ field: 'spec.a', value: 'x' }, state({ spec: { a: 'y' } }))).toBe(false)
  })

  it('is also those that satisfied it when they were handled last: losing a value is a change that concerns it', () => {
    const lost = change({ spec: { a: 'x' } }, { spec: { a: 'y' } })
    expect(inScope({ field: 'spec.a', value: 'x' }, lost)).toBe(true)
    expect(inScope({ field: 'spec.a', value: 'z' }, lost)).toBe(false)
  })

  it('does not take "never handled" for "absent before"', () => {
    expect(inScope({ field: 'spec.a', value: ABSENT }, change(undefined, { spec: { a: 'y' } }))).toBe(false)
  })

  it('is limited by labels and by `when`', () => {
    expect(inScope({ labels: { x: 'a' } }, state())).toBe(false)
    expect(inScope({ when: () => false }, state())).toBe(false)
    expect(inScope({ field: 'spec.a', when: () => false }, state())).toBe(false)
  })

  it('contains every object that a change of it would select', () => {
    const value = fc.constantFrom(undefined, null, 'x', 'y', 0, false)
    const criterion = fc.constantFrom<unknown>('x', 0, false, PRESENT, ABSENT, oneOf('x', 'y'))
    const options = fc.oneof(
      criterion.map((value) => ({ field: 'spec.a', value })),
      fc.record({ old: criterion, new: criterion }).map((sides) => ({ field: 'spec.a', ...sides })),
      fc.constant({ field: 'spec.a' }),
    )
    fc.assert(
      fc.property(options, value, value, (given, before, after) => {
        const subject = change({ spec: { a: before } }, { spec: { a: after } })
        if (inChange(given, subject)) expect(inScope(given, subject)).toBe(true)
      }),
    )
  })
})

describe('`when`', () => {
  it('gets the view and decides', () => {
    expect(inState({ when: (view) => view === VIEW }, state())).toBe(true)
    expect(inState({ when: () => false }, state())).toBe(false)
  })

  it('is asked last, and only if everything else holds', () => {
    const asked: string[] = []
    const note = (what: string, answer: boolean) => () => {
      asked.push(what)
      return answer
    }
    const options = (label: boolean, value: boolean): DeclaredOptions => ({
      when: note('when', true),
      field: 'spec.a',
      value: note('value', value),
      annotations: { x: note('annotation', true) },
      labels: { x: note('label', label) },
    })
    inState(options(true, true), state({ spec: { a: 1 } }))
    expect(asked.splice(0)).toEqual(['label', 'annotation', 'value', 'when'])
    inState(options(true, false), state({ spec: { a: 1 } }))
    expect(asked.splice(0)).toEqual(['label', 'annotation', 'value'])
    inState(options(false, true), state({ spec: { a: 1 } }))
    expect(asked.splice(0)).toEqual(['label'])
  })

  it('lets what it throws through: a broken filter is nobody’s no', () => {
    expect(() =>
      inState(
        {
          when: () => {
            throw new Error('broken')
          },
        },
        state(),
      ),
    ).toThrow('broken')
  })

  it('costs no view where nobody asks for one', () => {
    let views = 0
    const subject = { ...state({ spec: { a: 1 } }, { x: 'a' }), view: () => ({ views: ++views }) }
    inState({ labels: { x: 'a' }, field: 'spec.a', value: PRESENT }, subject)
    expect(views).toBe(0)
  })
})

describe('combined checks', () => {
  const yes = () => true
  const no = () => false
  it('mean what their names say, whatever they combine', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean()), (answers) => {
        const checks = answers.map((answer) => () => answer)
        expect(all(...checks)()).toBe(answers.every(Boolean))
        expect(any(...checks)()).toBe(answers.some(Boolean))
        expect(none(...checks)()).toBe(!answers.some(Boolean))
        expect(checks.map((check) => not(check)())).toEqual(answers.map((answer) => !answer))
      }),
    )
  })

  it('nest', () => {
    expect(all(any(yes, no), none(no, not(yes)))()).toBe(true)
  })

  it('hand value and view to each check, and stop at the first that decides', () => {
    const seen: unknown[][] = []
    const check = (...args: unknown[]) => seen.push(args) < 2
    expect(inState({ field: 'spec.a', value: all(check, check, check) }, state({ spec: { a: 7 } }))).toBe(false)
    expect(seen).toEqual([
      [7, VIEW],
      [7, VIEW],
    ])
  })
})

it('says which filter refused', () => {
  const why = (options: DeclaredOptions, subject: Subject) => stateMismatch(handler('create', options).filters, subject)
  expect(why({ labels: { app: 'x' } }, state())).toBe('label app')
  expect(why({ annotations: { app: 'x' } }, state())).toBe('annotation app')
  expect(why({ field: 'spec.a' }, state())).toBe('field spec.a')
  expect(why({ when: () => false }, state())).toBe('when')
  expect(why({}, state())).toBeUndefined()
})
