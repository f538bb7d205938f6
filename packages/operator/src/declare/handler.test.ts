import { BinnacleError, resource } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { Kex } from '../../test/sample.ts'
import { DeclarationError } from './declaration-error.ts'
import { ABSENT, PRESENT } from './filters.ts'
import { type ChangeHandler, changeHandler, eventHandler, isMarker, nameOf } from './handler.ts'

function named() {}

const declare = (options: object, fn: unknown = named): ChangeHandler => changeHandler('update', Kex, [options, fn])

function refusal(options: object, fn: unknown = named): BinnacleError {
  try {
    declare(options, fn)
  } catch (error) {
    if (error instanceof BinnacleError) return error
    throw error
  }
  throw new Error('it was accepted')
}

describe('the id of a handler', () => {
  it.each([
    ['is what was given', { id: 'mine' }, named, 'mine'],
    ['is else the name of the function', {}, named, 'named'],
    ['is else the cause', {}, () => {}, 'update'],
    ['has the field after it', { field: 'spec.size' }, named, 'named/spec.size'],
    ['has the field after an explicit id too', { id: 'mine', field: 'spec.size' }, named, 'mine/spec.size'],
    ['has the field after the cause too', { field: 'spec.size' }, () => {}, 'update/spec.size'],
    [
      'has keys with dots in them as they are',
      { field: ['metadata', 'annotations', 'a.b/c'] },
      named,
      'named/metadata.annotations.a.b/c',
    ],
  ])('%s', (_, options, fn, id) => {
    expect(changeHandler('update', Kex, [options, fn]).id).toBe(id)
  })

  it('comes from the function also where no options are given', () => {
    expect(changeHandler('create', Kex, [named]).id).toBe('named')
  })
})

describe('the defaults of a handler', () => {
  it('are: unlimited attempts, errors are temporary, the result goes to the status under the id', () => {
    expect(changeHandler('create', Kex, [named])).toMatchObject({
      reason: 'create',
      errors: 'temporary',
      timeout: undefined,
      retries: undefined,
      backoff: undefined,
      result: ['status', 'named'],
      optional: false,
      param: undefined,
    })
  })

  it('leave an id with dots in it whole as the key of the result', () => {
    expect(declare({ field: 'spec.size' }).result).toEqual(['status', 'named/spec.size'])
  })
})

describe('durations', () => {
  it.each([
    [5, 5],
    ['500ms', 0.5],
    ['2m', 120],
    ['1h30m', 5400],
  ])('%s is %s seconds of timeout', (timeout, seconds) => {
    expect(declare({ timeout }).timeout).toBe(seconds)
  })

  it.each([['timeout'], ['backoff']])(
    'that make no sense in `%s` are refused with the name of the handler',
    (option) => {
      const error = refusal({ [option]: '5 sec' })
      expect(error).toBeInstanceOf(DeclarationError)
      expect(error.message).toContain('"named"')
      expect(error.message).toContain(option)
      expect(error.hint).toContain("'5s'")
    },
  )

  it('of a backoff may also be a policy or a function, which are kept as they are', () => {
    const backoff = () => 5
    expect(declare({ backoff }).backoff).toBe(backoff)
  })
})

describe('results', () => {
  it('go where the declaration says', () => {
    expect(declare({ result: 'status.children.names' }).result).toEqual(['status', 'children', 'names'])
  })

  it('go nowhere with false', () => {
    expect(declare({ result: false }).result).toBeUndefined()
  })
})

describe('a declaration that contradicts itself', () => {
  it.each([
    ['a value without a field', { value: 3 }, /no field/, /field: 'spec.replicas'/],
    ['an old value without a field', { old: 3 }, /no field/, /Name the field/],
    ['a new value without a field', { new: 3 }, /no field/, /Name the field/],
    ['value together with old', { field: 'spec.a', value: 1, old: 2 }, /`value` together/, /either `value`/],
    ['value together with new', { field: 'spec.a', value: 1, new: 2 }, /`value` together/, /either `value`/],
    ['a label with null', { labels: { app: null } }, /label "app" with null/, /ABSENT/],
    ['an annotation with undefined', { annotations: { x: undefined } }, /annotation "x" with undefined/, /PRESENT/],
    ['an empty field', { field: '' }, /field without a name/, /dotted path/],
    ['a field with an empty part', { field: 'spec..a' }, /field without a name/, /keys one by one/],
    ['a field of no keys', { field: [] }, /field without a name/, /dotted path/],
    ['no attempts', { retries: 0 }, /retries: 0/, /from 1 on/],
    ['half an attempt', { retries: 1.5 }, /retries: 1.5/, /whole number/],
    ['a result outside of the status', { result: 'spec.x' }, /"spec.x"/, /result: false/],
    ['an unknown errors mode', { errors: 'IGNORED' }, /errors: "IGNORED"/, /'ignored'/],
  ])('is refused: %s', (_, options, message, hint) => {
    const error = refusal(options)
    expect(error).toBeInstanceOf(DeclarationError)
    expect(error.code).toBe('BIN_DECLARATION')
    expect(error.message).toMatch(message)
    expect(error.hint).toMatch(hint)
  })

  it.each([['create'], ['delete']] as const)(
    'is refused: `old` or `new` on a %s handler, which has one state',
    (reason) => {
      expect(() => changeHandler(reason, Kex, [{ field: 'spec.a', old: 1 }, named])).toThrow(/one state/)
      expect(() => changeHandler(reason, Kex, [{ field: 'spec.a', new: 1 }, named])).toThrow(/one state/)
    },
  )

  it('is refused: no function, with the line to write', () => {
    const error = refusal({}, 'not a function')
    expect(error.message).toContain('is not a function')
    expect(error.fix).toContain("op.on.update('kopfexamples.kopf.dev', (")
  })

  it('is refused also where only options are given', () => {
    expect(() => changeHandler('update', Kex, [{ id: 'x' }])).toThrow(DeclarationError)
  })
})

describe('filters', () => {
  it('are kept as data, with empty labels and annotations where none are given', () => {
    expect(declare({}).filters).toMatchObject({ labels: [], annotations: [], field: undefined, when: undefined })
  })

  it('keep labels and annotations in the order in which they were written', () => {
    const { filters } = declare({ labels: { b: 'x', a: PRESENT }, annotations: { c: ABSENT } })
    expect(filters.labels).toEqual([
      ['b', 'x'],
      ['a', PRESENT],
    ])
    expect(filters.annotations).toEqual([['c', ABSENT]])
  })

  it('know markers from values', () => {
    expect([PRESENT, ABSENT, 'PRESENT', undefined].map(isMarker)).toEqual([true, true, false, false])
  })
})

describe('the name of a resource', () => {
  it.each([
    [Kex, 'kopfexamples.kopf.dev'],
    [resource({ group: '', version: 'v1', kind: 'Pod' }), 'pods'],
    ['deployments.apps', 'deployments.apps'],
  ] as const)('is its plural and its group', (named, name) => {
    expect(nameOf(named)).toBe(name)
  })
})

describe('a field handler', () => {
  it('names its field, or is refused with the line to write', () => {
    expect(() => changeHandler('field', Kex, [{}, named])).toThrow(
      'The field handler of kopfexamples.kopf.dev names no field',
    )
    expect(changeHandler('field', Kex, [{ field: 'spec.a', old: 1, new: 2 }, named]).id).toBe('named/spec.a')
  })
})

describe('an event handler', () => {
  it('has the name of its cause if it has none of its own', () => {
    expect(eventHandler(Kex, [() => {}])).toMatchObject({ id: 'event', reason: 'event', errors: 'ignored' })
    expect(eventHandler(Kex, [{ field: 'spec.a' }, named]).id).toBe('named/spec.a')
  })

  it.each([[{ retries: 3 }], [{ timeout: 5 }], [{ backoff: 5 }], [{ errors: 'temporary' }]])(
    'is told an event once: %j is refused',
    (options) => {
      expect(() => eventHandler(Kex, [options, named])).toThrow('an event is told once')
    },
  )

  it('looks at one state', () => {
    expect(() => eventHandler(Kex, [{ field: 'spec.a', old: 1 }, named])).toThrow('there is only one state')
  })
})
